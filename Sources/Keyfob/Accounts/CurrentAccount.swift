internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// Who is signed in to a group that one account uses at a time, and who was before.
    public struct CurrentAccount: Hashable, Sendable {
        /// The group.
        public let group: AccessGroup
        /// The account that is signed in alone, or the default of several; nil where nobody is signed in.
        public let now: Candidate?
        /// The account that was current before the last change that was seen; nil where there was none.
        public let before: Formerly?
        /// The last change that was seen; nil where there was none.
        public let change: Change?
        /// Whether that change was seen just now.
        public let isNews: Bool

        /// An account as it was called when it was current.
        public struct Formerly: Hashable, Sendable {
            /// Its id.
            public let id: AccountID
            /// Its user name.
            public let username: String
        }

        /// How another account came to be current.
        public struct Change: Hashable, Sendable {
            /// What was done.
            public let what: What
            /// Who did it, where that is known: of the default account alone.
            public let writer: DecisionWriter?
            /// Whether it was done on another copy of the vault, and came by a merge.
            public let isElsewhere: Bool
            /// When it was seen, which is not before it was done.
            public let seenOn: Timestamp
        }

        /// What makes another account current.
        public enum What: String, Hashable, Sendable, CaseIterable {
            /// It signed in, or came by an import.
            case signIn
            /// The one before signed out.
            case signOut
            /// The one before was removed, or moved to another group.
            case removal
            /// It was made the default.
            case choice
        }
    }
}

extension Keyring.Accounts {
    /// Who is the current account of a group, who was before, and by what it changed.
    ///
    /// What is found is remembered in the group, on this machine; changes between two calls that lead back are not seen.
    /// Whoever holds the group's key can write there, and thereby change what is told here, and nothing else.
    ///
    /// - Parameter groups: The first is looked at; nil for `default`, or the only one within reach.
    /// - Throws: `ambiguous` where several accounts are signed in and none of them is the default; as ``list(in:)``.
    public func current(in groups: [AccessGroup]? = nil) throws(KeyringError) -> Keyring.CurrentAccount {
        let now = clock.now
        return try withState { state in
            let group = try state.groupForNewItems(groups)
            // A default that is signed in is the current account, whoever else is.
            let preferred = try search.preferred(in: group).flatMap { $0.isSignedIn ? $0 : nil }
            let current = try preferred ?? Self.current(of: search.candidates(&state, group).candidates)
            let kept = try database.setting(Self.currentAccountSetting, in: group.keys)?.value
            var memory = kept.flatMap(CurrentAccountMemory.init(text:)) ?? CurrentAccountMemory()
            let known = memory
            if known.now?.id != current?.account.id || kept == nil {
                let before = known.now
                // At the first call nobody knows of a change.
                let change = kept == nil ? nil : try self.change(&state, from: before?.id, to: current, in: group, now)
                memory = CurrentAccountMemory(
                    now: current.map {
                        Keyring.CurrentAccount.Formerly(id: $0.account.id, username: $0.account.username)
                    },
                    before: before, change: change)
                if !database.isReadOnly {
                    let text = memory.text
                    try self.change(&state, group) { writer in
                        // Whoever came first has seen it.
                        guard try writer.setting(Self.currentAccountSetting) == kept else { return }
                        try writer.setSetting(Self.currentAccountSetting, to: text, isThisDeviceOnly: true)
                    }
                }
            }
            return Keyring.CurrentAccount(
                group: group.name, now: current, before: memory.before, change: memory.change,
                isNews: known.now?.id != current?.account.id && kept != nil)
        }
    }

    /// The account that is signed in alone, or the default of several.
    private static func current(of candidates: [Candidate]) throws(KeyringError) -> Candidate? {
        let signedIn = candidates.filter(\.isSignedIn)
        if signedIn.count < 2 { return signedIn.first }
        if let preferred = signedIn.first(where: \.isDefault) { return preferred }
        throw KeyringError(
            several: signedIn.sorted { $0.account.id < $1.account.id }, among: candidates,
            "there is no single current account:"
        ) { name, _ in .makeDefault(such: name) }
    }

    /// By what another account became current.
    private func change(
        _ state: inout State, from before: AccountID?, to current: Candidate?, in group: UnlockedVault.Group,
        _ now: Timestamp
    ) throws -> Keyring.CurrentAccount.Change {
        let device = try database.device()
        func change(_ what: Keyring.CurrentAccount.What, _ record: StoredRecord?, by writer: DecisionWriter? = nil)
            -> Keyring.CurrentAccount.Change
        {
            Keyring.CurrentAccount.Change(
                what: what, writer: writer, isElsewhere: record.map { $0.header.device != device } ?? false, seenOn: now
            )
        }
        if let before {
            let tokens = try database.credentials(.refreshToken, of: before, in: group.keys).items
            if try database.account(before, in: group.keys) == nil { return change(.removal, nil) }
            if let ended = tokens.first(where: { $0.value.grant?.state == .signedOut }),
                !tokens.contains(where: { ($0.value.grant ?? Grant()).state == .active })
            {
                return change(.signOut, ended.record)
            }
            if current?.isDefault == true {
                let writer = try database.setting(Self.defaultAccount, in: group.keys)?.writer
                return change(.choice, nil, by: writer)
            }
        }
        guard let current else { return change(.signOut, nil) }
        let newest = try database.credentials(.refreshToken, of: current.account.id, in: group.keys).items.max {
            $0.record.header.stamp < $1.record.header.stamp
        }
        return change(.signIn, newest?.record)
    }

    /// What is remembered, where an account that it names has another id; nil where it names none.
    static func currentAccount(_ text: String, calling former: AccountID, by id: AccountID) -> String? {
        guard var memory = CurrentAccountMemory(text: text), memory.now?.id == former || memory.before?.id == former
        else { return nil }
        func renamed(_ known: Keyring.CurrentAccount.Formerly?) -> Keyring.CurrentAccount.Formerly? {
            known.map { $0.id == former ? Keyring.CurrentAccount.Formerly(id: id, username: $0.username) : $0 }
        }
        (memory.now, memory.before) = (renamed(memory.now), renamed(memory.before))
        return memory.text
    }

    /// Under which name it is remembered who was current; it decides nothing.
    static let currentAccountSetting = "current account"
}

extension Candidate {
    /// Whether it can be the current account.
    fileprivate var isSignedIn: Bool {
        switch state {
        case .signedIn, .tokensOnly, .needsSignIn: true
        case .signedOut, .noCredentials: false
        }
    }
}

/// What is remembered of the current account of a group: a line for each part, percent-encoded.
private struct CurrentAccountMemory {
    typealias Formerly = Keyring.CurrentAccount.Formerly
    typealias Change = Keyring.CurrentAccount.Change

    var now: Formerly?
    var before: Formerly?
    var change: Change?

    init(now: Formerly? = nil, before: Formerly? = nil, change: Change? = nil) {
        (self.now, self.before, self.change) = (now, before, change)
    }

    var text: String {
        var parts = [now, before].flatMap { [$0?.id.description ?? "", $0?.username ?? ""] }
        if let change {
            parts += [
                change.what.rawValue, change.writer?.rawValue ?? "", change.isElsewhere ? "elsewhere" : "",
                "\(change.seenOn.seconds)",
            ]
        }
        return parts.map { PercentEncoding.encode($0) }.joined(separator: " ")
    }

    /// What `text` says; nil where it makes no sense.
    init?(text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).compactMap { part in
            PercentEncoding.decode(part.utf8).map { String(decoding: $0, as: UTF8.self) }
        }
        guard parts.count == 4 || parts.count == 8 else { return nil }
        func formerly(_ index: Int) -> Formerly? {
            AccountID(parts[index]).map { Formerly(id: $0, username: parts[index + 1]) }
        }
        (now, before) = (formerly(0), formerly(2))
        guard parts.count == 8 else { return }
        guard let what = Keyring.CurrentAccount.What(rawValue: parts[4]), let seconds = Int64(parts[7]) else {
            return nil
        }
        change = Change(
            what: what, writer: DecisionWriter(rawValue: parts[5]), isElsewhere: parts[6] == "elsewhere",
            seenOn: Timestamp(seconds: seconds))
    }
}
