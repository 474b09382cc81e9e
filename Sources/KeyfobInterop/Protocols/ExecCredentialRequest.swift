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
    package let server: String?
    /// Whether whoever answers at the server's address is taken for it.
    package let skipsVerification: Bool

    /// Why something is no such request; no case holds any of it.
    package enum Flaw: Error, Hashable, Sendable, CustomStringConvertible {
        case missing, notJSON, unknownVersion

        /// What is wrong, in one line.
        package var description: String {
            switch self {
            case .missing: "\(variable) is not set: kubectl sets it when it calls"
            case .notJSON: "\(variable) is no ExecCredential object"
            case .unknownVersion: "\(variable) is of another version than client.authentication.k8s.io/v1 and v1beta1"
            }
        }
    }

    /// Reads the request in the variable.
    package init(_ text: String?) throws(Flaw) {
        guard let text, !text.isEmpty else { throw .missing }
        self = try Array(text.utf8).withBytes { bytes throws(Flaw) in try Self.read(bytes) }
    }

    private init(version: String, server: String?, skipsVerification: Bool) {
        self.version = version
        self.server = server
        self.skipsVerification = skipsVerification
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
            skipsVerification: skips.map { tape.kind(of: $0) } == .true)
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
