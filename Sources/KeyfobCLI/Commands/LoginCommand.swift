internal import ArgumentParser
internal import Keyfob
internal import KeyfobInterop
internal import KeyfobNetwork

struct LoginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in to a provider.",
        discussion: """
            Opens the browser (BROWSER, or xdg-open) with a page that only you can read, which leads on to the \
            provider: its address is not for those who see the list of processes. The answer comes back to a port of \
            this machine. The page lies in $XDG_RUNTIME_DIR, or else in the state folder; where programs of snap are \
            in the path, which read neither, in your home. It is removed once the answer is there. With \
            --no-browser the address is printed instead, and the one at which the browser ends can be pasted. A client \
            whose redirect address has a scheme of an app's own gets the answer from the desktop ('keyfob setup \
            url-scheme'). With --device a code is typed on another device; there a QR code may help.

            The address of a protected resource, such as an MCP server's, is enough: it says by which authorization \
            server it lets people in (RFC 9728). It becomes a provider of its own, whose tokens go to that resource alone. \
            So is the issuer of a provider, or its host. \
            Keyfob registers itself at the server (RFC 7591), or takes the client that --client names: an id that you \
            have there, or the address of a client id metadata document of yours.

            A person at a terminal is asked which provider, where none is named, and for a client where none of the provider \
            is known; 'keyfob client add' has them beforehand.

            --for names what the token is for, in place of the provider's own scopes; with --account it keeps those \
            that the account's token has. git: repositories over https; packages: packages and images of containers; \
            api: the provider's API; read: who somebody is.

            A provider of plain OAuth may not say who signs in: --name says what to call the account, and keeps a \
            further one beside those that are there. Without it a person at a terminal is asked, or the account that \
            is signed in there is signed in again, or a new one is called by the host.

            The account that signed in is saved. With --account, a sign-in as anyone else is reported, and saves \
            nothing. An account from a file or from 'keyfob add' becomes that of the person who signs in and proves \
            its name; if several fit, --account says which. If the provider refused a request for a token, 'keyfob \
            token' prints the sign-in that continues it. --continue does the same by the id that 'keyfob token --json' \
            and 'keyfob account show --json' give, for an hour.

            With --dpop, and where the provider gives or the resource takes no others, the tokens are bound to a key that stays in the vault (DPoP). \
            Then 'keyfob request' and 'keyfob exec --proxy' send a proof with each request, and no command gives the token \
            alone, which would be of no use.

            Ends with 14 when the provider granted fewer scopes than were asked for; what it granted is stored.

            Example:
              keyfob client add --well-known azure-cli
              keyfob login microsoft --scope https://graph.microsoft.com/User.Read
              keyfob login --device github --for git
              keyfob login --client ID --authority \\
                https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_signin
              keyfob login https://mcp.notes.example/mcp --name work
              keyfob login --account ada@contoso.example --prompt consent \\
                --extra-scope Mail.Read
              keyfob login --continue 0c0a66f8
            """)

    @OptionGroup var options: SignInOptions
    @Flag(name: .long, help: "Sign in on another device, by a code.") var device = false
    @Flag(name: .long, help: "Open no browser; print the address.") var noBrowser = false
    @Flag(
        name: .long,
        help: "With Microsoft: let people of its other clouds sign in there (MSAL's instance_aware).")
    var instanceAware = false
    @Flag(name: .long, help: "Let the answer come as a form post, so that no browser history has it.") var formPost =
        false
    @Flag(
        name: .customLong("dpop"),
        help: "Have the tokens bound to a key (RFC 9449), so that they are of use to nobody without it.")
    var bindsTokens = false
    @Option(name: .long, help: ArgumentHelp("The port to listen on; else the client's, or a free one.", valueName: "n"))
    var port: Int?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "For how many seconds to wait: 300 unless given, and 900 with --device, while the code is good.",
            valueName: "seconds"))
    var timeout: Int64?
    @OptionGroup(visibility: .hidden) var networkOptions: NetworkOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if options.namesNothing, !ProviderQuestion.mayAsk(global) { throw ValidationError(SignInOptions.nowhere) }
        if let timeout, !(1...3_600).contains(timeout) {
            throw ValidationError("--timeout is between 1 and 3600 seconds")
        }
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port is between 1 and 65535") }
        if device, instanceAware { throw ValidationError("--instance-aware needs a browser on this machine") }
        if device, noBrowser || formPost || port != nil {
            throw ValidationError("--device needs no browser on this machine")
        }
        if device, options.prompt != nil || options.acrValues != nil || options.maxAge != nil {
            throw ValidationError("--device asks what the provider wants, not --prompt, --acr-values or --max-age")
        }
    }

    func run() throws {
        let network = try networkOptions.network()
        let keyring = try global.unlockedKeyring(reaching: .everything)
        defer { global.tellWarnings(of: keyring) }
        var options = options
        if options.namesNothing { options.provider = try ProviderQuestion.answer(keyring, try global.groups(), global) }
        var (request, groups) = try options.request(keyring, try global.groups()) { global.say($0) }
        request.usesFormPost = formPost
        request.isInstanceAware = instanceAware
        request.isOpenedLater = noBrowser
        if bindsTokens { request.bindsTokens = true }
        try ResourceSignIn.settle(
            &request, isTyped: options.provider != nil, issuer: options.issuer, client: options.client, keyring, groups,
            network, global)
        try ClientQuestion.settle(request, keyring, groups, global)
        try NameQuestion.settle(&request, keyring, groups, network, global)
        try tellScopes(request, keyring, groups)
        let device = try device || needsDevice(request, keyring, groups)
        let dialogue = SignInDialogue(
            keyring: keyring, request: request, groups: groups, network: network, timeout: timeout,
            opensBrowser: !noBrowser && !global.noInput, port: port, mayAsk: !global.noInput, isQuiet: global.quiet,
            isColored: global.usesColor())
        let report = device ? try dialogue.signInOnDevice() : try dialogue.signInByBrowser()
        try tell(report, keyring)
        if !report.declinedScopes.isEmpty {
            throw KeyringError(
                .scopesDeclined, "the provider declined \(report.declinedScopes)",
                advice: .useGrantedScopes(report.scopes), candidates: report.declinedScopes.scopes, names: [])
        }
    }

    /// Says which scopes a purpose stands for, before anybody is asked.
    private func tellScopes(
        _ request: SignInRequest, _ keyring: Keyring, _ groups: [AccessGroup]?
    ) throws(KeyringError) {
        let environment = try keyring.providers.named(request.provider, in: groups).environment
        for purpose in request.purposes {
            guard let scopes = purpose.scopes(at: environment) else { continue }
            let also = request.account == nil ? "" : "; those that the account has are asked for, too"
            let word = scopes.scopes.count == 1 ? "scope" : "scopes"
            global.say("\(purpose.rawValue) at \(environment) needs the \(word) \(scopes)\(also)")
        }
    }

    /// Whether the client is a program's that signs in by a code alone, which is said.
    private func needsDevice(
        _ request: SignInRequest, _ keyring: Keyring, _ groups: [AccessGroup]?
    ) throws(KeyringError) -> Bool {
        let clients = try keyring.clients.list(of: request.provider, in: groups)
        guard !noBrowser, port == nil, !formPost, options.prompt == nil,
            let client = clients.first(where: {
                request.clientID == nil ? $0.isDefault : $0.client.id == request.clientID
            }),
            let program = WellKnownClient.at(client.environment).first(where: { $0.id == client.client.id }),
            !program.signsInByBrowser
        else { return false }
        global.say("signing in by a code, as \(program.title) does")
        return true
    }

    private func tell(_ report: SignInReport, _ keyring: Keyring) throws(KeyringError) {
        if global.json {
            try JSONOutput.print(SignInDocument(report))
        } else {
            let name = keyring.accounts.shownName(of: report.account)
            let isAgain = !report.isNew && !report.account.isProved
            global.say("\(name) signed in\(isAgain ? " again" : "") (group \(report.group))")
            if isAgain, options.account == nil, options.name == nil {
                global.say("the provider does not say who that was; --name keeps another account beside it")
            }
        }
        if report.isNew, let chain = GitCredentialChain.unlessQuiet(global) {
            try chain.tellOthers(of: report.account.id, in: report.group, keyring, global)
        }
        if !report.lostScopes.scopes.isEmpty {
            let continuation = Continuation(
                name: keyring.accounts.naming(for: report.account).briefTyped(report.account),
                group: report.group == .default ? nil : report.group, clientID: report.clientID,
                scopes: report.lostScopes)
            global.say(
                "keyfob: warning: the token that was replaced had \(report.lostScopes), and the new one has not; to have "
                    + "that too, \(continuation.advice)")
        }
        if report.endsWithToken, let end = report.tokenEndsOn {
            global.say(
                "keyfob: warning: the provider gave no refresh token; sign in again when the access token ends, on "
                    + end.rfc3339)
        }
    }
}

/// `Schemas/sign-in.schema.json`.
struct SignInDocument: JSONDocument {
    let formatVersion = 1
    let account: String
    let username: String
    let group: String
    let clientID: String
    let scopes: [String]
    let declinedScopes: [String]
    let lostScopes: [String]
    let isNew: Bool
    let hasRefreshToken: Bool
    let tokenExpiresOn: String?

    init(_ report: SignInReport) {
        account = report.account.id.description
        username = report.account.username
        group = report.group.name
        clientID = report.clientID
        scopes = report.scopes.scopes
        declinedScopes = report.declinedScopes.scopes
        lostScopes = report.lostScopes.scopes
        isNew = report.isNew
        hasRefreshToken = report.hasRefreshToken
        tokenExpiresOn = report.tokenEndsOn.map(\.rfc3339)
    }
}
