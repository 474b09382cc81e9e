/// What is wrong with a configuration of the network; no case holds a password.
public enum NetworkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file with certificates cannot be used.
    case certificateFile(path: String, CertificateFlaw)
    /// The proxy that a variable of the environment names cannot be used.
    case proxy(variable: String, ProxyFlaw)

    /// What is wrong with a file of certificates.
    public enum CertificateFlaw: String, Error, Hashable, Sendable {
        /// It does not exist, or may not be read.
        case unreadable = "cannot be read"
        /// It has no bytes.
        case empty = "is empty"
        /// It holds no certificate in PEM, or a damaged one.
        case notCertificates = "does not hold certificates in PEM"
        /// Another user could name any authority there.
        case foreign = "belongs to another user"
        /// So could whoever may write it.
        case writableByOthers = "can be written by others: chmod go-w it"
    }

    /// What is wrong with the address of a proxy.
    public enum ProxyFlaw: String, Error, Hashable, Sendable {
        /// It cannot be read.
        case malformed = "is not the address of a proxy, such as http://proxy.example:3128"
        /// It is reached in a way that is not known.
        case unsupportedScheme = "names a kind of proxy that is not supported; http and socks5 are"
        /// User name and password for SOCKS.
        case unsupportedCredentials = "has a user name, which is supported for http proxies only"
    }

    /// What a person reads.
    public var description: String {
        switch self {
        case .certificateFile(let path, let flaw): "the file of certificates \(path) \(flaw.rawValue)"
        case .proxy(let variable, let flaw): "the variable \(variable) \(flaw.rawValue)"
        }
    }
}
