internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobVault
internal import Synchronization

extension Keyring {
    /// How a choice came about that is to be remembered.
    public enum ChoiceOrigin: Hashable, Sendable {
        /// A person said so: named the account, or picked it.
        case person
        /// The selection took it from what was learned; it counts unless a person soon says otherwise.
        case selection
    }
}

extension Keyring.Accounts {
    /// For how long a further choice of the same account in the same context says nothing new, in seconds: a person's
    /// may soon be repeated by intent, a program's is repeated with every request.
    private static func repetition(_ origin: Keyring.ChoiceOrigin) -> Int64 { origin == .person ? 60 : 3_600 }
    /// Remembers that `account` was chosen for `request`, so that the selection learns from it.
    ///
    /// To be called when the token is on its way already. Whatever goes wrong is a warning (``Keyring/takeWarnings()``) and
    /// nothing else. What was remembered within the last minute is not repeated, nor what no person said within the
    /// last hour.
    public func remember(
        _ account: AccountID, in group: AccessGroup, for request: TokenRequest, by origin: Keyring.ChoiceOrigin
    ) {
        let now = clock.now
        keyring.state.withLock { state in
            guard !database.isReadOnly, let group = try? state.group(group) else { return }
            let keys = group.keys
            let context = UsageContext(request.context) { UsageTag(rawValue: keys.usageTag($0)) }
            let record = UsageRecord(
                time: now.seconds, account: keys.blind(account).value, place: context.place?.rawValue ?? 0,
                owner: context.owner?.rawValue ?? 0, host: context.host?.rawValue ?? 0,
                tool: context.tool?.rawValue ?? 0, isUnconfirmed: origin == .selection)
            let (records, problem) = usage.events(keys)
            state.warn(of: problem)
            let latest = records.last { $0.isAlike(record) && !$0.isAhead(of: now) }
            if let latest, latest.account == record.account, now.seconds &- latest.time < Self.repetition(origin),
                !latest.isUnconfirmed || record.isUnconfirmed
            {
                return
            }
            state.warn(of: usage.append(record, keys))
        }
    }

    /// How many choices are remembered in the groups.
    public func rememberedChoices(in groups: [AccessGroup]? = nil) throws(KeyringError) -> Int {
        try withState { state in
            var count = 0
            for group in try state.groups(groups) {
                let (found, problem) = usage.count(group.keys)
                state.warn(of: problem)
                count += found
            }
            return count
        }
    }

    /// Forgets the choices of the groups.
    ///
    /// - Throws: `groupNotGranted`, `noSuchGroup`, `inputOutput` where the history cannot be changed.
    public func forgetChoices(in groups: [AccessGroup]? = nil) throws(KeyringError) {
        try withState { state in
            for group in try state.groups(groups) {
                if let problem = usage.clear(group.keys) { throw KeyringError(.inputOutput, problem.description) }
            }
        }
        keyring.undo.noteOutside(.historyCleared, as: "history clear")
    }
}
