internal import Keyfob

/// Which answers that give a program nothing are written down one by one, and which are counted: a program that asks again and
/// again is not to push what others did out of the log.
struct RepeatCount {
    /// What is answered alike.
    private struct Key: Hashable {
        let program: Program
        let kind: AuditEntry.Kind
        let answer: String
        /// The log in which it stands.
        let group: AccessGroup?
        let isGiven: Bool
        let vault: String?

        init(_ draft: AuditDraft) {
            (program, kind, answer) = (draft.caller.program, draft.kind, draft.answer)
            (group, isGiven) = (draft.group, draft.isGiven)
            vault = draft.vaultID
        }
    }

    private struct State {
        /// How many more get a line of their own.
        var left: Int64
        /// Since when one more of these is there for each pause.
        var since: Timestamp
        /// The last one without a line, and for how many it stands.
        var pending: (draft: AuditDraft, count: Int)?
    }

    /// How many in a row get a line of their own.
    static let row: Int64 = 10
    /// After so many seconds one more does.
    static let pause: Int64 = 60
    /// More are not told apart: what was answered longest ago makes room.
    private static let capacity = 1_000

    private var states: [Key: State] = [:]

    /// Takes note of an answer.
    ///
    /// - Returns: What is to be written down now: it, with those before it that had no line; nothing where it is only counted.
    mutating func take(_ draft: AuditDraft, now: Timestamp) -> [AuditDraft] {
        let key = Key(draft)
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
            state.pending = (draft.withoutKeyring, (state.pending?.count ?? 0) + 1)
        }
        states[key] = state
        return written
    }

    /// Takes note that what ``take(_:now:)`` or ``takePending(of:)`` gave could not be written: so many answers are counted again.
    mutating func giveBack(_ draft: AuditDraft, count: Int, now: Timestamp) {
        let key = Key(draft)
        guard states[key] != nil || states.count < 2 * Self.capacity else { return }
        var state = states[key] ?? State(left: 0, since: now)
        var last = state.pending?.draft ?? draft.withoutKeyring
        last.repeats = 0
        state.pending = (last, (state.pending?.count ?? 0) + count)
        states[key] = state
    }

    /// Those of a vault that have no line yet, alike ones as one; from then on they have.
    mutating func takePending(of vault: String) -> [AuditDraft] {
        var written: [AuditDraft] = []
        for (key, state) in states where key.vault == vault && state.pending != nil {
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
