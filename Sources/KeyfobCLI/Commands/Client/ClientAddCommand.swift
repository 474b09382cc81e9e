internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct ClientAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a client id that a provider gave you.",
        discussion: """
            The first client of a provider is its default. Some providers give even desktop programs a secret: it \
            is read from a descriptor and kept sealed, and so is a private key by which the client signs who it is \
            (private_key_jwt), from a file in PEM or JWK, or a certificate that it shows in TLS (tls_client_auth, \
            self_signed_tls_client_auth). Say --redirect-uri, once for each, where the provider \
            takes answers only at certain addresses: they are used as they are written, on localhost, 127.0.0.1 or [::1], \
            the next one where somebody else listens at the first; or with a scheme of an app's own, such as \
            com.example.app:/callback, which the desktop brings here ('keyfob setup url-scheme'). Else any free port of this machine is used.

            With --well-known it is the public id of a program that many people use. The provider then takes Keyfob for \
            that program: its name is on the page where you consent and in the log of your organisation, and what its \
            publisher or an administrator forbids it is forbidden here.

            Example:
              keyfob client add --well-known azure-cli
              keyfob client add 0d1e2f3a-aaaa-bbbb-cccc-000011112222 --provider microsoft
              keyfob client add 1234.apps.example --provider google \\
                --secret-fd 3 3< secret.txt
              keyfob client add app --provider contoso --client-key key.pem --kid 2027
              keyfob client add app --provider contoso --client-certificate client.pem
              keyfob client add app --provider contoso \\
                --redirect-uri http://localhost:8400 --default
            """)

    @Argument(help: "The client id.") var id: String?

    @Option(name: .long, help: ArgumentHelp("The provider: its name, issuer or host.", valueName: "name"))
    var provider: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Take the id of this program: \(WellKnownClient.all.map(\.name).joined(separator: ", ")).",
            valueName: "program"))
    var wellKnown: String?

    @Option(name: .long, help: ArgumentHelp("The client's name for people.", valueName: "text")) var name: String?

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp(
            "An address on this machine, or of an app's own scheme, that the provider knows; repeatable.",
            valueName: "uri"))
    var redirectURIs: [String] = []

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("A scope to ask for where nobody names any; repeatable.", valueName: "scope"))
    var scope: [String] = []

    @Option(name: .long, help: ArgumentHelp("Read the client's secret from this descriptor.", valueName: "n"))
    var secretFd: Int32?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file with the client's private key, in PEM or JWK; '-' is standard input.", valueName: "file"))
    var clientKey: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A file in PEM with the client's certificate, its own before others', and its key, unless --client-key has that.",
            valueName: "file"))
    var clientCertificate: String?

    @Option(
        name: .long, help: ArgumentHelp("By what name the provider knows the key (kid).", valueName: "id"))
    var kid: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "By what it signs, such as PS256; else by what the provider takes.", valueName: "algorithm"))
    var signingAlgorithm: String?

    @Option(
        name: .long,
        help: "Where the secret is sent first: in the body (post) or in a header (basic); the provider's word counts.")
    var authentication: SecretPlace = .post

    @Flag(name: .long, help: "Take it where nobody names a client.") var `default` = false
    @Flag(name: .long, help: "Put it in the place of the one that has its id.") var replace = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    enum SecretPlace: String, ExpressibleByArgument, CaseIterable {
        case post, basic
    }

    func validate() throws {
        if wellKnown == nil {
            guard id != nil else { throw ValidationError("name the client id, or a program with --well-known") }
            guard provider != nil else { throw ValidationError("say of which provider, with --provider") }
        } else if id != nil || provider != nil || secretFd != nil || clientKey != nil || clientCertificate != nil
            || name != nil
            || !redirectURIs.isEmpty
        {
            throw ValidationError(
                "--well-known says the id, the provider, the name and the addresses, and has no secret")
        }
        if secretFd != nil, clientKey != nil || clientCertificate != nil {
            throw ValidationError("a client has a secret or a private key, not both")
        }
        if clientKey == nil || clientCertificate != nil, kid != nil || signingAlgorithm != nil {
            throw ValidationError("--kid and --signing-algorithm go with --client-key, and with no certificate")
        }
        if clientKey == "-", clientCertificate == "-" {
            throw ValidationError("the certificate and its key come from one file, or one of them from another")
        }
    }

    func run() throws {
        let scopes = ScopeSet(scope.flatMap { $0.split(separator: " ").map(String.init) })
        let program = try wellKnown.map(Self.program)
        var client =
            program?.registration ?? ClientRegistration(id: id ?? "", name: name, redirectURIs: redirectURIs)
        if !scopes.isEmpty { client.scopes = scopes }
        let named = program?.provider ?? provider ?? ""
        let keyring: Keyring
        let added: RegisteredClient
        if let secretFd {
            switch authentication {
            case .post: client.authentication = .post
            case .basic: client.authentication = .basic
            }
            let secret = try SecretInput.clientSecret(descriptor: secretFd)
            keyring = try global.unlockedKeyring()
            added = try keyring.clients.add(
                client, secret: secret, at: named, isDefault: `default`, replacing: replace, in: global.groups())
        } else if let clientCertificate {
            client.authentication = .certificate
            let certificate = try SecretInput.clientCertificate(clientCertificate, key: clientKey)
            keyring = try global.unlockedKeyring()
            added = try keyring.clients.add(
                client, secret: certificate, at: named, isDefault: `default`, replacing: replace, in: global.groups())
        } else if let clientKey {
            (client.authentication, client.keyID, client.keyAlgorithm) = (.signed, kid, signingAlgorithm)
            let key = try SecretInput.clientKey(clientKey)
            keyring = try global.unlockedKeyring()
            added = try keyring.clients.add(
                client, secret: key, at: named, isDefault: `default`, replacing: replace, in: global.groups())
        } else {
            keyring = try global.unlockedKeyring()
            added = try keyring.clients.add(
                client, at: named, isDefault: `default`, replacing: replace, in: global.groups())
        }
        global.tellWarnings(of: keyring)
        let words = added.isDefault ? "; it is the default" : ""
        let place = added.provider ?? added.environment
        try global.tell(.clientAdded, "added client '\(client.id)' for \(place)\(words)") {
            ($0.client, $0.provider) = (client.id, place)
        }
        if let program {
            let title = (try? keyring.providers.named(program.provider, in: global.groups()))?.title
            global.say(program.notice(providerTitle: title ?? program.provider))
        }
    }

    private static func program(_ name: String) throws(KeyringError) -> WellKnownClient {
        guard let client = WellKnownClient.named(name) else {
            throw KeyringError(
                .noSuchClient, "there is no well-known client '\(name)'",
                hint: "'keyfob client list --well-known' lists them")
        }
        return client
    }
}

extension WellKnownClient {
    /// What it means to sign in with it, and how to.
    func notice(providerTitle: String) -> String {
        "\(TerminalText.line(providerTitle)) will show Keyfob as '\(title)'; sign in with 'keyfob login "
            + "\(signsInByBrowser ? "" : "--device ")\(provider)'"
            + (SignInPurpose.git.scopes(at: environment) == nil ? "" : ", for git with --for git")
    }
}
