internal import CLibcurl
internal import Glibc
internal import KeyfobOAuth

/// Why no answer came.
enum TransportFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no libcurl that is new enough.
    case noLibrary
    /// The system gives no thread for it.
    case noThread
    /// Something about the connection.
    case connection(UnreachableReason)
    /// The other side could not show whose it is.
    case certificate(CertificateFlaw)

    var description: String {
        switch self {
        case .noLibrary: "libcurl 7.87 or later is not installed (libcurl4 on Debian and Ubuntu)"
        case .noThread: "the system gives this process no further thread"
        case .connection(let reason): "\(reason)"
        case .certificate(let flaw): "the certificate \(flaw)"
        }
    }

    /// What became of a request that ended so.
    func failure(isRequestSent: Bool) -> ProviderFailure {
        if isRequestSent { return .outcomeUnknown }
        return switch self {
        case .noLibrary: .noHTTPLibrary
        case .noThread: .noThread
        case .connection(.late): .unreachable(.timedOut)
        case .connection(let reason): .unreachable(reason)
        case .certificate(let flaw): .untrustedCertificate(flaw)
        }
    }

    /// What libcurl's code for an ended transfer means; `number` tells more by the name of a number.
    init(_ code: Int, isRequestSent: Bool, hasProxy: Bool, number: (Int) -> Int) {
        if code == libcurl_PEER_FAILED_VERIFICATION {
            // 0 and 1 say that the chain itself is good, the others are OpenSSL's or GnuTLS's; 10 is X509_V_ERR_CERT_HAS_EXPIRED.
            switch number(libcurl_SSL_VERIFYRESULT) {
            case 0, 1: self = .certificate(.otherHost)
            case 10: self = .certificate(.expired)
            default: self = .certificate(.untrusted)
            }
            return
        }
        self = .connection(UnreachableReason(code, isRequestSent: isRequestSent, hasProxy: hasProxy, number: number))
    }
}

extension UnreachableReason {
    fileprivate init(_ code: Int, isRequestSent: Bool, hasProxy: Bool, number: (Int) -> Int) {
        switch code {
        case libcurl_COULDNT_RESOLVE_PROXY: self = .noProxyAddress
        case libcurl_COULDNT_RESOLVE_HOST: self = .noAddress
        case libcurl_OPERATION_TIMEDOUT: self = .timedOut
        case libcurl_SSL_CACERT_BADFILE: self = .badRoots
        case libcurl_SSL_CONNECT_ERROR: self = .noTLS
        case libcurl_SSL_CERTPROBLEM: self = .badIdentity
        case libcurl_PROXY_HANDSHAKE: self = .proxyRefused
        case libcurl_COULDNT_CONNECT:
            switch CInt(truncatingIfNeeded: number(libcurl_OS_ERRNO)) {
            case ECONNREFUSED: self = hasProxy ? .proxyRefused : .refused
            case ENETUNREACH, EHOSTUNREACH, ENETDOWN: self = .noRoute
            case ETIMEDOUT: self = .timedOut
            default: self = hasProxy ? .proxyRefused : .noConnection
            }
        case _ where hasProxy && !isRequestSent && number(libcurl_HTTP_CONNECTCODE) == 407: self = .proxyWantsUser
        case _ where hasProxy && !isRequestSent: self = .proxyRefused
        case libcurl_UNSUPPORTED_PROTOCOL, libcurl_WEIRD_SERVER_REPLY: self = .notHTTP
        case libcurl_PARTIAL_FILE, libcurl_GOT_NOTHING, libcurl_RECV_ERROR: self = .cutOff
        default: self = .broken
        }
    }
}
