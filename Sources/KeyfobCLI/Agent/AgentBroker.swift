internal import Dispatch
internal import Keyfob
internal import KeyfobAgent

/// The agent's door on the session bus.
final class AgentBroker {
    private let door: BrokerDoor
    private let closed: DispatchSemaphore
    private var lastCall: Timestamp

    /// Opens the door where somebody wants it; nil where nobody does.
    ///
    /// - Parameters:
    ///   - isDemanded: Whether the agent is to end where the door cannot be opened.
    ///   - tell: Tells the person something in a line.
    /// - Throws: As `BrokerDoor.start`, where the door is demanded.
    init?(
        for desk: AgentDesk, _ parts: AgentParts, isDemanded: Bool, tell: @escaping @Sendable (String) -> Void
    ) throws(KeyringError) {
        let environment = Environment.current.variables
        guard isDemanded || BrokerDoor.isWanted(environment) else { return nil }
        let closed = DispatchSemaphore(value: 0)
        self.closed = closed
        var notices = BrokerNotices()
        notices.lost = {
            tell(
                "keyfob: warning: the session bus has gone away; the agent is the broker of the next one at that address"
            )
        }
        notices.isBack = { tell("the agent is the session's broker again") }
        notices.ended = { problem in
            if let problem {
                tell("keyfob: warning: the agent is the session's broker no more: \(problem.message)")
            }
            closed.signal()
        }
        do throws(KeyringError) {
            door = try BrokerDoor.start(
                desk: desk, signIns: parts.signIns, environment: environment,
                show: { step in
                    // Of a browser the person sees that it has opened.
                    if case .device(let url, let code, _, _) = step { tell("Open \(url) and type the code  \(code)") }
                },
                words: { error in
                    let told = error.toldByAgent
                    return told.hint.map { "\(told.message); \($0)" } ?? told.message
                },
                inspection: parts.inspection, notices: notices)
        } catch {
            guard !isDemanded else { throw error }
            tell("keyfob: warning: the agent is not the session's broker: \(error.message)")
            return nil
        }
        lastCall = door.activity.last
        tell("the agent is the session's broker")
    }

    /// Whether somebody has called since this was asked last.
    var hasBeenBusy: Bool {
        let (open, last) = door.activity
        defer { lastCall = last }
        return open > 0 || last != lastCall
    }

    /// Closes the door once what has come is answered.
    func retire() { door.retire() }

    /// Whether it has closed.
    var hasClosed: Bool {
        guard closed.wait(timeout: .now()) == .success else { return false }
        closed.signal()
        return true
    }
}
