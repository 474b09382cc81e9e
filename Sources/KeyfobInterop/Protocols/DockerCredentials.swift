internal import KeyfobModel
package import KeyfobSodium

/// What docker and its relatives ask a credential helper, and what they are answered (docker-credential-helpers).
///
/// Errors go to standard output; clients compare some of them word by word.
package enum DockerCredentials {
    /// The longest text that is read, in bytes.
    package static let maximumCount = 1 << 20
    /// There is no credential for the server.
    package static let notFound = "credentials not found in native keychain"

    /// Why something is no request; no case holds any of it.
    package enum Flaw: Error, Hashable, Sendable, CustomStringConvertible {
        case noServer, noUsername, noSecret, notJSON

        /// What is wrong, in the words that clients know.
        package var description: String {
            switch self {
            case .noServer: "no credentials server URL"
            case .noUsername: "no credentials username"
            case .noSecret: "no credentials secret"
            case .notJSON: "what docker wants stored is not a JSON object"
            }
        }
    }

    /// A credential that is to be stored.
    package struct Credential: ~Copyable, Sendable {
        /// The server as docker writes it: `https://index.docker.io/v1/`, `ghcr.io`.
        package let server: String
        /// Who; `<token>` where the secret is a token that gets others.
        package let username: String
        /// The password or token.
        package let secret: SecretBytes
    }

    /// The server that `get` and `erase` are about.
    package static func server(_ text: borrowing SecretBytes) throws(Flaw) -> String {
        let text = text.withBytes { String(validating: [UInt8]($0), as: UTF8.self) }
        guard let server = text.flatMap(trimmed) else { throw .noServer }
        return server
    }

    /// The credential that `store` is about.
    package static func credential(_ text: borrowing SecretBytes) throws(Flaw) -> Credential {
        try text.withBytes { bytes throws(Flaw) in
            let limits = JSONLimits(size: maximumCount, depth: 8, stringCount: maximumCount, nodes: 1_024)
            guard let tape = try? JSONTape(reading: bytes, limits: limits), tape.kind(of: tape.root) == .object else {
                throw .notJSON
            }
            func text(_ name: String) -> String? {
                tape.member(name, of: tape.root, in: bytes).flatMap { tape.string(of: $0, in: bytes) }.flatMap(trimmed)
            }
            guard let server = text("ServerURL") else { throw .noServer }
            guard let username = text("Username") else { throw .noUsername }
            guard let secret = tape.member("Secret", of: tape.root, in: bytes).flatMap({ tape.text(of: $0) }),
                case let count = secret.decodedCount(in: bytes), count > 0
            else { throw .noSecret }
            return Credential(
                server: server, username: username,
                secret: SecretBytes(count: count) { secret.decode(from: bytes, into: &$0) })
        }
    }

    /// The answer to `get`: what stands before the secret and behind it, inside a JSON string.
    package static func answer(server: String, username: String) -> (before: String, after: String) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("ServerURL", server)
        writer.member("Username", username)
        writer.name("Secret")
        return (String(decoding: writer.bytes, as: UTF8.self) + "\"", "\"}\n")
    }

    /// The answer to `list`: whose credential there is for each server.
    package static func list(_ users: [String: String]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        for (server, user) in users.sorted(by: { $0.key < $1.key }) { writer.member(server, user) }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }

    /// The text without the white space around it; nil where that leaves nothing that can name something.
    private static func trimmed(_ text: String) -> String? {
        let isBlank = { (character: Character) in character.isWhitespace }
        let text = String(text.trimmingPrefix(while: isBlank).reversed().trimmingPrefix(while: isBlank).reversed())
        return Identifier.isAcceptable(text) ? text : nil
    }
}
