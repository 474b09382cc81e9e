package import KeyfobModel

/// When to poll for the answer of a device authorization (RFC 8628, sections 3.4 and 3.5).
///
/// The shell does what an action says and gives back what came of it.
package struct DeviceFlow: Hashable, Sendable {
    /// What to do next.
    package enum Action: Hashable, Sendable {
        /// Wait, then ``DeviceFlow/poll(now:)``.
        case wait(until: Timestamp)
        /// Send one poll and give its outcome to ``DeviceFlow/receive(_:now:)``.
        case poll
        /// Over.
        case finished(Ending)
    }

    /// How it ended.
    package enum Ending: Hashable, Sendable {
        /// With tokens, which the shell holds.
        case tokens
        /// The codes expired before the person answered.
        case expired
        /// Nobody answered for as long as the shell would wait.
        case timedOut
        /// The person said no.
        case denied
        /// The provider refused.
        case failed(ProviderFailure)
    }

    /// What came of a poll.
    package enum Event: Hashable, Sendable {
        /// Tokens came.
        case tokens
        /// None came.
        case failed(ProviderFailure)
    }

    /// Seconds between two polls; grows with `slow_down`, and doubles while nobody answers.
    package private(set) var interval: Int64
    /// When the codes expire.
    package let deadline: Timestamp
    /// When the shell waits no longer; nil where it waits for as long as the codes are good.
    package let patience: Timestamp?
    private var ending: Ending?
    private var nextPoll: Timestamp

    /// The longest pause between two polls, in seconds.
    package static let longestInterval: Int64 = 300

    /// Begins when the answer with the codes came.
    ///
    /// - Parameter waitingFor: Seconds after which to give up, if the codes are still good then.
    package init(expiresIn: Int64, interval: Int64, waitingFor: Int64? = nil, now: Timestamp) {
        self.interval = max(1, interval)
        self.deadline = now.advanced(by: expiresIn)
        self.patience = waitingFor.map { now.advanced(by: $0) }
        self.nextPoll = now.advanced(by: self.interval)
    }

    /// What to do at `now`.
    package mutating func poll(now: Timestamp) -> Action {
        if let ending { return .finished(ending) }
        if now >= deadline { return finish(.expired) }
        if let patience, now >= patience { return finish(.timedOut) }
        if now < nextPoll { return .wait(until: min(nextPoll, deadline, patience ?? deadline)) }
        return .poll
    }

    /// What to do after a poll.
    package mutating func receive(_ event: Event, now: Timestamp) -> Action {
        if let ending { return .finished(ending) }
        guard case .failed(let failure) = event else { return finish(.tokens) }
        switch failure {
        case .requestRefused(let refusal) where refusal.error == "authorization_pending": break
        case .requestRefused(let refusal) where refusal.error == "slow_down":
            interval = min(Self.longestInterval, interval + 5)
        case .requestRefused(let refusal) where refusal.error == "expired_token": return finish(.expired)
        case .denied: return finish(.denied)
        case .throttled(let until):
            nextPoll = max(until, now.advanced(by: interval))
            return poll(now: now)
        case .serverDown, .unreachable, .outcomeUnknown: interval = min(Self.longestInterval, interval * 2)
        default: return finish(.failed(failure))
        }
        nextPoll = now.advanced(by: interval)
        return poll(now: now)
    }

    private mutating func finish(_ ending: Ending) -> Action {
        self.ending = ending
        return .finished(ending)
    }
}
