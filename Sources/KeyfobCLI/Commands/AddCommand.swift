internal import ArgumentParser
internal import Glibc
internal import Keyfob
internal import KeyfobInterop
internal import KeyfobModel
internal import KeyfobTerminal

struct AddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Store a token that came from elsewhere.",
        discussion: """
            Reads the token from standard input, or from --token-fd; at a terminal it is typed or pasted without being shown, \
            and ends with Enter. When the command ends with 0 the token \
            is durable; where the desktop's keyring keeps the records, as soon as that has saved it, and KeePassXC \
            answers before it does.

            Example:
              keyfob add ada@github.com
              keyfob add ada@git.example --scope repo < token.txt
            """)

    @Argument(help: ArgumentHelp("Whose token it is, and the provider's host.", valueName: "user@host"))
    var name: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Whose token it is, where the provider has an id for them.", valueName: "id"))
    var account: String?

    @Option(name: .long, help: ArgumentHelp("The provider's host.", valueName: "host")) var host: String?

    @Option(name: .long, help: ArgumentHelp("The user name to show; the id unless given.", valueName: "name"))
    var username: String?

    @Option(name: .long, help: ArgumentHelp("A label for the account.", valueName: "text")) var label: String?

    @Option(name: .long, help: ArgumentHelp("The OAuth client id.", valueName: "id"))
    var client = Credential.noClient

    @Option(name: .long, help: ArgumentHelp("The tenant.", valueName: "id")) var tenant: String?

    @Option(name: [.short, .long], help: ArgumentHelp("A scope the token has; repeatable.", valueName: "scope"))
    var scope: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("For how many seconds it is valid; for ever unless given.", valueName: "seconds"))
    var expiresIn: Int64?

    @Option(name: .long, help: ArgumentHelp("Read the token from this descriptor.", valueName: "n")) var tokenFd:
        Int32 = 0
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        let (account, host) = try whose
        for (name, value) in [
            ("the account", account), ("the host", host), ("--client", client), ("--tenant", tenant ?? "x"),
            ("--username", username ?? "x"), ("--label", label ?? "x"),
        ] where !Identifier.isAcceptable(value) {
            throw ValidationError("\(name) is blank, too long, or holds control characters")
        }
        if let flaw = Self.flaw(ofHost: host, account) { throw ValidationError(flaw) }
        if scope.contains(where: { !Identifier.isAcceptable($0) }) {
            throw ValidationError("--scope is blank or holds control characters")
        }
        if let expiresIn, !(1...3_153_600_000).contains(expiresIn) {
            throw ValidationError("--expires-in is a number of seconds, at least 1")
        }
    }

    /// Why no token can be stored for a host, or an account there; nil where one can.
    private static func flaw(ofHost host: String, _ account: String) -> String? {
        guard !account.hasSuffix("@") else { return "a user's name has something behind its '@': USER@HOST" }
        guard !GitHosts.isHost(host) else { return nil }
        if let meant = (try? ResourceURL(parsing: host))?.host, GitHosts.isHost(meant), host.contains("/") {
            return "the host stands alone: \(ShellWord.inMessage("\(account)@\(meant)"))"
        }
        return "'\(host)' is no host, such as git.example or git.example:8443"
    }

    /// The account's id and the provider's host.
    private var whose: (account: String, host: String) {
        get throws {
            switch (name, account, host) {
            case (nil, let account?, let host?): return (account, host)
            case (let name?, nil, nil):
                // User names may be mail addresses; hosts have no '@'.
                if let mark = name.lastIndex(of: "@"), mark > name.startIndex {
                    return (String(name[..<mark]), String(name[name.index(after: mark)...]))
                }
                throw ValidationError("say at which host: USER@HOST")
            case (let name?, nil, let host?): return (try Self.user(name, at: host), host)
            case (nil, let account?, nil):
                throw ValidationError("say at which host: --account \(ShellWord.inMessage(account)) --host HOST")
            case (_?, _?, _): throw ValidationError("say whose token it is once: USER@HOST, or --account with --host")
            case (nil, nil, _): throw ValidationError("say whose token it is: 'keyfob add USER@HOST'")
            }
        }
    }

    /// The user whom `USER` names beside `--host`, or `USER@HOST` with the same host.
    private static func user(_ name: String, at host: String) throws -> String {
        guard let mark = name.lastIndex(of: "@"), mark > name.startIndex else { return name }
        let named = name[name.index(after: mark)...]
        guard Identifier.folded(String(named)) != Identifier.folded(host) else { return String(name[..<mark]) }
        let words = "--account \(ShellWord.inMessage(name)) --host \(ShellWord.inMessage(host))"
        throw ValidationError(
            "\(name) names the host \(named), and --host names \(host): leave one out; if the user is called so, "
                + "'keyfob add \(words)' says that")
    }

    func run() throws {
        let (account, host) = try whose
        guard let id = AccountID(homeAccountID: account, environment: host) else {
            throw KeyringError(.usage, "no account can be called '\(account)' at '\(host)'")
        }
        let chain = GitCredentialChain.unlessQuiet(global)
        let keyring = try global.unlockedKeyring()
        try confirmHost(host, keyring)
        let secret = try SecretInput.token(descriptor: tokenFd, mayAsk: !global.noInput)
        let token = GivenToken(
            of: id, called: username ?? account, label: label, client: client, tenant: tenant ?? "",
            scopes: ScopeSet(scope.flatMap { $0.split(separator: " ").map(String.init) }), expiresIn: expiresIn)
        let stored = try keyring.tokens.store(
            token.credential, secret: secret, for: token.account, in: global.groups())
        global.tellWarnings(of: keyring)
        if global.json {
            try JSONOutput.print(StoredDocument(account: stored.account.description, outcome: stored.outcome.rawValue))
        } else {
            let beside = stored.account == id ? "" : ", beside the sign-in of the same account"
            global.say("\(id): \(stored.outcome.words)\(beside)")
        }
        try chain?.tellOthers(of: id, in: global.groups()?.first ?? .default, keyring, global)
    }

    /// Asks before a token goes to a host that is most likely a mistyped one; without a terminal it is a warning.
    private func confirmHost(_ host: String, _ keyring: Keyring) throws {
        guard let meant = try keyring.providers.likelyHost(insteadOf: host, in: global.groups()) else { return }
        let words = "no provider is known at \(host): did you mean \(meant)?"
        guard !global.noInput, Terminal.isThere, tokenFd != 0 || isatty(0) == 1 else {
            StandardError.write(line: "keyfob: warning: \(words)")
            return
        }
        try Confirmation.requireConsent(
            "\(words) Store the token for \(host) all the same? [y/N] ", otherwise: "name the host that is meant",
            global)
    }
}

extension Keyring.StoreOutcome {
    /// The outcome as people read it.
    var words: String {
        switch self {
        case .added: "stored"
        case .changed: "stored in place of an older one"
        case .unchanged: "stored already"
        case .kept: "not stored, the one in the keyring is newer"
        }
    }
}

/// `Schemas/stored.schema.json`.
struct StoredDocument: JSONDocument {
    let formatVersion = 1
    let account: String
    let outcome: String
}
