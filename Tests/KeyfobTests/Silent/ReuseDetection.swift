import Synchronization

/// A provider that replaces refresh tokens at each use and ends the grant when one is used a second time.
final class ReuseDetection: Sendable {
    private struct State {
        var current = "rt1"
        var count = 1
        var isDead = false
    }

    private let state = Mutex(State())

    var isDead: Bool { state.withLock { $0.isDead } }

    func answer(_ request: ScriptedNetwork.Request) -> ScriptedNetwork.Answer {
        state.withLock { state in
            guard !state.isDead, request.refreshToken == state.current else {
                state.isDead = true
                return .refused("invalid_grant")
            }
            state.count += 1
            state.current = "rt\(state.count)"
            return .tokens("at\(state.count)", refresh: state.current, scope: "mail.read")
        }
    }
}
