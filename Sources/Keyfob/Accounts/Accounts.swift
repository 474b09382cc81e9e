internal import Glibc
internal import KeyfobDesktop
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// Accounts: which there are, what they are called, and which of them a request gets.
    ///
    /// ## Topics
    /// ### Finding
    /// - ``list(in:)``
    /// - ``named(_:in:)``
    /// - ``current(in:)``
    /// - ``credentials(of:in:)``
    /// - ``former(in:)``
    /// - ``meanings(of:in:)``
    /// ### Choosing
    /// - ``select(_:in:)``
    /// - ``setDefault(_:in:)``
    /// - ``remember(_:in:for:by:)``
    /// ### Changing
    /// - ``setLabel(_:of:in:)``
    /// - ``move(_:from:to:)``
    /// - ``remove(_:from:unbinds:)``
    /// - ``remove(_:from:unbinds:undo:)``
    /// - ``signOut(_:clientID:reach:from:endsBrowserSession:undo:network:)``
    /// - ``lastCopies(of:clientID:reach:in:)``
    public struct Accounts: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring.Accounts {
    /// The accounts of the groups, with how their sign-in stands.
    ///
    /// The access tokens of an account that has a grant are not looked at: its clients are those of its grants.
    ///
    /// - Parameter groups: The groups to look through; nil for all within reach.
    /// - Throws: `groupNotGranted`, `noSuchGroup`, `damaged` when accounts are missing. A record that
    ///   does not open is passed over and told by ``Keyring/takeWarnings()``.
    public func list(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [Candidate] {
        try withState { state in
            try database.withSnapshot {
                var candidates: [Candidate] = []
                for group in try state.groups(groups) { candidates += try search.candidates(&state, group).candidates }
                try tellTokensMadeByHand(&candidates)
                return candidates
            }
        }
    }

    private func tellTokensMadeByHand(_ candidates: inout [Candidate]) throws {
        guard let storage = database as? SecretServiceStorage else { return }
        let tokens = try storage.tokensMadeByHand().tokens
        guard !tokens.isEmpty else { return }
        for (index, candidate) in candidates.enumerated() {
            candidates[index].hasTokenMadeByHand = tokens.contains {
                $0.account == candidate.account.id && $0.group == candidate.group
            }
        }
    }

    /// The one account that answers to a name, whatever the state of its sign-in.
    ///
    /// Costs the same however many accounts there are, unless the name is the beginning of one.
    ///
    /// - Throws: `noSuchAccount`, `ambiguous` with the accounts that answer, and as ``list(in:)``.
    public func named(_ text: String, in groups: [AccessGroup]? = nil) throws(KeyringError) -> Candidate {
        try named(text, in: groups, suggestsNear: true)
    }

    /// The same.
    ///
    /// - Parameter suggestsNear: Whether the error for a name that nobody has tells names that are near it. No removal does:
    ///   somebody could type it again with a name that was not meant.
    package func named(
        _ text: String, in groups: [AccessGroup]?, suggestsNear: Bool
    ) throws(KeyringError) -> Candidate {
        var matching: [Candidate]? = try withState { state in
            try database.withSnapshot { try search.candidates(named: text, state.groups(groups)) }
        }
        if matching == nil {
            let found = AccountSelector().candidates(named: text, among: try list(in: groups))
            if let gone = try former(named: text, in: groups, besides: found) { throw keyring.undo.advising(gone) }
            matching = found
        }
        guard let matching, let first = matching.first else {
            let known = suggestsNear ? try list(in: groups) : []
            throw KeyringError.noSuchAccount(text, among: known.lazy.map(\.account))
        }
        guard matching.count == 1 else {
            let sorted = matching.sorted { $0.account.id < $1.account.id }
            // What is advised must mean one of all, and not only of these.
            let known = try list(in: groups)
            throw KeyringError(several: sorted, among: known, "'\(text)' names") {
                .useAccountID(such: $0, group: $1)
            }
        }
        return first
    }

    /// The accounts that answer to a name: the one that ``named(_:in:)`` finds, or those among which it does not choose.
    ///
    /// - Throws: `noSuchAccount`, and as ``list(in:)``.
    public func answering(to text: String, in groups: [AccessGroup]? = nil) throws(KeyringError) -> [Candidate] {
        let all = try list(in: groups)
        do throws(KeyringError) {
            let found = try named(text, in: groups)
            return all.filter { $0.account.id == found.account.id && $0.group == found.group }
        } catch  where error.code == .ambiguous {
            return AccountSelector().candidates(named: text, among: all)
        }
    }

    /// What it means that a name is that of an account which was there, and of no other; a part of a name does not matter then,
    /// nor does a name that one of those `found` had where it is that of an account which is gone.
    private func former(
        named text: String, in groups: [AccessGroup]?, besides found: [Candidate]
    ) throws(KeyringError) -> KeyringError? {
        let (folded, id) = (Identifier.foldedName(text), AccountID(text))
        let isAnothers = found.contains { $0.account.wasCalled(folded, id) }
        return try withState { state in
            let groups = try state.groups(groups)
            for (former, name) in try search.decisions(&state, groups).former
            where former.account.names.contains(folded) || !isAnothers && former.account.wasCalled(folded, id) {
                guard let keys = groups.first(where: { $0.name == name })?.keys,
                    try database.account(former.account.id, in: keys) == nil,
                    try groups.allSatisfy({ try database.accounts(named: text, in: $0.keys).isEmpty })
                else { continue }
                let id = former.account.id.description
                return KeyringError(
                    .noSuchAccount, "\(id) is not in group '\(name)' any more", advice: .forgetAccount(id, name),
                    candidates: [id], names: [])
            }
            return nil
        }
    }

    /// How an account is told from all others of its name.
    ///
    /// Costs the same however many accounts there are, where it has its name to itself.
    public func naming(for account: Account) -> AccountNaming {
        let alike: [Candidate]? = try? withState { state in
            try database.withSnapshot { try search.candidates(named: account.name, state.groups(nil)) }
        }
        if let alike, alike.allSatisfy({ $0.account.id == account.id }) { return AccountNaming(among: alike) }
        return AccountNaming(among: (try? list()) ?? alike ?? [])
    }

    /// What people are shown of an account, by which it is told from all others.
    ///
    /// Costs as ``naming(for:)``.
    public func shownName(of account: Account) -> String { naming(for: account).brief(account) }

    /// The tokens of an account in a group, without the tokens.
    ///
    /// - Throws: as ``list(in:)``.
    public func credentials(of account: AccountID, in group: AccessGroup) throws(KeyringError) -> [Credential] {
        try withState { state in
            let keys = try state.group(group).keys
            var credentials: [Credential] = []
            for kind in Credential.Kind.allCases {
                let found = try database.credentials(kind, of: account, in: keys)
                state.warn(ofDamage: found.damaged, in: group)
                credentials += found.items.map(\.value)
            }
            return credentials
        }
    }

    /// The clients that an account has something of in a group, also such as another program's cache alone can read.
    ///
    /// - Throws: as ``list(in:)``.
    package func clients(of account: AccountID, in group: AccessGroup) throws(KeyringError) -> Set<String> {
        let own = try credentials(of: account, in: group).map(\.clientID)
        return try withState { state in
            try database.foreignClients(of: account, in: try state.group(group).keys).union(own)
        }
    }

    /// What tells each access token of an account from one that is stored in its place later, in the same second too.
    ///
    /// - Throws: as ``list(in:)``.
    package func accessTokenStamps(
        of account: AccountID, in group: AccessGroup
    ) throws(KeyringError) -> [(clientID: String, stamp: UInt64)] {
        try withState { state in
            let found = try database.credentials(.accessToken, of: account, in: state.group(group).keys)
            state.warn(ofDamage: found.damaged, in: group)
            return found.items.map { ($0.value.clientID, $0.record.header.stamp.value) }
        }
    }

    /// Gives an account a label, or takes it away.
    ///
    /// - Throws: `alreadyExists` when another account of the group has the label, or is called so, `usage` for a label
    ///   that is blank, starts or ends with a space, or holds control characters, `noSuchAccount`, and what writing can throw.
    public func setLabel(_ label: String?, of account: AccountID, in group: AccessGroup) throws(KeyringError) {
        if let label { try NewName.label.require(label) }
        try withState { state in
            let group = try state.group(group)
            // Whoever names it would have to say each time which of the two is meant.
            if let label,
                let other = try database.accounts(named: label, in: group.keys).first(where: { $0.id != account }),
                other.label.map(Identifier.foldedName) != Identifier.foldedName(label)
            {
                throw KeyringError(
                    .alreadyExists,
                    "'\(label)' is the name of another account of group '\(group.name)', and would name both",
                    advice: .chooseLabel, candidates: [other.id.description], names: [])
            }
            try change(&state, group, as: "account label") { writer in
                if let label, try writer.accounts(label: label).contains(where: { $0.id != account }) {
                    throw KeyringError(
                        .alreadyExists, "another account of group '\(group.name)' has that label", advice: .listAccounts
                    )
                }
                try writer.update(account) { $0.label = label }
            }
        }
    }

    /// Moves an account with its tokens into another group, sealed under that group's key.
    ///
    /// It waits some seconds for a refresh of the account that is under way: the new token would find nothing to
    /// replace.
    ///
    /// - Returns: How many records moved.
    /// - Throws: `noSuchAccount`, `alreadyExists`, `groupNotGranted`, `noSuchGroup`, `busy`, and what
    ///   writing can throw.
    public func move(
        _ account: AccountID, from source: AccessGroup, to target: AccessGroup
    ) throws(KeyringError) -> Int {
        let count = try move(account, from: source, to: target, patience: .seconds(5))
        try? keyring.caches.warnOfSharing(account, movedTo: target)
        try? warnOfProvider(account, in: target)
        return count
    }

    /// Warns where nothing renews the tokens of an account in a group: a provider counts in its own group alone.
    private func warnOfProvider(_ account: AccountID, in group: AccessGroup) throws(KeyringError) {
        let holdsGrant = try credentials(of: account, in: group).contains { $0.kind == .refreshToken }
        guard holdsGrant,
            try !keyring.providers.list(in: [group]).contains(where: { $0.environment == account.environment })
        else {
            return
        }
        warn(
            .noProvider, "nothing in group '\(group)' describes \(account.environment), so no token is renewed there",
            advice: .addProvider(group))
    }

    /// The same, waiting so long for a refresh that is under way.
    ///
    /// - Parameter undo: What it is noted as where it undoes another run.
    package func move(
        _ account: AccountID, from source: AccessGroup, to target: AccessGroup, patience: Duration,
        as undo: JournalEntry? = nil
    ) throws(KeyringError) -> Int {
        let entry = undo ?? keyring.entry("account move")
        try withState { state in
            guard try state.group(source).name != state.group(target).name else {
                throw KeyringError(.usage, "the account is in group '\(target)' already")
            }
        }
        let keys = try grantKeys(of: account, in: source)
        let locks = try GrantLocks(keys, of: keyring, patience: patience)
        defer { withExtendedLifetime(locks) {} }
        return try withState { state in
            let (from, to) = (try state.group(source), try state.group(target))
            let name = try database.account(account, in: from.keys)?.name ?? account.description
            return try change(&state, [from, to]) { writers in
                let (source, target) = (writers[0], writers[1])
                // One that came meanwhile may be in use.
                guard try source.grantKeys(of: account).isSubset(of: keys) else { throw GrantLocks.busy }
                let count: Int
                do {
                    count = try target.move(account, from: source)
                } catch StoreError.alreadyThere {
                    throw KeyringError(
                        .alreadyExists, "the account is in group '\(to.name)' as well",
                        advice: .removeFromOneGroup(name))
                }
                // Nor are the tokens kept in the group that they leave now.
                try target.note(.accountMoved(account, from: from.keys.group), of: entry)
                source.note(as: ChangeNote(entry))
                try source.forgetPermissions(for: account)
                try target.takeBindings(of: account, from: source)
                return count
            }
        }
    }

    /// The refresh tokens that an account has in a group.
    private func grantKeys(of account: AccountID, in group: AccessGroup) throws(KeyringError) -> Set<GrantKey> {
        try withState { state in
            let tokens = try database.credentials(.refreshToken, of: account, in: state.group(group).keys)
            return Set(tokens.items.map { GrantKey($0.value) })
        }
    }

    /// The group that something is taken from, and after it all others within reach that keep something for an undo, where nothing
    /// of it is to be left anywhere.
    ///
    /// One that cannot be read is passed over and told: that it is damaged keeps nobody signed in here.
    func reached(
        everywhere: Bool, from group: UnlockedVault.Group, _ state: inout State
    ) throws -> [UnlockedVault.Group] {
        guard everywhere else { return [group] }
        var reached = [group]
        for other in try state.groups(nil) where other.keys.group != group.keys.group {
            do {
                try search.checkState(&state, other)
                if try !database.journal(in: other.keys).items.isEmpty { reached.append(other) }
            } catch {
                state.warn(ofDamage: ["what is kept for an undo"], in: other.name)
            }
        }
        return reached
    }

    /// Removes an account with its tokens, and what programs may have of it.
    ///
    /// It waits some seconds for a refresh of the account that is under way. ``Keyring/undo`` brings them back. The provider is not told. Where something means the account still, a binding, a project file, the default of its group
    /// or a name that it had, nobody else is taken in its place.
    ///
    /// - Parameter unbinds: Whether that ends as well; it can be ended of an account that is gone already.
    /// - Returns: How many records went.
    /// - Throws: `noSuchAccount`, and what writing can throw.
    public func remove(
        _ account: AccountID, from group: AccessGroup, unbinds: Bool = false
    ) throws(KeyringError) -> Int {
        let undo = UndoPolicy.keep(keyring.undo.command("removal"))
        return try remove(account, from: group, unbinds: unbinds, undo: undo).records
    }

    /// The same, with a choice of what is kept for ``Keyring/undo``.
    ///
    /// - Throws: as ``remove(_:from:unbinds:)``; `limitExceeded` where a record is too large to be kept.
    public func remove(
        _ account: AccountID, from group: AccessGroup, unbinds: Bool = false, undo policy: UndoPolicy
    ) throws(KeyringError) -> RemovalReport {
        let keys = try grantKeys(of: account, in: group)
        // The token that a refresh under way gets would find nothing to replace, and the one that is kept would be worth nothing.
        let locks = try GrantLocks(keys, of: keyring, patience: .seconds(5))
        defer { withExtendedLifetime(locks) {} }
        let run = keyring.entry("account remove")
        return try withState { state in
            let group = try state.group(group)
            let groups = try reached(everywhere: policy == .erase, from: group, &state)
            let known = try database.account(account, in: group.keys)
            // Of what meant an account that is gone already, all that an undo needs is kept.
            let isKept = if case .keep = policy { true } else { false }
            let lasting =
                known == nil && isKept ? nil : LastingChange(.accountRemoved, known?.name ?? account.description)
            return try change(&state, groups) { writers in
                let writer = writers[0]
                guard try writer.grantKeys(of: account).isSubset(of: keys) else { throw GrantLocks.busy }
                var count = 0
                let offer = try writer.keeping(policy, of: account, run: run, noting: lasting) { writer in
                    count = try writer.remove(account)
                    try writer.forgetPermissions(for: account)
                    var isMeant = false
                    if unbinds {
                        let former = try writer.formerAccounts().first { $0.account.id == account }?.account
                        let ids = try [account] + (former?.formerIDs ?? []).filter { try writer.account($0) == nil }
                        isMeant = try !writer.forgetSettings { setting in
                            setting.account.map { ids.contains($0) } ?? false
                        }.isEmpty
                        isMeant = try writer.forgetFormerAccount(account) || isMeant
                    }
                    guard count > 0 || isMeant else { throw StoreError.notFound }
                }
                for other in writers.dropFirst() {
                    try other.eraseFromJournal(EndedTokens(of: account, isWhole: true))
                }
                return RemovalReport(records: count, undo: offer)
            }
        }
    }

    /// What means an account in the groups, whether it is there or not: bindings, project files, and that it is the default.
    ///
    /// - Throws: as ``list(in:)``.
    public func meanings(
        of account: AccountID, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> [GroupDecision] {
        try withState { state in
            try state.groups(groups).flatMap { group in
                let found = try database.settings(prefixes: [""], in: group.keys)
                state.warn(ofDamage: found.damaged, in: group.name)
                return found.items.map(\.value)
                    .filter { $0.account == account && ProgramSetting.permission($0, in: group.name) == nil }
                    .map { GroupDecision($0, in: group.name) }.sorted { $0.name < $1.name }
            }
        }
    }

    /// The accounts that groups had and have no more, by their ids.
    ///
    /// - Throws: as ``list(in:)``.
    public func former(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [(account: Account, group: AccessGroup)]
    {
        try withState { state in
            let groups = try state.groups(groups)
            return try search.decisions(&state, groups).former.filter { former, name in
                guard let keys = groups.first(where: { $0.name == name })?.keys else { return false }
                return try database.account(former.account.id, in: keys) == nil
            }.map { ($0.account.account, $0.group) }
        }
    }

    /// Makes an account the default of its group, or lets the group have none.
    ///
    /// - Returns: The account that was the default before; nil where there was none, or it was this one.
    /// - Throws: what writing can throw.
    @discardableResult
    public func setDefault(_ account: AccountID?, in group: AccessGroup) throws(KeyringError) -> AccountID? {
        try withState { state in
            let group = try state.group(group)
            let former = try database.settings(prefixes: [Self.defaultAccount], in: group.keys).items
                .first { $0.value.name == Self.defaultAccount }?.value.account
            try change(&state, group, as: "account default") {
                try $0.setSetting(Self.defaultAccount, to: account?.canonical)
            }
            return former == account ? nil : former
        }
    }

    static let defaultAccount = TokenSearch.defaultAccount
}

extension GroupWriter {
    /// Forgets what programs may have of an account that goes.
    func forgetPermissions(for account: AccountID) throws {
        try forgetSettings { ProgramSetting.permission($0, in: .default)?.account == account }
    }

    /// Takes over, from the group that an account has left, what the owner has bound to it and which project files count for
    /// it, but for what is bound here already.
    ///
    /// That it is the default is about the group alone.
    func takeBindings(of account: AccountID, from source: GroupWriter) throws {
        let decided = try source.forgetSettings {
            $0.account == account && $0.name != Keyring.Accounts.defaultAccount && $0.writer != .group
        }
        for decision in decided where try setting(decision.name) == nil {
            try setSetting(decision.name, to: decision.value)
        }
    }
}

extension Setting {
    /// The account that it decides for, as a binding, an allowance, a program's permission or the default; nil where it is none
    /// of these.
    var account: AccountID? {
        if let permission = ProgramSetting.permission(self, in: .default) { return permission.account }
        let target: Binding.Target? =
            if name == Keyring.Accounts.defaultAccount {
                Binding.Target(text: value)
            } else if let allowance = AllowanceSetting(self) {
                allowance.bound.target
            } else {
                BindingSetting.binding(self, in: .default)?.target
            }
        return target?.account
    }
}
