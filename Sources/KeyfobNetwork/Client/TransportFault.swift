internal import AsyncHTTPClient
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// Why no answer came, in words for a person.
///
/// They are ours throughout: an error of the client may quote what was sent.
enum TransportFault {
    /// What a log says about an error.
    static func reason(for error: any Error, isExpired: Bool) -> String {
        if isExpired { return late }
        return switch error {
        case let error as HTTPClientError: reason(error)
        case let error as NIOConnectionError: reason(error)
        case let error as NIOSSLError: reason(error)
        case is NIOSSLExtraError: "the certificate is for another host"
        case let error as IOError: reason(error)
        case is BoringSSLError: "the TLS connection broke"
        case is HTTPParserError: "the answer is not HTTP"
        case ChannelError.connectTimeout: "the connection took too long"
        case is CancellationError: "it was given up"
        default: "the connection broke"
        }
    }

    private static let late = "no answer came in time"

    private static func reason(_ error: HTTPClientError) -> String {
        switch error {
        case .deadlineExceeded, .readTimeout, .writeTimeout: late
        case .connectTimeout, .getConnectionFromPoolTimeout: "the connection took too long"
        case .tlsHandshakeTimeout: "TLS took too long"
        case .httpProxyHandshakeTimeout, .socksHandshakeTimeout: "the proxy took too long"
        case .proxyAuthenticationRequired: "the proxy wants a user name and a password, or others"
        case .invalidProxyResponse: "the proxy refused"
        case .cancelled: "it was given up"
        case .uncleanShutdown: "the answer was cut off"
        case .remoteConnectionClosed: "the connection was closed before the answer was complete"
        default: "the request could not be sent"
        }
    }

    private static func reason(_ error: NIOConnectionError) -> String {
        if let failure = error.connectionErrors.first {
            return reason(for: failure.error, isExpired: false)
        }
        return error.dnsAError != nil || error.dnsAAAAError != nil
            ? "the host has no address" : "the connection could not be opened"
    }

    private static func reason(_ error: NIOSSLError) -> String {
        switch error {
        case .handshakeFailed(let cause):
            // The text holds the name that BoringSSL has for its error, and nothing of the connection.
            String(describing: cause).contains("CERTIFICATE_VERIFY_FAILED")
                ? "the certificate is not trusted" : "TLS could not be agreed on"
        case .unableToValidateCertificate, .noCertificateToValidate: "the certificate is not trusted"
        case .uncleanShutdown: "the answer was cut off"
        default: "the TLS connection broke"
        }
    }

    private static func reason(_ error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "the connection was refused"
        case ECONNRESET, EPIPE: "the connection was closed before the answer was complete"
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN: "there is no way to the host"
        case ETIMEDOUT: "the connection took too long"
        default: "the connection broke"
        }
    }
}
