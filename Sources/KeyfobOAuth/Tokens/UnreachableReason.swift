/// Why no connection carried a request, in words for a person.
///
/// They are ours throughout: an error of a library may quote what was sent.
package enum UnreachableReason: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case unsendable, givenUp, late, timedOut, noAddress, refused, noRoute, noConnection, badRoots, noTLS
    case badIdentity, noProxyAddress, proxyWantsUser, proxyRefused, notHTTP, cutOff, broken

    /// Whether the proxy is what stands in the way.
    package var isProxy: Bool { self == .noProxyAddress || self == .proxyWantsUser || self == .proxyRefused }

    package var description: String {
        switch self {
        case .unsendable: "the request could not be sent"
        case .givenUp: "it was given up"
        case .late: "no answer came in time"
        case .timedOut: "the connection timed out before anything was sent"
        case .noAddress: "the host name cannot be resolved"
        case .refused: "the connection was refused"
        case .noRoute: "there is no way to the host"
        case .noConnection: "the connection could not be opened"
        case .badRoots: "the certificates that are trusted could not be read"
        case .noTLS: "TLS could not be agreed on"
        case .badIdentity: "the client's certificate cannot be used, or is not that of its key"
        case .noProxyAddress: "the proxy's name cannot be resolved"
        case .proxyWantsUser: "the proxy wants a user name and a password, or others"
        case .proxyRefused: "the proxy refused"
        case .notHTTP: "the answer is not HTTP"
        case .cutOff: "the connection was closed before the answer was complete"
        case .broken: "the connection broke"
        }
    }
}

/// Why a certificate does not show that the other side is the one asked for.
package enum CertificateFlaw: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case untrusted, expired, otherHost

    /// What follows the words "the certificate of …".
    package var description: String {
        switch self {
        case .untrusted: "is of an authority that this machine does not trust"
        case .expired: "has expired, or this machine's clock is wrong"
        case .otherHost: "is for another host"
        }
    }
}
