internal import CLibcurl
internal import Glibc

/// Why no answer came, in words for a person.
///
/// They are ours throughout: an error of libcurl's may quote what was sent.
enum TransportFault: String, Error, Sendable {
    case noLibrary = "libcurl 7.87 or later is not installed (libcurl4 on Debian and Ubuntu)"
    case unsendable = "the request could not be sent"
    case givenUp = "it was given up"
    case late = "no answer came in time"
    case slowConnection = "the connection took too long"
    case noAddress = "the host has no address"
    case refused = "the connection was refused"
    case noRoute = "there is no way to the host"
    case noConnection = "the connection could not be opened"
    case untrusted = "the certificate is not trusted"
    case expired = "the certificate has expired"
    case otherHost = "the certificate is for another host"
    case badRoots = "the certificates that are trusted could not be read"
    case noTLS = "TLS could not be agreed on"
    case noProxyAddress = "the proxy has no address"
    case proxyWantsUser = "the proxy wants a user name and a password, or others"
    case proxyRefused = "the proxy refused"
    case notHTTP = "the answer is not HTTP"
    case cutOff = "the connection was closed before the answer was complete"
    case broken = "the connection broke"

    /// Whether the other side could not show whose it is.
    var isCertificate: Bool { self == .untrusted || self == .expired || self == .otherHost }

    /// What libcurl's code for an ended transfer means; `number` tells more by the name of a number.
    init(_ code: Int, isRequestSent: Bool, hasProxy: Bool, number: (Int) -> Int) {
        switch code {
        case libcurl_COULDNT_RESOLVE_PROXY: self = .noProxyAddress
        case libcurl_COULDNT_RESOLVE_HOST: self = .noAddress
        case libcurl_OPERATION_TIMEDOUT: self = .slowConnection
        case libcurl_SSL_CACERT_BADFILE: self = .badRoots
        case libcurl_SSL_CONNECT_ERROR: self = .noTLS
        case libcurl_PROXY_HANDSHAKE: self = .proxyRefused
        case libcurl_COULDNT_CONNECT:
            switch CInt(truncatingIfNeeded: number(libcurl_OS_ERRNO)) {
            case ECONNREFUSED: self = .refused
            case ENETUNREACH, EHOSTUNREACH, ENETDOWN: self = .noRoute
            case ETIMEDOUT: self = .slowConnection
            default: self = hasProxy ? .proxyRefused : .noConnection
            }
        case libcurl_PEER_FAILED_VERIFICATION:
            // 0 and 1 say that the chain itself is good, the others are OpenSSL's or GnuTLS's; 10 is X509_V_ERR_CERT_HAS_EXPIRED.
            switch number(libcurl_SSL_VERIFYRESULT) {
            case 0, 1: self = .otherHost
            case 10: self = .expired
            default: self = .untrusted
            }
        case _ where hasProxy && !isRequestSent && number(libcurl_HTTP_CONNECTCODE) == 407: self = .proxyWantsUser
        case _ where hasProxy && !isRequestSent: self = .proxyRefused
        case libcurl_UNSUPPORTED_PROTOCOL, libcurl_WEIRD_SERVER_REPLY: self = .notHTTP
        case libcurl_PARTIAL_FILE, libcurl_GOT_NOTHING, libcurl_RECV_ERROR: self = .cutOff
        default: self = .broken
        }
    }
}
