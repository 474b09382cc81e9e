internal import Keyfob
internal import KeyfobTerminal

/// What a backup or a bundle takes away that comes in the place of what is here, and the way back.
struct ReplacementText {
    private static let limit = 10
    private let plan: ImportPlan
    /// The id of the vault that is here.
    private let vault: String

    init(_ plan: ImportPlan, into keyring: Keyring) {
        (self.plan, vault) = (plan, keyring.vaultID)
    }

    /// Whether it comes from another vault than the one it goes into.
    var isOfAnotherVault: Bool { plan.source.vault != vault }

    /// `other.age, which is of another vault (ID)`; the name alone where it is this vault's.
    func naming(_ name: String) -> String {
        isOfAnotherVault ? "\(name), which is of another vault (\(plan.source.vault))" : name
    }

    /// The accounts that go, and the sign-ins of accounts that stay: a line each of the first, and how many stay because
    /// they are newer here.
    var losses: [String] {
        let gone = plan.lines.filter { $0.outcome == "removed" }
        let accounts = gone.filter { $0.kind == "account" }
        let ids = Set(accounts.map { [$0.group.name, $0.account] })
        let grants = gone.filter { $0.kind == "grant" && !ids.contains([$0.group.name, $0.account]) }
        var lines = accounts.prefix(Self.limit).map { line in
            let name = line.username.flatMap { $0.isEmpty ? nil : "account \(TerminalText.line($0))" }
            return "goes: \(name ?? line.item) of group '\(line.group)', with its tokens"
        }
        let more = plan.count(of: ["account"], "removed") - lines.count
        if more > 0 {
            lines.append("goes: \(Quantity.of(more, "account")) more, with \(more == 1 ? "its" : "their") tokens")
        }
        lines += grants.prefix(Self.limit).map { "goes: \($0.item) of group '\($0.group)'" }
        if grants.count > Self.limit {
            lines.append("goes: \(Quantity.of(grants.count - Self.limit, "sign-in")) more")
        }
        let newer = plan.lines.count { $0.kind == "grant" && $0.reason == "newerHere" }
        if newer > 0 {
            let isOne = newer == 1
            lines.append(
                "\(Quantity.of(newer, "sign-in")) \(isOne ? "is" : "are") newer here, and \(isOne ? "stays" : "stay")")
        }
        return lines
    }

    /// `: 2 accounts would go`; empty where none goes.
    var lossCount: String {
        let count = plan.count(of: ["account"], "removed")
        return count == 0 ? "" : ": \(Quantity.of(count, "account")) would go"
    }

    /// What a person should know before it is done.
    ///
    /// - Parameter deed: What it is called: `restore` or `import`.
    func before(_ deed: String) -> [String] {
        losses + PlanText(plan).keptGroups + PlanText(plan).travel
            + [NamedVault.completing("note: what is here is backed up first; 'keyfob undo' takes the \(deed) back")]
    }

    /// How what was here comes back; nil where nothing was changed.
    var wayBack: String? {
        guard let backup = plan.backup, !plan.isEmpty else { return nil }
        return "the way back: 'keyfob undo', or 'keyfob restore \(ShellWord.inMessage(backup)) --bundle-identity FILE' "
            + "(FILE: this vault's recovery key)"
    }
}
