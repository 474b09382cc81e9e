internal import Keyfob

/// What a command changed: `Schemas/change.schema.json`.
struct ChangeDocument: JSONDocument {
    /// What was done.
    enum Kind: String, Encodable {
        case accountLabelled = "account-labelled"
        case accountMoved = "account-moved"
        case accountRemoved = "account-removed"
        case defaultSet = "default-set"
        case bound
        case unbound
        case allowed
        case disallowed
        case clientAdded = "client-added"
        case clientRemoved = "client-removed"
        case groupCreated = "group-created"
        case groupRenamed = "group-renamed"
        case groupRemoved = "group-removed"
        case groupRotated = "group-rotated"
        case historyCleared = "history-cleared"
        case logBegunAnew = "log-begun-anew"
        case usesTurnedOff = "uses-turned-off"
        case usesTurnedOn = "uses-turned-on"
        case mirrorStopped = "mirror-stopped"
        case providerAdded = "provider-added"
        case providerRenamed = "provider-renamed"
        case providerRemoved = "provider-removed"
        case programAllowed = "program-allowed"
        case programDenied = "program-denied"
        case programForgotten = "program-forgotten"
        case undoCleared = "undo-cleared"
        case unlocked
        case locked
    }

    /// To what a binding or a permission applies.
    struct Subject: Encodable {
        let kind: String
        let value: String

        init(_ subject: Binding.Subject) {
            kind = "\(subject.kind)"
            value = subject.text
        }

        /// A `.keyfob.toml`.
        init(file: String) { (kind, value) = ("file", file) }

        /// A program that asks the agent.
        init(program: Program) { (kind, value) = ("program", program.description) }
    }

    let formatVersion = 1
    let change: Kind
    /// The account's id; nil for none.
    var account: String?
    var group: String?
    var client: String?
    var provider: String?
    /// The new name, label or group; nil where it was taken away.
    var to: String?
    var subject: Subject?
    /// What a program may do now, or never.
    var actions: [String]?
    /// How many records, clients, bindings, permissions or entries went, moved or were sealed again.
    var count: Int?
    /// The backup that was made first.
    var backup: String?
    /// How what went comes back.
    var undo: SignOutDocument.Undo?
    /// What a provider offers.
    var check: ProviderCheckDocument?
    /// For how many seconds.
    var seconds: Int?

    init(_ change: Kind) { self.change = change }
}

extension GlobalOptions {
    /// Tells what was changed: as a document with --json, else in words on standard error.
    ///
    /// - Parameter fill: Adds what the change is about to the document.
    func tell(
        _ change: ChangeDocument.Kind, _ words: String, _ fill: (inout ChangeDocument) -> Void = { _ in }
    ) throws(KeyringError) {
        guard json else { return say(words) }
        var document = ChangeDocument(change)
        fill(&document)
        try JSONOutput.print(document)
    }
}
