internal import Glibc
internal import Synchronization

/// How long a call waits, all told, for those who have the vault.
///
/// Many calls may wait for the same thing: each waits as long as if it were alone, and not until all before it have given up.
/// So what counts is how long it has waited since it came, wherever: for a thread, for its turn among the calls of this
/// process, and for other processes. Whoever comes to the database after that tries once. Time in which a call works, or
/// waits for a provider or a person, does not count, and once it was served it may wait anew.
package final class Patience: Sendable {
    /// How long a call waits.
    @TaskLocal package static var usual: Duration = .seconds(5)
    /// That of the call for which this task works; nil where each turn at the vault is a call of its own.
    @TaskLocal package static var ofCall: Patience?

    /// How long the call has waited since it was served last; less than nothing for one that may wait longer.
    private let spent: Mutex<Duration>

    /// - Parameter spent: How long the call has waited already.
    package init(spent: Duration = .zero) { self.spent = Mutex(spent) }

    /// Lets the call wait anew, and longer than usual: for what cannot be had a second time.
    package func renew(adding extra: Duration = .zero) { spent.withLock { $0 = .zero - extra } }

    /// Whether a statement that found the database locked is tried once more, after a pause that is over by then.
    ///
    /// - Parameter tries: How often it was tried before.
    package static func goesOn(after tries: Int) -> Bool {
        if let turn = Turn.current { return turn.goesOn(after: tries) }
        // What is done beside a keyring's calls: five seconds.
        guard tries < 58 else { return false }
        pause(after: tries, atMost: .seconds(1))
        return true
    }

    /// Waits longer each time, as SQLite does by itself.
    private static func pause(after tries: Int, atMost limit: Duration) {
        let pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50]
        let pause = min(tries < pauses.count ? .milliseconds(pauses[tries]) : .milliseconds(100), limit)
        usleep(UInt32(max(pause / .microseconds(1), 1)))
    }

    /// A call that has come, and is to wait for its turn.
    package struct Arrival {
        private let time = SuspendingClock.now
        private let call = Patience.ofCall

        /// Comes now.
        package init() {}

        /// Begins its turn, on this thread; it has to be ended there.
        ///
        /// Within another one it is that one's, and so is what is left to wait.
        package func begin() -> Turn {
            let waited = SuspendingClock.now - time
            let spent = call.map { call in
                call.spent.withLock { spent in
                    spent += waited
                    return spent
                }
            }
            return Turn(of: call, left: Patience.usual - (spent ?? waited))
        }
    }

    /// A turn at the vault.
    package final class Turn {
        /// That of this thread; nil where there is none.
        fileprivate static var current: Turn? {
            guard let turn = unsafe pthread_getspecific(place) else { return nil }
            return unsafe Unmanaged<Turn>.fromOpaque(turn).takeUnretainedValue()
        }

        private static let place: pthread_key_t = {
            var key = pthread_key_t()
            _ = unsafe pthread_key_create(&key, nil)
            return key
        }()

        private let call: Patience?
        private let isOutermost: Bool
        private var left: Duration
        /// When what it waits for has to have come.
        private var due: SuspendingClock.Instant?
        private var hasGivenUp = false

        fileprivate init(of call: Patience?, left: Duration) {
            (self.call, self.left) = (call, left)
            isOutermost = Self.current == nil
            if isOutermost { unsafe pthread_setspecific(Self.place, Unmanaged.passUnretained(self).toOpaque()) }
        }

        /// Ends it.
        package func end() {
            guard isOutermost else { return }
            pthread_setspecific(Self.place, nil)
            // Whoever was told so is not kept waiting a second time.
            call?.spent.withLock { $0 = hasGivenUp ? Patience.usual : .zero }
        }

        fileprivate func goesOn(after tries: Int) -> Bool {
            let now = SuspendingClock.now
            if tries == 0 {
                // What it waited for before has come.
                if due != nil, !hasGivenUp { left = Patience.usual }
                due = now + left
            }
            guard !hasGivenUp, let due, now < due else {
                hasGivenUp = true
                return false
            }
            Patience.pause(after: tries, atMost: due - now)
            return true
        }
    }
}
