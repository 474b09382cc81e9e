internal import Keyfob

/// What is said of what a group has lost.
enum LossText {
    /// What the doctor finds noted, with the way to have it back.
    ///
    /// - Parameter holdings: What backups have of it; nil where nothing opens them.
    static func findings(
        _ loss: Keyring.Loss, _ names: [AccountID: String], _ keyring: Keyring, _ holdings: BackupHoldings?,
        identity: String?
    ) -> [Finding] {
        (holdings?.naming(loss) ?? [loss]).map { loss in
            let back = wayBack(loss, keyring, holdings, identity: identity)
            return Finding(
                "loss", .warning, text(loss, names), hint: "\(back); 'keyfob doctor --accept-loss' goes on without it")
        }
    }

    /// What happened, with the name of the account in the place of its id, where it is known.
    static func text(_ loss: Keyring.Loss, _ names: [AccountID: String]) -> String {
        guard let account = loss.loss.account, let name = names[account] else { return loss.text }
        return loss.text.replacing(account.description, with: name)
    }

    /// What the accounts within reach are called, where any of the losses is about one.
    static func names(_ keyring: Keyring, for losses: [Keyring.Loss]) -> [AccountID: String] {
        guard losses.contains(where: { $0.loss.account != nil }) else { return [:] }
        let accounts = (try? keyring.accounts.list()) ?? []
        return Dictionary(accounts.map { ($0.account.id, $0.account.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// The problems with records that nothing else of the report tells with more words.
    static func problems(of report: Keyring.VerificationReport) -> [String] {
        let others = report.headerProblems + report.replacedTokens.map(\.text)
        let records = report.problems.filter { !others.contains($0) }
        func isUnopened(_ problem: String, _ group: AccessGroup) -> Bool {
            problem.hasPrefix("group \(group): record ") && problem.contains(" does not open")
        }
        let told = Set(report.losses.map(\.group)).filter { group in
            let count = report.losses.count { $0.group == group && $0.loss.change == .unopened }
            return count > 0 && count == records.count { isUnopened($0, group) }
        }
        // How many records are missing, or were added, is told kind by kind.
        let counted = Set(report.losses.filter { [.missing, .added].contains($0.loss.change) }.map(\.group))
        return records.filter { problem in
            !told.contains { isUnopened(problem, $0) }
                && !counted.contains { problem.hasPrefix("group \($0): the manifest tells of ") }
        }
    }

    /// What the doctor says of a vault that is whole.
    static let nothingToRepair = "nothing had to be put aside, and nothing is lost"

    /// What the doctor says of a repair.
    static func repaired(_ report: Keyring.RepairReport) -> [Finding] {
        var lines: [String] = []
        if !report.files.isEmpty { lines.append("put aside: \(report.files.joined(separator: ", "))") }
        lines += report.takenOver.map { replaced in
            "took over as another program had left it, in group '\(replaced.group)': \(replaced.loss.subject)"
        }
        if !report.losses.isEmpty { lines.append("noted what is lost, which is told below") }
        return (lines.isEmpty ? [nothingToRepair] : lines).map {
            Finding("repair", .ok, $0)
        }
    }

    /// What the doctor says of what was accepted.
    static func accepted(_ losses: [Keyring.Loss]) -> [Finding] {
        guard !losses.isEmpty else { return [Finding("loss", .ok, "nothing had to be accepted")] }
        return losses.map { Finding("loss", .ok, "accepted: \($0.text)") }
    }

    private static func wayBack(
        _ loss: Keyring.Loss, _ keyring: Keyring, _ holdings: BackupHoldings?, identity: String?
    ) -> String {
        let backups = (try? BackupFile.all(at: keyring.location)) ?? []
        guard !backups.isEmpty else {
            return elsewhere(keyring, beside: backups, identity)
                ?? "there is no backup in the vault's folder that could have it"
        }
        guard let holdings else {
            return "'keyfob doctor --identity FILE', FILE being your recovery key, says which backup has it "
                + "(\(Quantity.of(backups.count, "backup")) in the vault's folder)"
        }
        guard let backup = holdings.newest(with: loss) else {
            return elsewhere(keyring, beside: backups, identity) ?? "no backup in the vault's folder has it"
        }
        return
            "'\(restoring(backup.path, identity))' takes the vault's groups back to the newest backup that has it, of \(LocalTime.text(backup.time)), "
            + "after a backup of what they hold now"
    }

    private static func restoring(_ path: String, _ identity: String?) -> String {
        "keyfob restore \(ShellWord.quoted(path)) --bundle-identity \(ShellWord.quoted(identity ?? "FILE"))"
    }

    /// The way back by the last backup that was made, where that is not in the vault's folder: nobody has looked into it.
    private static func elsewhere(_ keyring: Keyring, beside backups: [BackupFile], _ identity: String?) -> String? {
        guard let last = BackupFile.last(of: keyring.vaultID, at: keyring.location),
            !backups.contains(where: { $0.path == last.path })
        else { return nil }
        return
            "no backup in the vault's folder has it, and the last one elsewhere, of \(LocalTime.text(last.time)), may: "
            + "'\(restoring(last.path, identity))'\(identity == nil ? " (FILE: your recovery key)" : "") takes the vault's "
            + "groups back to it, after a backup of what they hold now"
    }
}

/// `Schemas/verification.schema.json#/$defs/loss`.
struct LossDocument: Encodable {
    let change: String
    let kind: String?
    let count: Int
    let group: String
    let account: String?
    let clientID: String?
    let written: String?
    let noted: String?
    let file: String?
    let text: String

    init(_ loss: Keyring.Loss) {
        (change, kind, count) = (loss.loss.change.rawValue, loss.loss.kind?.rawValue, loss.loss.count)
        (group, account, clientID) = (loss.group.name, loss.loss.account?.description, loss.loss.clientID)
        (written, noted) = (loss.loss.written?.rfc3339, loss.loss.noted?.rfc3339)
        (file, text) = (loss.loss.file, loss.text)
    }
}
