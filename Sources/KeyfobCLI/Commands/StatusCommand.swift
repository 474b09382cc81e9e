internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is there, and whether it is unlocked.",
        discussion: """
            Says by what the vault is unlocked and until when, which account counts in this directory and why, who has to \
            sign in, and when the last backup was made. Asks nothing: without a key file, an unlocked session or an unlocked keyring of the desktop it says only \
            where the vault is. For a vault with a slot of the desktop's keyring (Secret Service) it says whether that \
            one opens it. What does not follow from what was seen of the vault before is told here each time, until 'keyfob \
            doctor --accept-rollback', and what a repair has noted as lost until 'keyfob doctor --accept-loss'.

            Example:
              keyfob status --json
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let location = try global.location()
        // Before there are keys: with them no connection is made.
        let agent = AgentText(at: location)
        let opening = try global.opening(reaching: .files())
        let (id, storage, items, kept, earlier) = try look(at: location, after: opening.problem)
        let keyring = opening.keyring
        let groups = try keyring?.groups.list() ?? []
        let slots = try keyring?.slots.list() ?? []
        let backups = try BackupState(of: id, at: location, holding: keyring == nil ? nil : groups)
        let restored = try keyring?.bundles.restoredGrants()
        let ending = try keyring?.signIns.ending()
        let findings = try keyring?.health.stateFindings() ?? earlier
        let losses = try keyring?.health.losses()
        let groupsAsked = try global.groups()
        let here = try keyring.map { keyring throws(KeyringError) in try AccountsHere(keyring, in: groupsAsked) }
        let key = keyring.map { _ in KeyUsedText(global, kept, storage) }
        let header = try keyring?.health.headerProblems() ?? []
        if let keyring { global.tellWarnings(of: keyring, andFindings: false) }
        let state = keyring == nil ? "locked" : keyring?.opensWholeVault == true ? "unlocked" : "group"
        if global.json {
            return try JSONOutput.print(
                StatusDocument(
                    vault: location.vault, id: id, storage: storage.rawValue,
                    storageService: keyring?.secretServiceName,
                    storageSince: keyring?.secretServiceSince?.rfc3339, state: state,
                    problem: storage == .secretService ? opening.problem?.message : nil,
                    unlockedBy: key?.name, account: here?.document,
                    needingSignIn: here?.needingSignIn.map(StatusDocument.Unsigned.init),
                    keptKeys: kept.isEmpty ? nil : kept.map(StatusDocument.KeptKey.init),
                    agent: agent?.document, isReadOnly: keyring?.isReadOnly,
                    findings: findings.map(StateDocument.init),
                    losses: losses?.map(LossDocument.init), headerProblems: header,
                    groups: groups.map(GroupDocument.init),
                    slots: slots.map(SlotDocument.init),
                    backups: StatusDocument.Backups(backups),
                    restoredGrants: restored?.map { StatusDocument.SignIn($0.group, $0.account, $0.clientID) },
                    endingSignIns: ending?.map {
                        StatusDocument.SignIn($0.group, $0.account.id, $0.clientID, endsOn: $0.endsOn)
                    },
                    secretService: items.isEmpty ? nil : items.map(SecretServiceDocument.init)))
        }
        try write("vault   \(location.vault)")
        try write("id      \(id)")
        let words =
            switch state {
            case "unlocked": "unlocked \(key?.words ?? "")"
            case "group": "unlocked for one group, \(key?.words ?? "")"
            case _ where storage == .secretService: "locked"
            case _ where opening.problem?.advice == .giveKeyFile:
                "locked, and the kernel offers no keyring here that keeps it open"
            case _ where opening.problem?.advice != .unlock: "locked"
            default:
                switch KeyPlace.available(at: location) {
                case .session: "locked ('keyfob unlock' opens it for this session)"
                case .user: "locked ('keyfob unlock --user' opens it for all sessions of yours)"
                case nil: "locked, and nothing keeps its key here: give a key file or a passphrase each time"
                }
            }
        if storage == .secretService {
            let (service, since) = (keyring?.secretServiceName, keyring?.secretServiceSince)
            for line in StorageText.ofSecretService(service, since) { try write(line) }
        }
        let limit = keyring?.isReadOnly == true ? ", read-only: a newer Keyfob wrote it" : ""
        try write("state   \(words)\(limit)")
        if storage == .secretService, let reason = opening.problem {
            try write("        \(reason.message)")
        }
        if let advice = opening.problem?.advice, keyring == nil, advice != .unlock {
            // This command asks nothing, wherever it runs.
            let isAsking = advice == .allowPrompt
            try write("        \(isAsking ? "'keyfob doctor' lets it ask; \(Advice.askingLess)" : advice.text)")
        }
        for key in kept {
            let whose = key.place == .session ? "this session's" : "your"
            try write("key     in \(whose) kernel keyring until \(TimeText.moment(key.until))")
        }
        if let agent { try write("agent   \(agent.words)") }
        if let here { try write("account \(here.text)") }
        for item in items {
            try write("desktop keyring \(SecretServiceText.of(item))")
        }
        for finding in findings { try write("warning \(TimeText.local(in: finding.text))") }
        let names = keyring.map { LossText.names($0, for: losses ?? []) } ?? [:]
        for loss in losses ?? [] {
            try write("warning \(TimeText.local(in: LossText.text(loss, names)))")
        }
        for problem in header { try write("warning \(problem)") }
        if !findings.isEmpty || !header.isEmpty || losses?.isEmpty == false {
            try write("        \(StateText.advice)")
        }
        for finding in keyring.map(SyncText.findings) ?? [] {
            try write("\(finding.status == .ok ? "sync    " : "warning sync: ")\(finding.text)")
            if let hint = finding.hint { try write("        \(hint)") }
        }
        try write("backups \(backups.text)")
        if let warning = backups.warning {
            try write("warning \(warning)")
            try write("        \(BackupState.advice)")
        }
        if let restored, !restored.isEmpty {
            try write("warning \(RestoredGrantText.of(restored.count))")
        }
        if let keyring, keyring.opensWholeVault, !slots.contains(where: { $0.kind == "recipient" }) {
            try write("warning the vault has no recovery key, and no backup can be made without one")
            try write("        \(Advice.addRecipient(canRekey: storage == .embedded).text)")
        }
        for line in here?.signInLines ?? [] {
            try write("warning \(line.text)")
            try write("        \(line.advice)")
        }
        for signIn in ending ?? [] {
            guard let names = keyring?.accounts.naming(for: signIn.account) else { continue }
            try write("warning \(signIn.text(WallClock.system.now, names))")
            try write("        \(signIn.advice(names).text)")
        }
        guard let keyring else { return }
        try StandardOutput.write(
            lines: "\n" + GroupListCommand.table(groups) + "\n" + SlotListCommand.table(slots, in: keyring.storage))
    }

    private func write(_ entry: String) throws(KeyringError) {
        try StandardOutput.write(entry: entry, entry.hasPrefix("warning ") ? global.look(.warning) : nil)
    }

    /// What can be told of a vault that is locked.
    private func look(
        at location: KeyringLocation, after problem: KeyringError?
    ) throws(KeyringError) -> (
        id: String, storage: StoragePlace, items: [SecretServiceItem], kept: [KeyKept], findings: [StateFinding]
    ) {
        let locked = try LockedKeyring(at: location)
        let items = locked.secretServiceItems(global.secretService(mayAsk: false), after: problem)
        return (locked.vaultID, locked.storage, items, locked.keptKeys(), locked.stateFindings)
    }
}

/// `Schemas/status.schema.json`.
struct StatusDocument: JSONDocument {
    let formatVersion = 1
    let vault: String
    let id: String
    /// Where the records lie.
    let storage: String
    /// What the program is called that is the desktop's keyring which keeps the records; nil for any other vault, while it is
    /// locked, and where nobody knows.
    let storageService: String?
    let storageSince: String?
    let state: String
    /// Why the desktop's keyring, which keeps the records, does not open them; nil for any other vault.
    let problem: String?
    /// With what it was unlocked; nil while it is locked.
    let unlockedBy: String?
    /// Which account counts in the working directory; nil while the vault is locked.
    let account: AccountsHere.Document?
    /// Who has to sign in; nil while the vault is locked.
    let needingSignIn: [Unsigned]?
    /// Where 'keyfob unlock' has kept the key; nil where it has not.
    let keptKeys: [KeptKey]?
    /// The agent of this vault; nil where none runs.
    let agent: AgentText.Document?
    /// Nil while the vault is locked.
    let isReadOnly: Bool?
    /// What does not follow from what was seen of the vault before; of a locked one what was found earlier.
    let findings: [StateDocument]
    /// What groups have lost, and is not accepted; nil while the vault is locked.
    let losses: [LossDocument]?
    /// What is wrong with the header and its copies.
    let headerProblems: [String]
    let groups: [GroupDocument]
    let slots: [SlotDocument]
    let backups: Backups
    /// Nil while the vault is locked.
    let restoredGrants: [SignIn]?
    /// Nil while the vault is locked.
    let endingSignIns: [SignIn]?
    /// What the desktop's keyring has for the slots that it opens; nil where the vault has no such slot.
    let secretService: [SecretServiceDocument]?

    /// An account that has to sign in.
    struct Unsigned: Encodable {
        let group: String
        let account: String
        let reason: String?

        init(_ candidate: Candidate) {
            group = candidate.group.name
            account = candidate.account.id.description
            reason = if case .needsSignIn(let reason) = candidate.state { reason } else { nil }
        }
    }

    /// A key that is kept.
    struct KeptKey: Encodable {
        let keyring: String
        let until: String

        init(_ key: KeyKept) {
            keyring = key.place.rawValue
            until = key.until.rfc3339
        }
    }

    /// The backups in the vault's folder, and the last one wherever it was made.
    struct Backups: Encodable {
        let count: Int
        let newest: BackupListDocument.Backup?
        let last: Last?
        /// `none` or `old`; nil where a backup is young.
        let warning: String?

        /// The last complete one that was made here.
        struct Last: Encodable {
            let created: String
            let path: String
        }

        init(_ state: BackupState) {
            count = state.files.count
            newest = state.files.first.map { BackupListDocument.Backup($0, nil) }
            last = state.last.map { Last(created: $0.time.rfc3339, path: $0.path) }
            warning = state.problem
        }
    }

    /// A sign-in that ends soon, or came back from a backup.
    struct SignIn: Encodable {
        let group: String
        let account: String
        let clientID: String
        /// When it ends, of one that ends soon.
        let endsOn: String?

        init(_ group: AccessGroup, _ account: AccountID, _ clientID: String, endsOn: Timestamp? = nil) {
            self.group = group.name
            self.account = account.description
            self.clientID = clientID
            self.endsOn = endsOn.map(\.rfc3339)
        }
    }
}

extension Keyring.EndingSignIn {
    /// Whose it is and when it ends, in one line.
    func text(_ now: Timestamp, _ names: AccountNaming) -> String {
        "the sign-in of \(names.brief(account)) (group '\(group)', client \(clientID)) \(endsOn < now ? "ended" : "ends") "
            + "\(TimeText.distance(to: endsOn, from: now)), on \(LocalTime.text(endsOn))"
    }

    /// What to do about it.
    func advice(_ names: AccountNaming) -> Advice { .signIn(names.briefTyped(account), ScopeSet()) }
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
