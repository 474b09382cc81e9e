internal import Keyfob
internal import KeyfobTerminal

/// How a vault stands, as far as nobody is asked: what `keyfob status` tells, and in short `keyfob` alone.
struct StatusReport {
    /// Nil while the vault is locked.
    let keyring: Keyring?
    let groups: [Keyring.GroupSummary]
    let slots: [Keyring.Slot]
    /// Nil while the vault is locked.
    let here: AccountsHere?
    private let location: KeyringLocation
    private let agents: [AgentText]
    private let keysElsewhere: Int?
    /// Why nothing opens it; nil where something does.
    private let problem: KeyringError?
    private let id: String
    private let storage: StoragePlace
    private let items: [SecretServiceItem]
    private let kept: [KeyKept]
    private let backups: BackupState
    private let restored: [Keyring.RestoredGrant]?
    private let ending: [Keyring.EndingSignIn]?
    private let findings: [StateFinding]
    private let losses: [Keyring.Loss]?
    private let header: [String]
    private let key: KeyUsedText?

    /// Something that the owner should know, and what to do.
    struct Warning {
        let text: String
        var advice: String?
    }

    init(_ global: GlobalOptions) throws(KeyringError) {
        location = try global.location()
        // Before there are keys: with them no connection is made.
        agents = AgentText.all(at: location)
        let opening = try global.opening(reaching: .files())
        (problem, keyring) = (opening.problem, opening.keyring)
        let locked = try LockedKeyring(at: location)
        items = locked.secretServiceItems(global.secretService(mayAsk: false), after: problem)
        (id, storage, kept) = (locked.vaultID, locked.storage, locked.keptKeys())
        keysElsewhere = locked.keysKeptElsewhere
        groups = try keyring?.groups.list() ?? []
        slots = try keyring?.slots.list() ?? []
        backups = try BackupState(
            of: id, at: location, holding: keyring == nil ? nil : groups,
            opening: keyring?.opensWholeVault == true ? slots : nil)
        restored = try keyring?.bundles.restoredGrants()
        ending = try keyring?.signIns.ending()
        findings = try keyring?.health.stateFindings() ?? locked.stateFindings
        losses = try keyring?.health.losses()
        let asked = try global.groups()
        here = try keyring.map { keyring throws(KeyringError) in try AccountsHere(keyring, in: asked) }
        let (kept, storage) = (kept, storage)
        key = keyring.map { _ in KeyUsedText(global, kept, storage) }
        header = try keyring?.health.headerProblems() ?? []
        if let keyring { global.tellWarnings(of: keyring, andFindings: false) }
    }

    private var state: String { keyring.map { $0.opensWholeVault ? "unlocked" : "group" } ?? "locked" }

    /// Whether it is open, and by what; or what opens it.
    var stateText: String {
        let words =
            switch state {
            case "unlocked": "unlocked \(key?.words ?? "")"
            case "group": "unlocked for one group, \(key?.words ?? "")"
            case _ where storage == .secretService: "locked"
            default:
                switch problem?.advice {
                case .unlock: "locked ('keyfob unlock' opens it for this session)"
                case .unlockForUser: "locked ('keyfob unlock --user' opens it for all sessions of yours)"
                case _: "locked" + (problem.map { Self.reason(in: $0.message) } ?? "")
                }
            }
        return words + (keyring?.isReadOnly == true ? ", read-only: a newer Keyfob wrote it" : "")
    }

    /// Why it is locked, as it stands behind that word.
    private static func reason(in message: String) -> String {
        let known = "the vault is locked"
        return message.hasPrefix(known) ? String(message.dropFirst(known.count)) : ": \(message)"
    }

    /// What opens a vault that is locked, where ``stateText`` does not say it.
    var openingLines: [String] {
        var lines: [String] = []
        if storage == .secretService, let problem { lines.append(problem.message) }
        if let advice = problem?.advice, keyring == nil, advice != .unlock, advice != .unlockForUser {
            // Nothing is asked here, wherever it runs.
            let isAsking = advice == .allowPrompt
            lines.append(isAsking ? "'keyfob doctor' lets it ask; \(Advice.askingLess)" : advice.text)
        }
        return lines
    }

    /// What is so, each with its name before it.
    var facts: [String] {
        var facts = ["vault   \(location.vault)", "id      \(id)"]
        if storage == .secretService {
            facts += StorageText.ofSecretService(keyring?.secretServiceName, keyring?.secretServiceSince)
        }
        facts.append("state   \(stateText)")
        facts += openingLines.map { "        \($0)" }
        for key in kept {
            let whose = key.place == .session ? "this session's" : "your"
            facts.append("key     in \(whose) kernel keyring until \(TimeText.moment(key.until))")
        }
        if let keysElsewhere, keysElsewhere > 0 {
            facts.append("key     in the kernel keyring of \(Quantity.of(keysElsewhere, "other session"))")
        }
        facts += agents.map { "agent   \($0.words)" }
        if let here { facts.append("account \(here.text)") }
        facts += items.map { "desktop keyring \(SecretServiceText.of($0))" }
        for finding in syncFindings where finding.status == .ok {
            facts.append("sync    \(finding.text)")
            if let hint = finding.hint { facts.append("        \(hint)") }
        }
        return facts + ["backups \(backups.text)"]
    }

    private var syncFindings: [Finding] { keyring.map(SyncText.findings) ?? [] }

    /// What the owner should know.
    var warnings: [Warning] {
        var warnings = findings.map { Warning(text: TimeText.local(in: $0.text)) }
        let names = keyring.map { LossText.names($0, for: losses ?? []) } ?? [:]
        warnings += (losses ?? []).map { Warning(text: TimeText.local(in: LossText.text($0, names))) }
        warnings += header.map { Warning(text: $0) }
        // Of all of these.
        if !warnings.isEmpty { warnings[warnings.count - 1].advice = StateText.advice }
        for finding in syncFindings where finding.status != .ok {
            warnings.append(Warning(text: "sync: \(finding.text)", advice: finding.hint))
        }
        if let text = backups.warning { warnings.append(Warning(text: text, advice: BackupState.advice)) }
        if let restored, !restored.isEmpty { warnings.append(Warning(text: RestoredGrantText.of(restored.count))) }
        if let keyring, keyring.opensWholeVault, !slots.contains(where: { $0.kind == "recipient" }) {
            warnings.append(
                Warning(
                    text: "the vault has no recovery key, and no backup can be made without one",
                    advice: Advice.addRecipient(canRekey: storage == .embedded).text))
        }
        warnings += (here?.signInLines ?? []).map { Warning(text: $0.text, advice: $0.advice) }
        for signIn in ending ?? [] {
            guard let names = keyring?.accounts.naming(for: signIn.account) else { continue }
            warnings.append(
                Warning(text: signIn.text(WallClock.system.now, names), advice: signIn.advice(names).text))
        }
        return warnings
    }

    /// The same for programs.
    var document: StatusDocument {
        StatusDocument(
            vault: location.vault, id: id, storage: storage.rawValue, storageService: keyring?.secretServiceName,
            storageSince: keyring?.secretServiceSince?.rfc3339, state: state,
            problem: storage == .secretService ? problem?.message : nil, unlockedBy: key?.name,
            account: here?.document, needingSignIn: here?.needingSignIn.map(StatusDocument.Unsigned.init),
            keptKeys: kept.isEmpty ? nil : kept.map(StatusDocument.KeptKey.init), agent: agents.first?.document,
            otherAgents: agents.count > 1 ? agents.dropFirst().map(\.document) : nil,
            keysElsewhere: keysElsewhere,
            isReadOnly: keyring?.isReadOnly, findings: findings.map(StateDocument.init),
            losses: losses?.map(LossDocument.init), headerProblems: header, groups: groups.map(GroupDocument.init),
            slots: slots.map(SlotDocument.init), backups: StatusDocument.Backups(backups),
            restoredGrants: restored?.map { StatusDocument.SignIn($0.group, $0.account, $0.clientID) },
            endingSignIns: ending?.map {
                StatusDocument.SignIn($0.group, $0.account.id, $0.clientID, endsOn: $0.endsOn)
            },
            secretService: items.isEmpty ? nil : items.map(SecretServiceDocument.init))
    }
}

/// What people are told about where records lie.
enum StorageText {
    /// What `status` says of a vault that the desktop's keyring keeps, and of what that one cannot do.
    ///
    /// - Parameters:
    ///   - service: What the program is called that is that keyring; nil where nobody knows.
    ///   - since: When the records came there; nil where nobody knows.
    static func ofSecretService(_ service: String?, _ since: Timestamp?) -> [String] {
        let time = since.map { " since \(TimeText.moment($0))" } ?? ""
        return [
            "storage with the desktop's keyring (\(service ?? "Secret Service"))\(time), an item for each token",
            "        a change that is stopped is completed by the next command: the service has no transactions",
            "        groups keep accounts apart, and nobody out: the service has one key for all of them",
            "        while that keyring is unlocked, every program of the session can read it",
        ]
    }
}
