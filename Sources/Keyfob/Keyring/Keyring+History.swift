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

    /// For how long a further choice of the same account in the same context says nothing new, in seconds: a person's
    /// may soon be repeated by intent, a program's is repeated with every request.
    private static func repetition(_ origin: ChoiceOrigin) -> Int64 { origin == .person ? 60 : 3_600 }
    /// How soon a person corrects a choice that was wrong, in seconds.
    private static let correction: Int64 = 600

    /// Remembers that `account` was chosen for `request`, so that the selection learns from it.
    ///
    /// To be called when the token is on its way already. Whatever goes wrong is a warning (``takeWarnings()``) and
    /// nothing else. What was remembered within the last minute is not repeated, nor what no person said within the
    /// last hour.
    public func remember(
        _ account: AccountID, in group: AccessGroup, for request: TokenRequest, by origin: ChoiceOrigin
    ) {
        let now = clock.now
        state.withLock { state in
            guard !database.isReadOnly, let group = try? state.group(group) else { return }
            let keys = group.keys
            let context = UsageContext(request.context) { UsageTag(rawValue: keys.usageTag($0)) }
            var record = UsageRecord(
                time: now.seconds, account: keys.usageTag(["account", account.canonical]),
                place: context.place?.rawValue ?? 0, owner: context.owner?.rawValue ?? 0,
                host: context.host?.rawValue ?? 0, tool: context.tool?.rawValue ?? 0)
            record.isUnconfirmed = origin == .selection
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
    }

    /// What was chosen before in the groups, for a request made in `context`; and the candidates under the names that
    /// it has for them.
    ///
    /// Each group has tags of its own. An account that is in several groups is one: it has the tag of the first group.
    /// What counts of a context is only whether an event shares it with the request, so that is what is kept of them.
    func history(
        _ state: inout State, _ candidates: inout [Candidate], _ context: RequestContext,
        _ groups: [UnlockedVault.Group]
    ) -> UsageHistory {
        let own = UsageContext(
            place: UsageTag(rawValue: 1), owner: UsageTag(rawValue: 2), host: UsageTag(rawValue: 3),
            tool: UsageTag(rawValue: 4))
        let now = clock.now
        var events: [UsageEvent] = []
        var isNamed = false
        for group in groups {
            let (records, problem) = usage.events(group.keys)
            state.warn(of: problem)
            guard !records.isEmpty else { continue }
            if !isNamed, let first = groups.first {
                for index in candidates.indices { candidates[index].tag = first.keys.tag(of: candidates[index]) }
                isNamed = true
            }
            var tags: [UInt64: UsageTag] = [:]
            for candidate in candidates where candidate.group == group.name {
                tags[group.keys.tag(of: candidate).rawValue] = candidate.tag
            }
            let wanted = UsageContext(context) { UsageTag(rawValue: group.keys.usageTag($0)) }
            events.reserveCapacity(events.count + records.count)
            for (index, record) in records.enumerated() {
                guard let account = tags[record.account], !record.isAhead(of: now),
                    !records.isCorrected(index, within: Self.correction)
                else { continue }
                events.append(
                    UsageEvent(
                        time: Timestamp(seconds: record.time), account: account,
                        context: UsageContext(
                            place: record.place == wanted.place?.rawValue ? own.place : nil,
                            owner: record.owner == wanted.owner?.rawValue ? own.owner : nil,
                            host: record.host == wanted.host?.rawValue ? own.host : nil,
                            tool: record.tool == wanted.tool?.rawValue ? own.tool : nil)))
            }
        }
        return UsageHistory(events, context: own)
    }
}

extension GroupKeys {
    /// What the group's history calls an account.
    fileprivate func tag(of candidate: Candidate) -> UsageTag {
        UsageTag(rawValue: usageTag(["account", candidate.account.id.canonical]))
    }
}

extension UsageRecord {
    /// How far clocks may differ, in seconds.
    private static let tolerance: Int64 = 300

    /// Whether it was noted while the clock was ahead: what is to come has not been chosen yet.
    fileprivate func isAhead(of now: Timestamp) -> Bool {
        time > now.seconds && time &- now.seconds > Self.tolerance
    }

    /// Whether both happened in the same context.
    fileprivate func isAlike(_ other: UsageRecord) -> Bool { tool == other.tool && isAtSamePlace(as: other) }

    /// Whether both happened at the same place, whatever program was the caller.
    fileprivate func isAtSamePlace(as other: UsageRecord) -> Bool {
        place == other.place && owner == other.owner && host == other.host
    }

    /// Whether a person said this after an unconfirmed choice of another account: at the same place, for whoever
    /// corrects a program does so from the shell; where there is no place, for the same program.
    fileprivate func answers(_ other: UsageRecord) -> Bool {
        !isUnconfirmed && (place == 0 ? isAlike(other) : isAtSamePlace(as: other))
    }
}

extension [UsageRecord] {
    /// Whether a person said soon after an unconfirmed choice that it was wrong.
    fileprivate func isCorrected(_ index: Int, within seconds: Int64) -> Bool {
        let record = self[index]
        guard record.isUnconfirmed else { return false }
        for later in self[(index + 1)...] {
            guard later.time - record.time <= seconds else { return false }
            if later.answers(record) { return later.account != record.account }
        }
        return false
    }
}

extension Keyring.State {
    /// Says once why the history is not what it could be; that it was in use for a moment is not worth saying.
    fileprivate mutating func warn(of problem: UsageProblem?) {
        guard let problem, problem != .busy else { return }
        warn(problem.description)
    }
}
