internal import ArgumentParser
internal import FoundationEssentials
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobNetwork
internal import KeyfobSignIn

struct ProviderAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a provider, from a file or by its issuer.",
        discussion: """
            A file holds what 'keyfob provider show --json' prints ('-' is standard input). For a provider that \
            describes itself (OpenID Connect, RFC 8414) its issuer is enough. The description is kept sealed in the group where new \
            items go.

            Then the provider is asked what it offers, and what will work is told, as 'keyfob provider check' does later. \
            With --offline or --quiet it is not asked; it stays added also where it cannot be reached.

            An authority as MSAL takes it (--authority) adds Azure AD B2C (one policy of it; accounts of others count too), \
            AD FS, or Microsoft Entra External ID, also behind a domain of your own. Microsoft's clouds are built in.

            Accounts are kept under the provider's environment, its host unless said otherwise, so each provider \
            needs one of its own. Where a built-in provider sends people and tokens cannot be changed.

            With --ca-file the certificates in a PEM file are trusted beside the system's when tokens are asked of this \
            provider, and when 'keyfob request' calls its hosts, and nowhere else. The path is about this machine: it counts only where the owner of the \
            vault named it, not where a key of the group did. --ca-file of another command overrules it that once. \
            --replace keeps the file of a provider whose issuer stays, unless --ca-file names another; '' names none.

            Example:
              keyfob provider add --issuer https://sso.contoso.example/realms/staff \\
                --name contoso
              keyfob provider add --authority https://fs.contoso.example/adfs --name adfs
              keyfob provider add --authority \\
                https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_signin
              keyfob provider show --json gitlab | sed s/gitlab/git.contoso.example/g \\
                | keyfob provider add -
            """)

    @Argument(help: "The file with the description; '-' is standard input.") var file: String?

    @Option(name: .long, help: ArgumentHelp("The issuer, in place of a file.", valueName: "url")) var issuer: String?

    @Option(
        name: .long,
        help: ArgumentHelp("An authority of Azure AD B2C, AD FS or External ID, in place of a file.", valueName: "url"))
    var authority: String?

    @Option(name: .long, help: ArgumentHelp("By which it is chosen; its host unless given.", valueName: "name"))
    var name: String?

    @Option(name: .long, help: ArgumentHelp("Its name for people.", valueName: "text")) var title: String?

    @Option(name: .long, help: ArgumentHelp("The host under which its accounts are kept.", valueName: "host"))
    var environment: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Where devices sign in, if its discovery document does not say.", valueName: "url"))
    var deviceEndpoint: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Where tokens are revoked, if its discovery document does not say.", valueName: "url"))
    var revocationEndpoint: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("A scope to ask for where nobody names any; repeatable.", valueName: "scope"))
    var scope: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A host to which its tokens go besides its own, or '*.' and what such hosts end in; repeatable.",
            valueName: "host"))
    var apiHost: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("A PEM file with certificates that are trusted for it alone.", valueName: "file"))
    var caFile: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A field of its own that every sign-in sends, such as audience; repeatable.", valueName: "name=value"))
    var parameter: [String] = []

    @Flag(name: .long, help: "Put it in the place of the one that has its name.") var replace = false
    @Flag(name: .long, help: "Do not ask the provider what it offers.") var offline = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        guard [file, issuer, authority].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("say what to add: either a file, --issuer or --authority")
        }
        let hasDetails =
            [name, title, environment, deviceEndpoint, revocationEndpoint, caFile].contains { $0 != nil }
            || !scope.isEmpty
            || !apiHost.isEmpty || !parameter.isEmpty
        if file != nil, hasDetails {
            throw ValidationError("a file says it all: the other options go with --issuer or --authority")
        }
        if let flaw = ParameterText.flaw(parameter) { throw ValidationError(flaw) }
    }

    func run() throws {
        let groups = try global.groups()
        let keyring: Keyring
        let provider: IdentityProvider
        if let file {
            if file.hasPrefix("https://"), FileAccess.status(file, following: true) == nil {
                throw KeyringError(
                    .noSuchFile, "there is no file \(file)",
                    hint: "an issuer is named so: 'keyfob provider add --issuer \(ShellWord.inMessage(file))'")
            }
            let document = try SecretInput.description(file)
            keyring = try global.unlockedKeyring(reaching: asks ? .network : .vault)
            do throws(KeyringError) {
                provider = try keyring.providers.add(document, replacing: replace, in: groups)
            } catch {
                throw naming(error, file)
            }
        } else {
            let scopes = ScopeSet(scope.flatMap { $0.split(separator: " ").map(String.init) })
            var new = NewProvider(issuer: issuer ?? "", name: name, title: title, scopes: scopes)
            if let authority {
                new = NewProvider(authority: try Authority(option: authority), name: name, title: title, scopes: scopes)
            }
            new.environment = environment
            new.endpoints = endpoints
            new.apiHosts = apiHost
            new.parameters = ParameterText.fields(parameter)
            new.certificateFile = try certificateFile()
            keyring = try global.unlockedKeyring(reaching: asks ? .network : .vault)
            if replace, caFile == nil, let file = try keptCertificateFile(of: new, keyring) {
                new.certificateFile = file
                global.say("it keeps its certificates, \(file); --ca-file '' leaves them out")
            }
            provider = try keyring.providers.add(new, replacing: replace, in: groups)
        }
        global.tellWarnings(of: keyring)
        let group: AccessGroup? = if case .added(let group) = provider.origin { group } else { nil }
        let place = group.map { " to group '\($0)'" } ?? ""
        let words = "added provider '\(provider.name)' for \(provider.environment)\(place)"
        if !global.json { global.say(words) }
        let report = asks ? look(at: provider, keyring, groups) : nil
        guard global.json else {
            if let report { for line in report.lines { global.say(line) } }
            return
        }
        try global.tell(.providerAdded, words) {
            ($0.provider, $0.group) = (provider.name, group?.name)
            $0.check = report.map(ProviderCheckDocument.init)
        }
    }

    /// Whether the provider is asked: not where nobody is told.
    private var asks: Bool { !offline && (!global.quiet || global.json) }

    /// What the provider offers; what keeps that from being known is told, for it is added all the same.
    private func look(at provider: IdentityProvider, _ keyring: Keyring, _ groups: [AccessGroup]?) -> ProviderReport? {
        do throws(KeyringError) {
            let network = try Network.ofThisMachine(
                certificateFile: nil, environment: Environment.current.variables, log: { _ in })
            let report = try NetworkTask.run { () async throws(KeyringError) in
                try await keyring.providers.check(provider.name, in: groups, network: network)
            }
            for flaw in report.flaws { global.say("keyfob: warning: \(provider.name): \(flaw)") }
            return report
        } catch {
            let advice = Advice.checkProvider(provider.name).text
            global.say("keyfob: warning: it is not known what it offers: \(error.message); \(advice)")
            return nil
        }
    }

    /// The file of certificates by its whole path, after a look at what it holds.
    private func certificateFile() throws(KeyringError) -> String? {
        guard let caFile, !caFile.isEmpty else { return nil }
        let path = URL(filePath: caFile).standardizedFileURL.path
        do {
            _ = try Network.system(NetworkConfiguration(userAgent: "", certificateFile: path))
        } catch {
            throw KeyringError(.configuration, "\(error)", hint: "give one with the authority's certificate in PEM")
        }
        return path
    }

    /// The file of certificates of the provider that is replaced, where that is the same one.
    private func keptCertificateFile(of new: NewProvider, _ keyring: Keyring) throws(KeyringError) -> String? {
        let added = try keyring.providers.list(in: global.groups()).filter { $0.origin != .builtIn }
        let name = new.name.map(Identifier.folded)
        return added.first { old in
            old.issuer == new.issuer && (name == nil || old.name == name)
        }?.certificateFile
    }

    private var endpoints: [String: String] {
        let named = [
            "device_authorization_endpoint": deviceEndpoint, "revocation_endpoint": revocationEndpoint,
        ]
        return named.compactMapValues(\.self)
    }

    /// The error with the file's name in the place of "the description".
    private func naming(_ error: KeyringError, _ file: String) -> KeyringError {
        let words = "the description "
        guard error.message.hasPrefix(words) else { return error }
        let name = file == "-" ? BundleInput.standardInput : file
        return error.saying("\(name) \(error.message.dropFirst(words.count))", advice: error.advice)
    }
}
