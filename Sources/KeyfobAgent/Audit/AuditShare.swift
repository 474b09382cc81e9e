internal import Keyfob

/// How much of the log a program fills: one that asks without end does not push out what others did.
///
/// Programs that nobody has allowed anything have one share together, however many they are.
struct AuditShare {
    private enum Owner: Hashable {
        case program(Program)
        case strangers
    }

    /// What is answered alike, about the same account.
    private struct Key: Hashable {
        let program: Program
        let kind: AuditEntry.Kind
        let answer: String
        let account: AccountID?
    }

    private struct State {
        /// How many more lines it has.
        var left: Int64
        /// Since when there is one more for each pause.
        var since: Timestamp
        /// What has no line yet: the last of each kind, and how many there are.
        var pending: [Key: (draft: AuditDraft, count: Int)] = [:]
        /// The kind that came last.
        var last: Key?
    }

    /// How many lines in a row an owner has.
    static let row: Int64 = 100
    /// After so many seconds there is one more.
    static let pause: Int64 = 30
    /// More kinds are counted as the last one.
    private static let kinds = 100
    /// More programs than anybody has allowed something.
    private static let capacity = 1_000

    private var states: [Owner: State] = [:]

    /// Takes note of an answer.
    ///
    /// - Returns: What is to be written down now: it, with those before it that had no line; nothing where it is only counted.
    mutating func take(_ draft: AuditDraft, now: Timestamp) -> [AuditDraft] {
        let owner = Self.owner(of: draft)
        var written: [AuditDraft] = []
        if states[owner] == nil, states.count >= Self.capacity,
            let oldest = states.min(by: { $0.value.since < $1.value.since })
        {
            states[oldest.key] = nil
            written += Self.summaries(oldest.value)
        }
        var state = states[owner] ?? State(left: Self.row, since: now)
        let passed = now.seconds - state.since.seconds
        // A clock that was set back begins anew.
        if passed < 0 { state.since = now }
        if passed >= Self.pause {
            state.left = min(Self.row, state.left + passed / Self.pause)
            state.since = now
        }
        var key = Self.key(of: draft)
        if state.left > 0 {
            var draft = draft
            draft.repeats += state.pending.removeValue(forKey: key)?.count ?? 0
            state.left -= 1
            written.append(draft)
        } else {
            if state.pending[key] == nil, state.pending.count >= Self.kinds, let last = state.last { key = last }
            state.pending[key] = (draft, (state.pending[key]?.count ?? 0) + 1 + draft.repeats)
            state.last = key
        }
        states[owner] = state
        return written
    }

    /// Gives a line back that could not be written: nothing goes out that is not written down.
    mutating func giveBack(_ draft: AuditDraft) {
        let owner = Self.owner(of: draft)
        states[owner]?.left += 1
        if draft.repeats > 0 { states[owner]?.pending[Self.key(of: draft)] = (draft, draft.repeats) }
    }

    /// What has no line yet; from then on it has.
    mutating func takePending() -> [AuditDraft] {
        var written: [AuditDraft] = []
        for (owner, state) in states {
            written += Self.summaries(state)
            states[owner]?.pending = [:]
        }
        return written
    }

    private static func owner(of draft: AuditDraft) -> Owner {
        draft.isOfStranger ? .strangers : .program(draft.caller.program)
    }

    private static func key(of draft: AuditDraft) -> Key {
        Key(program: draft.caller.program, kind: draft.kind, answer: draft.answer, account: draft.account)
    }

    private static func summaries(_ state: State) -> [AuditDraft] {
        state.pending.values.map { draft, count in
            var draft = draft
            draft.repeats = count - 1
            return draft
        }
    }
}
