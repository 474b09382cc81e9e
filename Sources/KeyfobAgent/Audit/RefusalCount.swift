internal import Keyfob

/// Which refusals are written down one by one, and which are counted: a program that asks again and again is not to push what
/// others did out of the log.
struct RefusalCount {
    /// What is refused alike.
    private struct Key: Hashable {
        let program: Program
        let kind: AuditEntry.Kind
        let answer: String
    }

    private struct State {
        /// How many more get a line of their own.
        var left: Int64
        /// Since when one more of these is there for each pause.
        var since: Timestamp
        /// The last one without a line, and how many there are.
        var pending: (draft: AuditDraft, count: Int)?
    }

    /// How many in a row get a line of their own.
    static let row: Int64 = 10
    /// After so many seconds one more does.
    static let pause: Int64 = 60
    /// More programs than anybody has.
    private static let capacity = 1_000

    private var states: [Key: State] = [:]

    /// Takes note of a refusal.
    ///
    /// - Returns: What is to be written down now: it, with those before it that had no line; nothing where it is only counted.
    mutating func take(_ draft: AuditDraft, now: Timestamp) -> [AuditDraft] {
        let key = Key(program: draft.caller.program, kind: draft.kind, answer: draft.answer)
        var written: [AuditDraft] = []
        if states[key] == nil, states.count >= Self.capacity,
            let oldest = states.min(by: { $0.value.since < $1.value.since })
        {
            states[oldest.key] = nil
            written += Self.summary(oldest.value)
        }
        var state = states[key] ?? State(left: Self.row, since: now)
        // A clock that was set back begins anew.
        let passed = now.seconds - state.since.seconds
        if passed < 0 { state.since = now }
        if passed >= Self.pause {
            state.left = min(Self.row, state.left + passed / Self.pause)
            state.since = now
        }
        if state.left > 0 {
            var draft = draft
            draft.repeats = state.pending?.count ?? 0
            (state.left, state.pending) = (state.left - 1, nil)
            written.append(draft)
        } else {
            state.pending = (draft, (state.pending?.count ?? 0) + 1)
        }
        states[key] = state
        return written
    }

    /// Those that have no line yet, of each program the last one; from then on they have.
    mutating func takePending() -> [AuditDraft] {
        var written: [AuditDraft] = []
        for (key, state) in states where state.pending != nil {
            written += Self.summary(state)
            states[key]?.pending = nil
        }
        return written
    }

    private static func summary(_ state: State) -> [AuditDraft] {
        guard let (last, count) = state.pending else { return [] }
        var draft = last
        draft.repeats = count - 1
        return [draft]
    }
}
