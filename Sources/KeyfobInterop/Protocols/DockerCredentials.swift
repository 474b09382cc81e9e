package import KeyfobModel
package import KeyfobSodium

/// What docker and its relatives ask a credential helper, and what they are answered (docker-credential-helpers).
///
/// Errors go to standard output; clients compare some of them word by word.
package enum DockerCredentials {
    /// The longest text that is read, in bytes.
    package static let maximumCount = 1 << 20
    /// There is no credential for the server.
    package static let notFound = "credentials not found in native keychain"

    /// The client id of what docker has stored, and may erase.
    package static let client = "docker"
    /// The user of a token that is only good for getting others, at an address that docker does not tell.
    package static let identityToken = "<token>"

    /// Docker Hub, by the name that people, podman and skopeo use.
    static let hub = "docker.io"
    /// The same as docker has it.
    package static let hubOfDocker = "https://index.docker.io/v1/"

    /// Whether somebody means Docker Hub.
    static func isHub(_ server: String) -> Bool {
        let bare = server.hasPrefix("https://") ? server.dropFirst("https://".count).prefix { $0 != "/" } : server[...]
        return Identifier.folded(String(bare)) == "hub.docker.com" || EnvironmentAliases.areSame(String(bare), hub)
    }

    /// What docker calls the server at a host.
    package static func server(at host: String) -> String { isHub(host) ? hubOfDocker : host }

    /// The address of a server, by whichever of its names; nil for one to which no token goes.
    package static func url(of server: String) -> CredentialURL? { CredentialURL(isHub(server) ? hub : server) }

    /// The user of an answer: whose token it is where the registry itself gave it, and who takes any token elsewhere.
    package static func username(of account: Account, at url: CredentialURL) -> String {
        EnvironmentAliases.areSame(account.id.environment, url.address.host)
            ? account.username : GitCredentialAnswer.anyUser
    }

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

    /// The server that `get` and `erase` are about.
    package static func server(_ text: borrowing SecretBytes) throws(Flaw) -> String {
        let text = text.withBytes { String(validating: [UInt8]($0), as: UTF8.self) }
        guard let server = text.flatMap(trimmed) else { throw .noServer }
        return server
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

    /// The text without the white space around it; nil where that leaves nothing that can name something.
    static func trimmed(_ text: String) -> String? {
        let start = text.firstIndex { !$0.isWhitespace } ?? text.endIndex
        let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? start
        let text = String(text[start..<end])
        return Identifier.isAcceptable(text) ? text : nil
    }
}
