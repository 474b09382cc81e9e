internal import Keyfob

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
    /// Further ones, with other runtime folders; nil where there are none.
    let otherAgents: [AgentText.Document]?
    /// How many other sessions keep the key; nil where that cannot be told.
    let keysElsewhere: Int?
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
