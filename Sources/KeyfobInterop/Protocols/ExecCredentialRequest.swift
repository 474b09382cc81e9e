package import KeyfobModel
internal import KeyfobSodium

/// What kubectl and other programs with client-go ask a credential plugin, and what they are answered (`ExecCredential`).
package struct ExecCredentialRequest: Hashable, Sendable {
    /// The environment variable that holds it.
    package static let variable = "KUBERNETES_EXEC_INFO"
    /// The longest text that is read, in bytes; what the cluster's configuration holds may be in it.
    package static let maximumCount = 1 << 20

    /// The version in which it is answered.
    package let version: String
    /// The server to which the token goes; nil where it is not told.
    private let server: String?
    /// Whether whoever answers at the server's address is taken for it.
    private let skipsVerification: Bool
    /// The proxy between, and the name on the certificate that counts in the place of the server's.
    private let proxy, certificateName: String?

    /// By which certificates the server is known.
    package let authority: Authority

    /// The certificates by which a server is known.
    package enum Authority: Hashable, Sendable {
        /// Those of the system.
        case system
        /// These, in PEM, and no others.
        case certificates([UInt8])
        /// Those of a file, and no others: Python's client hands on what stands in the kubeconfig, and calls from its folder.
        case file(String)
        /// Others than those of the system, which cannot be read.
        case unreadable
    }

    /// Where the token goes, or why none may.
    package enum Destination: Hashable, Sendable {
        case server(CredentialURL)
        /// The cluster is not told.
        case untold
        /// It is not https, and not on this machine.
        case insecure
        /// Whoever answers at the host is taken for it.
        case unverified(host: String)
        /// A line of the kubeconfig by which another one could answer than the server at the host.
        case redirected(host: String, by: String)
    }

    /// Where the token goes, or why none may.
    package var destination: Destination {
        guard let server else { return .untold }
        guard let url = CredentialURL(server) else { return .insecure }
        let host = url.address.host
        if skipsVerification { return .unverified(host: host) }
        return redirection(from: host).map { .redirected(host: host, by: $0) } ?? .server(url)
    }

    /// The line of the kubeconfig by which another one could answer than the server at `host`; nil where none is.
    ///
    /// Whoever hands over a kubeconfig names the certificates that are trusted too.
    private func redirection(from host: String) -> String? {
        if let proxy, !proxy.isEmpty,
            CredentialURL(proxy).map({ !HostAndPort.isLoopback(Self.name(in: $0.address.host)) }) ?? true
        {
            return "proxy-url"
        }
        if let certificateName, !certificateName.isEmpty, Identifier.folded(certificateName) != Self.name(in: host) {
            return "tls-server-name"
        }
        return nil
    }

    /// A host without its port.
    private static func name(in host: String) -> String {
        (try? HostAndPort(Array(host.utf8)[...]))?.host ?? host
    }

    /// Why something is no such request; no case holds any of it.
    package enum Flaw: Error, Hashable, Sendable, CustomStringConvertible {
        case missing, notJSON, unknownVersion

        /// What is wrong, in one line.
        package var description: String {
            switch self {
            case .missing: "\(variable) is not set: kubectl sets it when it calls"
            case .notJSON: "\(variable) is not an ExecCredential object"
            case .unknownVersion: "\(variable) is of another version than client.authentication.k8s.io/v1 and v1beta1"
            }
        }
    }

    /// Reads the request in the variable.
    package init(_ text: String?) throws(Flaw) {
        guard let text, !text.isEmpty else { throw .missing }
        self = try Array(text.utf8).withBytes { bytes throws(Flaw) in try Self.read(bytes) }
    }

    private init(
        version: String, server: String?, skipsVerification: Bool, proxy: String?, certificateName: String?,
        authority: Authority
    ) {
        self.authority = authority
        self.version = version
        self.server = server
        self.skipsVerification = skipsVerification
        self.proxy = proxy
        self.certificateName = certificateName
    }

    private static func read(_ bytes: RawSpan) throws(Flaw) -> ExecCredentialRequest {
        let limits = JSONLimits(size: maximumCount, depth: 32, stringCount: maximumCount, nodes: 65_536)
        guard let tape = try? JSONTape(reading: bytes, limits: limits), tape.kind(of: tape.root) == .object else {
            throw .notJSON
        }
        func text(_ name: String, of object: JSONTape.Value?) -> String? {
            object.flatMap { tape.member(name, of: $0, in: bytes) }.flatMap { tape.string(of: $0, in: bytes) }
        }
        guard text("kind", of: tape.root) == "ExecCredential" else { throw .notJSON }
        guard let version = text("apiVersion", of: tape.root),
            ["v1", "v1beta1"].map({ "client.authentication.k8s.io/" + $0 }).contains(version)
        else { throw .unknownVersion }
        let cluster = tape.member("spec", of: tape.root, in: bytes).flatMap {
            tape.member("cluster", of: $0, in: bytes)
        }
        let skips = cluster.flatMap { tape.member("insecure-skip-tls-verify", of: $0, in: bytes) }
        return ExecCredentialRequest(
            version: version, server: text("server", of: cluster),
            skipsVerification: skips.map { tape.kind(of: $0) } == .true,
            proxy: text("proxy-url", of: cluster), certificateName: text("tls-server-name", of: cluster),
            authority: authority(of: cluster, tape, bytes))
    }

    /// The certificates that a cluster's configuration names; those in it go before those of a file, as in kubectl.
    private static func authority(of cluster: JSONTape.Value?, _ tape: JSONTape, _ bytes: RawSpan) -> Authority {
        func member(_ name: String) -> (isThere: Bool, text: String?) {
            let value = cluster.flatMap { tape.member(name, of: $0, in: bytes) }
            guard let value, tape.kind(of: value) != .null else { return (false, nil) }
            let text = tape.string(of: value, in: bytes)
            return (text != "", text)
        }
        let data = member("certificate-authority-data")
        if data.isThere {
            // Base64 may be wrapped, as in kubectl.
            let letters = data.text?.utf8.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            return letters.flatMap { Base64.standard.decode($0) }.map { Authority.certificates($0) } ?? .unreadable
        }
        let file = member("certificate-authority")
        guard file.isThere else { return .system }
        return file.text.map { Authority.file($0) } ?? .unreadable
    }

    /// The answer: what stands before the token and behind it, inside a JSON string.
    package func answer(until expiry: Timestamp?) -> (before: String, after: String) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("apiVersion", version)
        writer.member("kind", "ExecCredential")
        writer.name("status")
        writer.beginObject()
        writer.member("expirationTimestamp", expiry?.rfc3339)
        writer.name("token")
        return (String(decoding: writer.bytes, as: UTF8.self) + "\"", "\"}}\n")
    }
}
