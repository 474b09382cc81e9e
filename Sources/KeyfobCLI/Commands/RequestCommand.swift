internal import ArgumentParser
internal import Keyfob
internal import KeyfobOAuth
internal import KeyfobTerminal

struct RequestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Call an API with the right account's token.",
        discussion: """
            Chooses the account as 'token --url' does, sends the request with its token, and prints the answer. A token \
            goes only where it belongs: to the account's provider, to the hosts of that provider's services \
            ('keyfob provider show'), to a host that is bound to the account ('keyfob bind --host'), or, with \
            --account, to the one that --allow-host names. Where it goes says what it is for: of Microsoft's accounts \
            the token for the service of that host is taken. Redirections are not followed. A token that the service \
            does not take any more (401) is replaced once, where the request changes nothing; one for which it wants \
            claims (insufficient_claims), whatever the request does.

            Ends with 0 when the status is below 400, and with 1 otherwise. Bodies and answers have at most 64 MiB.

            Example:
              keyfob request https://graph.microsoft.com/v1.0/me
              keyfob request https://api.contoso.example/me --account ada \\
                --allow-host api.contoso.example
              keyfob request https://api.github.com/user/repos -X POST \\
                -H 'Content-Type: application/json' --data '{"name":"demo"}'
            """)

    @Argument(help: "The address: https, or http on this machine.") var address: String

    @Option(name: [.customShort("X"), .long], help: ArgumentHelp("The method.", valueName: "method"))
    var method: Method?

    @Option(name: [.customShort("H"), .long], help: ArgumentHelp("A header; repeatable.", valueName: "name: value"))
    var header: [String] = []

    @Option(
        name: [.short, .long], help: ArgumentHelp("The body: text, '@file', or '@-'.", valueName: "text"))
    var data: String?

    @Option(name: .long, help: ArgumentHelp("For how many seconds to wait.", valueName: "seconds"))
    var timeout: Int64 = 60

    @OptionGroup var options: RequestOptions
    @OptionGroup var refresh: RefreshOptions
    @OptionGroup(visibility: .hidden) var networkOptions: NetworkOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    /// A method, in capitals or small letters.
    struct Method: ExpressibleByArgument {
        let method: APIRequest.Method

        init?(argument: String) {
            guard let method = APIRequest.Method(rawValue: argument.uppercased()) else { return nil }
            self.method = method
        }
    }

    func validate() throws {
        if !address.contains("://") {
            // One with a user may have a password, and a query is nobody's business: neither is repeated.
            let near = address.contains("@") ? "" : "; did you mean https://\(Self.shown(address))"
            throw ValidationError("the address has no scheme, such as https://\(near)")
        }
        guard (1...3_600).contains(timeout) else { throw ValidationError("--timeout is between 1 and 3600 seconds") }
        if header.contains(where: { !$0.contains(":") }) { throw ValidationError("--header is written 'name: value'") }
        if global.json { throw ValidationError("the answer is printed as it is; --json has no meaning") }
        if refresh.offline { throw ValidationError("a request needs the network; --offline has no meaning") }
    }

    func run() throws {
        var request = APIRequest(method?.method ?? (data == nil ? .get : .post), address)
        request.headers = header.map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts[1].trimmingPrefix { $0 == " " }.description)
        }
        if let data { request.body = try RequestBody.read(data) }
        let keyring = try global.unlockedKeyring(reaching: .network)
        defer { global.tellWarnings(of: keyring) }
        let options = try options(for: address)
        var acquisition = AttendedAcquisition(
            keyring: keyring, options: options, refresh: refresh, networkOptions: networkOptions, global: global)
        (acquisition.takesProofs, acquisition.takesCertificates) = (true, true)
        let network = try networkOptions.network()
        var answer = try acquisition.token()
        acquisition.noteUse(answer.found)
        var response = try send(request, answer, keyring.providers.network(network, for: answer.found))
        // Of claims that are wanted the service says that it has done nothing. No other token does for what wants a person.
        let isRefused =
            response.status == 401 && request.method.isSafe && answer.found.origin == .stored
            && !response.challenge.wantsPerson
        if isRefused || response.challenge.claims != nil {
            answer = try acquisition.replacement(for: answer.found, claims: response.challenge.claims)
            acquisition.noteUse(answer.found)
            response = try send(request, answer, keyring.providers.network(network, for: answer.found))
        }
        acquisition.remember(answer.found)
        try response.body.withBytes { (bytes) throws(KeyringError) in try StandardOutput.write(bytes: bytes) }
        if StandardOutput.isTerminal, !response.endsLine { try StandardOutput.write(lines: "\n") }
        if (300...399).contains(response.status) {
            let place = response.location.map { " to \($0)" } ?? ""
            StandardError.write(
                line: "keyfob: warning: the service answered \(response.status)\(place); redirections are not followed")
        }
        guard response.status < 400 else {
            let host = answer.found.destination?.host ?? address
            let words = "\(request.method.rawValue) \(Self.shown(address)): \(host) answered \(response.status)"
            if let error = keyring.tokens.stepUp(response.challenge, of: answer.found, at: host) {
                throw KeyringError(.requestRefused, "\(words): \(error.message)", advice: error.advice)
            }
            if response.status == 401, answer.found.credential.clientID == Credential.noClient {
                throw KeyringError(
                    .requestRefused, words, advice: .storeTokenOf(answer.found.account.id.description))
            }
            throw KeyringError(
                .requestRefused, words,
                hint: response.status == 401
                    ? "the token of \(keyring.accounts.shownName(of: answer.found.account)) is not for this service, or lacks a scope; say which with --scope or --account"
                    : nil)
        }
    }

    /// The address without its query.
    static func shown(_ address: String) -> String { String(address.prefix { $0 != "?" && $0 != "#" }) }

    /// What is asked for, with the address that the token goes to; another path of that host may stand in its place.
    private func options(for address: String) throws(KeyringError) -> RequestOptions {
        var options = options
        let own = try ResourceURL(address, option: "the address")
        guard let url = options.url else {
            options.url = address
            return options
        }
        let chosen = try ResourceURL(url, option: "--url")
        guard chosen.host == own.host else {
            throw KeyringError(.usage, "--url names another host than the address")
        }
        return options
    }

    private func send(
        _ request: APIRequest, _ answer: borrowing Keyring.TokenAnswer, _ network: Network
    ) throws(KeyringError) -> ReceivedAnswer {
        let held = TokenBox(answer)
        let timeout = timeout
        return try NetworkTask.runAlone { () async throws(KeyringError) in
            ReceivedAnswer(
                try await Keyring.Tokens.send(request, with: held.answer, seconds: timeout, network: network))
        }
    }
}

/// An answer, out of a task.
private final class ReceivedAnswer: Sendable {
    let status: Int
    let location: String?
    let challenge: ResourceChallenge
    let body: SecretBytes

    /// Whether the body ends a line, or is empty.
    var endsLine: Bool { body.withBytes { $0.byteCount == 0 || $0.byte(at: $0.byteCount - 1) == 10 } }

    init(_ response: consuming APIResponse) {
        status = response.status
        location = response.location
        challenge = response.challenge
        body = response.takeBody()
    }
}
