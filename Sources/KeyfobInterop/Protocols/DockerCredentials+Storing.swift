internal import KeyfobModel
package import KeyfobSodium

extension DockerCredentials {
    /// A credential that is to be stored.
    package struct Credential: ~Copyable, Sendable {
        /// The server as docker writes it: `https://index.docker.io/v1/`, `ghcr.io`.
        package let server: String
        /// Who; `<token>` where the secret is a token that gets others.
        package let username: String
        /// The password or token.
        package let secret: SecretBytes
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

    /// The answer to `list`: whose credential there is for each server.
    package static func list(_ users: [String: String]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        for (server, user) in users.sorted(by: { $0.key < $1.key }) { writer.member(server, user) }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
}
