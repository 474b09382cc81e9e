internal import KeyfobSQLite
package import KeyfobModel
internal import KeyfobSelection
package import KeyfobVault

extension TokenSearch {
    /// How soon a person corrects a choice that was wrong, in seconds.
    private static let correction: Int64 = 600

    /// What was chosen before in the groups, for a request made in `context`; and the candidates under the names that
    /// it has for them.
    ///
    /// Each group has tags of its own. An account that is in several groups is one: it has the tag of the first group.
    /// What counts of a context is only whether an event shares it with the request, so that is what is kept of them.
    func history(
        _ state: inout LookupState, _ past: PastEvents, _ candidates: inout [Candidate], _ context: RequestContext,
        _ groups: [UnlockedVault.Group], _ now: Timestamp
    ) -> UsageHistory {
        let own = UsageContext(
            place: UsageTag(rawValue: 1), owner: UsageTag(rawValue: 2), host: UsageTag(rawValue: 3),
            tool: UsageTag(rawValue: 4))
        var events: [UsageEvent] = []
        var isNamed = false
        for group in groups {
            let (records, problem) = past.events(group.keys)
            state.warn(of: problem)
            guard !records.isEmpty else { continue }
            if !isNamed, let first = groups.first {
                for index in candidates.indices { candidates[index].tag = first.keys.tag(of: candidates[index]) }
                isNamed = true
            }
            var tags: [BlindValue: UsageTag] = [:]
            // What was chosen under an id that an account had is what it was chosen for.
            for candidate in candidates where candidate.group == group.name {
                for id in candidate.account.formerIDs {
                    let value = group.keys.blind(id).value
                    // Those that are gone come last.
                    if !candidate.isRemoved || tags[value] == nil { tags[value] = candidate.tag }
                }
            }
            for candidate in candidates where candidate.group == group.name {
                tags[group.keys.blind(candidate.account.id).value] = candidate.tag
            }
            let wanted = UsageContext(context) { UsageTag(rawValue: group.keys.usageTag($0)) }
            events.reserveCapacity(events.count + records.count)
            for (index, record) in records.enumerated() {
                guard let account = tags[record.account], !record.isAhead(of: now),
                    !records.isCorrected(index, within: TokenSearch.correction)
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
    /// What an account is called in a choice: the beginning of what the group's history calls it.
    fileprivate func tag(of candidate: Candidate) -> UsageTag {
        UsageTag(rawValue: blind(candidate.account.id).value.halves.0)
    }
}

extension UsageRecord {
    /// How far clocks may differ, in seconds.
    private static let tolerance: Int64 = 300

    /// Whether it was noted while the clock was ahead: what is to come has not been chosen yet.
    package func isAhead(of now: Timestamp) -> Bool {
        time > now.seconds && time &- now.seconds > Self.tolerance
    }

    /// Whether both happened in the same context.
    package func isAlike(_ other: UsageRecord) -> Bool { tool == other.tool && isAtSamePlace(as: other) }

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
