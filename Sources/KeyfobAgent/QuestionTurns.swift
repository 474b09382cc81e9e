internal import Synchronization

/// Has questions wait for one another, so that what was said to one counts for the next: a person sees one window, and those who
/// wait behind it wait no longer than if theirs were the one.
final class QuestionTurns: Sendable {
    /// For how long a person is waited for, counted from the asking.
    let patience: Duration

    private struct State {
        var isTaken = false
        var next = 0
        var waiting: [(number: Int, arrival: Arrival, turn: CheckedContinuation<Bool, Never>)] = []
        /// Takes the question back that is being asked.
        var withdraws: (@Sendable () -> Void)?
        var isOver = false
    }

    private let state = Mutex(State())

    init(patience: Duration) { self.patience = patience }

    /// Somebody who asks, from now on.
    struct Arrival {
        private let time = SuspendingClock.now
        fileprivate let patience: Duration

        /// How much longer a person is waited for.
        fileprivate var left: Duration { max(.zero, patience - (SuspendingClock.now - time)) }
        /// Whether that is long enough to read a question: nobody is shown one that is gone at once.
        fileprivate var isLongEnough: Bool { left > patience / 10 }
    }

    func arrive() -> Arrival { Arrival(patience: patience) }

    /// Waits for the turn.
    ///
    /// - Returns: Whether it is there: not where the time is over, the task was cancelled, or the question taken back. Only who has
    ///   it leaves it.
    func take(_ arrival: Arrival) async -> Bool {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        let timer = Task { [self] in
            try? await Task.sleep(for: arrival.left, clock: .suspending)
            give(up: number)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let isThere = state.withLock { state -> Bool? in
                    // Whoever is cancelled later is found among those who wait.
                    if Task.isCancelled || state.isOver || !arrival.isLongEnough { return false }
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    state.waiting.append((number, arrival, turn))
                    return nil
                }
                if let isThere { turn.resume(returning: isThere) }
            }
        } onCancel: {
            give(up: number)
        }
    }

    private func give(up number: Int) {
        let turn = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).turn }
        }
        turn?.resume(returning: false)
    }

    /// Lets the next one have it who has time left.
    func leave() {
        let (late, next) = state.withLock { state in
            let first = state.waiting.firstIndex { $0.arrival.isLongEnough } ?? state.waiting.endIndex
            let late = state.waiting[..<first].map(\.turn)
            let next = first < state.waiting.endIndex ? state.waiting[first].turn : nil
            state.waiting.removeFirst(min(first + 1, state.waiting.count))
            if next == nil { state.isTaken = false }
            return (late, next)
        }
        for turn in late { turn.resume(returning: false) }
        next?.resume(returning: true)
    }

    /// What a person answers to a question, which is taken back once the time of whoever asks is over, nobody waits for the
    /// answer any more, or all questions are taken back.
    func answer<Answer: Sendable>(
        _ arrival: Arrival, _ ask: @escaping @Sendable () async -> Answer
    ) async -> Answer {
        let asking = Task { await ask() }
        let isOver = state.withLock { state in
            state.withdraws = { asking.cancel() }
            return state.isOver
        }
        if isOver { asking.cancel() }
        let timer = Task {
            try await Task.sleep(for: arrival.left, clock: .suspending)
            asking.cancel()
        }
        let answer = await withTaskCancellationHandler {
            await asking.value
        } onCancel: {
            asking.cancel()
        }
        timer.cancel()
        state.withLock { $0.withdraws = nil }
        return answer
    }

    /// Takes all questions back.
    ///
    /// - Parameter forGood: Whether none is asked any more.
    func withdraw(forGood: Bool = false) {
        let (waiting, withdraws) = state.withLock { state in
            if forGood { state.isOver = true }
            defer { state.waiting = [] }
            return (state.waiting, state.withdraws)
        }
        for (_, _, turn) in waiting { turn.resume(returning: false) }
        withdraws?()
    }
}
