internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

/// One run of a command, and what it took away.
public struct UndoEntry: Hashable, Sendable {
    /// Names it: the first eight digits of a hash of all that it says.
    public let id: String
    /// The command, such as `logout`.
    ///
    /// Whoever holds the key of a group can write entries in that group, which bring back records of that group alone.
    public let command: String
    /// When it ran.
    public let time: Timestamp
    /// Until when it can be undone.
    public let until: Timestamp
    /// What it took away or changed, and what undoing does with it.
    public internal(set) var items: [UndoItem]

    /// The entry of the undo, which can be undone in turn; nil where it is not undone.
    public internal(set) var undoneBy: String?
    /// What it did that no undo takes back.
    public internal(set) var lasting: [LastingChange] = []

    let journalEntry: JournalEntry
    /// When the last of it was written, in milliseconds since 1970.
    let milliseconds: Int64
    /// The groups in which it is noted.
    let places: [AccessGroup]
    /// The refresh tokens that undoing it brings back, replaces or takes away.
    let grants: Set<GrantKey>
    /// All digits of what names it: no other entry has them.
    package var fullID: String { journalEntry.key.description }

    /// Whether it is itself an undo: those are undone by their id alone.
    public var isUndo: Bool { journalEntry.isUndo }

    /// Whether it did nothing but what no undo takes back.
    public var isLasting: Bool { items.isEmpty && !lasting.isEmpty }

    /// The groups in which it took something away.
    public var groups: [AccessGroup] { Self.unique(items.map(\.group)) }

    /// The names of the accounts that it concerned, each once.
    ///
    /// Of a decision it is the account that the command chose.
    public var accountNames: [String] { Self.unique(items.compactMap { $0.decided?.accountName ?? $0.accountName }) }

    private static func unique<Value: Hashable>(_ values: [Value]) -> [Value] {
        var seen: Set<Value> = []
        return values.filter { seen.insert($0).inserted }
    }

    /// Whether undoing it brings anything back.
    public var bringsBack: Bool { items.contains { $0.outcome == .returns } }

    /// Whether undoing it changes anything: a note of a sign-out goes with what was signed out.
    public var changesSomething: Bool {
        bringsBack || items.contains { $0.outcome == .goes && $0.kind != .signedOut }
    }

    init(
        _ entry: JournalEntry, _ items: [UndoItem], lasting: [LastingChange] = [], in places: [AccessGroup],
        at milliseconds: Int64, grants: Set<GrantKey> = []
    ) {
        journalEntry = entry
        self.grants = grants
        self.lasting = lasting
        self.milliseconds = milliseconds
        self.places = Self.unique(places)
        id = entry.key.short
        command = entry.command
        time = entry.time
        until = entry.end
        self.items = items
    }
}

/// One item that a command took away or changed.
public struct UndoItem: Hashable, Sendable {
    /// The group it was in.
    public let group: AccessGroup
    /// What it is.
    public let kind: Kind
    /// Whose it is, where it is an account's.
    public let account: AccountID?
    /// What that account is called.
    public let accountName: String?
    /// The client that a token was issued to; nil for one that was added by hand, and for what is no token.
    public let clientID: String?
    /// The scopes of an access token.
    public let scopes: ScopeSet
    /// When a token ends; nil where it does not, or nobody knows.
    public let expiresOn: Timestamp?
    /// What a decision decides.
    public internal(set) var text: String?
    /// What the command decided in its place, where that is known; nil where it is no decision, or took one away.
    public internal(set) var decided: Decided?
    /// The next command that changed it, or what its account holds; nil where none is known.
    public internal(set) var changedBy: ChangedBy?
    /// What undoing does with it.
    public internal(set) var outcome: Outcome
    /// Whether it is there, and what it was before the command comes back.
    public let isSetBack: Bool
    /// Whether what came later is lost by that.
    public internal(set) var isOverriding: Bool
    /// Whether it is a binding, where it decides something.
    package let isBinding: Bool
    /// Whether the journal keeps it, since a command replaced or removed it.
    package let isKept: Bool
    let act: JournalAct?
    let groupID: GroupID

    /// Whether two plans are about the same item, whatever each does with it.
    func isSame(as other: UndoItem) -> Bool {
        (groupID, kind, account, clientID) == (other.groupID, other.kind, other.account, other.clientID)
            && (scopes, text, act) == (other.scopes, other.text, other.act)
    }

    /// What a command decided.
    public struct Decided: Hashable, Sendable {
        /// What that is, as people read it.
        public let text: String
        /// What the account is called that it is about, where there is one.
        public let accountName: String?
    }

    /// A command that came later.
    public struct ChangedBy: Hashable, Sendable {
        /// Its entry's id.
        public let id: String
        /// The command, such as `use`.
        public let command: String

        init(_ entry: JournalEntry) { (id, command) = (entry.key.short, entry.command) }
    }

    /// What an item is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An account with its names and its label.
        case account
        /// The label of an account that is there again, and newer.
        case label
        /// A refresh token.
        case refreshToken
        /// An access token.
        case accessToken
        /// An ID token.
        case idToken
        /// That a client is signed out.
        case signedOut
        /// A binding, the default account, or what else decides.
        case decision
        /// The group itself, or its name.
        case group
        /// That an account was moved to its group.
        case move
        /// Anything else.
        case other
    }

    /// What undoing does with an item.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// It comes back.
        case returns
        /// It was not there before the command, and goes.
        case goes
        /// It is there already.
        case isThere
        /// Something newer is there, which stays.
        case newerIsThere
        /// Its account is not there: that has to come back first.
        case accountIsGone
        /// A later command has changed what this one added, or added to it.
        case changedSince
        /// The group stays, empty, so that what goes can come back; another undo of the same takes it away.
        case staysEmpty
        /// Other machines of the sync may have put something into the group, which `keyfob group remove` removes for all.
        case inSync
        /// The command replaced or removed more than is kept.
        case tooMuch
        /// A key of the group alone says that it was done.
        case notOwners
        /// It takes another group, which is out of reach.
        case groupIsOutOfReach
        /// Another group has used the same sign-in since, so that the refresh token may be worth nothing any more.
        case usedElsewhere
        /// The same sign-in has got another refresh token since, which stays: its provider may end it where this one is used.
        case replacedSince
    }
}

extension UndoItem {
    init(_ planned: PlannedUndo, in place: UnlockedVault.Group, names: [AccountID: String]) {
        let item = planned.item.value
        let credential = item.content.credential
        let owner = item.account
        (group, groupID) = (place.name, place.keys.group)
        act = JournalAct(item)
        kind = if case .complete = planned.step { .label } else { Kind(planned.item) }
        isKept = !planned.item.isAddition
        isBinding =
            if case .setting(let name, _) = item.content { name.hasPrefix(BindingSetting.prefix) } else { false }
        isOverriding = planned.isOverriding
        if case .putBack(let current) = planned.step {
            // A sign-in that had ended is not there.
            isSetBack = item.kind != .refreshToken || current.secretCommitment != nil
        } else {
            isSetBack = false
        }
        account = owner
        accountName = owner.map { names[$0] ?? $0.description }
        clientID = credential.flatMap { $0.clientID == Credential.noClient ? nil : $0.clientID }
        scopes = credential?.scopes ?? []
        expiresOn = credential?.expiresOn
        if let act {
            text = if case .groupRenamed(let name) = act { name } else { nil }
        } else if case .setting(let name, let value?) = item.content {
            text = GroupDecision(Setting(name, value, by: .unknown), in: group).text
        } else {
            text = nil
        }
        outcome = Outcome(planned.step)
    }
}

extension UndoItem.Kind {
    fileprivate init(_ stored: StoredItem<JournalItem>) {
        let item = stored.value
        switch JournalAct(item) {
        case .groupMade, .groupRenamed:
            self = .group
            return
        case .accountMoved:
            self = .move
            return
        case .tooMuch, .lasting, nil: break
        }
        switch item.content {
        case .account: self = .account
        case .credential(let credential):
            switch credential.kind {
            case .refreshToken:
                let isThere =
                    stored.isAddition ? stored.record.secretCommitment != nil : item.former?.hasSecret ?? false
                self = isThere ? .refreshToken : .signedOut
            case .accessToken: self = .accessToken
            case .idToken: self = .idToken
            }
        case .setting: self = .decision
        case .appMetadata, .clientSecret, .foreign, .tombstone: self = .other
        }
    }
}

extension UndoItem.Outcome {
    init(_ step: UndoStep) {
        self =
            switch step {
            case .bringBack, .putBack, .complete, .act: .returns
            case .takeAway: .goes
            case .nothing(.newer): .newerIsThere
            case .nothing(.done): .isThere
            case .nothing(.noAccount): .accountIsGone
            case .nothing(.usedElsewhere): .usedElsewhere
            case .nothing(.replaced): .replacedSince
            case .nothing(.changedSince): .changedSince
            case .nothing(.tooMuch): .tooMuch
            case .nothing(.notOwners), .nothing(.lasting): .notOwners
            }
    }
}

extension JournalItem {
    /// The account that the item is, belongs to or decides for.
    var account: AccountID? {
        switch JournalAct(self) {
        case .accountMoved(let id, _): return id
        case .groupMade, .groupRenamed, .tooMuch, .lasting: return nil
        case nil: break
        }
        return switch content {
        case .account(let account): account.id
        case .credential(let credential): credential.account
        case .setting(let name, let value?): Setting(name, value, by: .unknown).account
        case .setting(_, nil), .appMetadata, .clientSecret, .foreign, .tombstone: nil
        }
    }
}
