/// Why no redirect address could be opened.
package enum LoopbackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Somebody else listens on each of these ports.
    case portInUse([Int])
    /// A port that cannot be, or a path that does not begin with a slash.
    case badAddress
    /// The system gives no socket.
    case unavailable

    package var description: String {
        switch self {
        case .portInUse(let ports) where ports.count == 1: "the port \(ports[0]) is in use"
        case .portInUse(let ports): "the ports \(ports.map { String($0) }.joined(separator: ", ")) are in use"
        case .badAddress: "the redirect address has an impossible port or path"
        case .unavailable: "this machine gives no port to listen on"
        }
    }
}
