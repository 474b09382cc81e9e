/// What an address was that a desktop brought to a sign-in.
package enum SchemeVerdict: Hashable, Sendable {
    /// The answer.
    case accepted
    /// The end of the sign-in, for this reason.
    case failed(String)
    /// Nothing of this sign-in, for this reason.
    case ignored(String)

    /// The longest message, in bytes.
    static let limit = 1_024

    /// As it is sent: a letter, and the reason.
    var message: [UInt8] {
        let (letter, reason) =
            switch self {
            case .accepted: ("a", "")
            case .failed(let reason): ("f", reason)
            case .ignored(let reason): ("i", reason)
            }
        return Array("\(letter)\(reason)".utf8.prefix(Self.limit))
    }

    /// What was sent; nil for what is none.
    init?(message: some Collection<UInt8>) {
        let reason = String(decoding: message.dropFirst(), as: UTF8.self)
        switch message.first {
        case UInt8(ascii: "a"): self = .accepted
        case UInt8(ascii: "f"): self = .failed(reason)
        case UInt8(ascii: "i"): self = .ignored(reason)
        default: return nil
        }
    }
}

/// Why no address can be waited for.
package enum SchemeFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path is too long for a socket.
    case pathTooLong(String)
    /// The system gives no socket there.
    case unavailable(String)

    package var description: String {
        switch self {
        case .pathTooLong(let path): "\(path) is too long for a socket"
        case .unavailable(let path): "no socket can be made at \(path)"
        }
    }
}
