internal import ArgumentParser
internal import Keyfob
internal import KeyfobInterop
internal import KeyfobTerminal

struct AWSCredentialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "aws", abstract: "Give AWS's tools credentials for the right account's token.",
        discussion: """
            A credential_process, named in AWS's configuration: exchanges the account's token at AWS's Security Token \
            Service for credentials of a role (AssumeRoleWithWebIdentity), and prints those. The role has to trust the \
            token's issuer and audience. The account is chosen as 'keyfob token --url' chooses it for the service's \
            address, so that has to be a host to which the account's tokens go: bind it.

            The credentials are kept in the vault for a quarter of an hour less than they are valid, so that the service is \
            not asked by each program; --force-refresh asks it for others, and a sign-out removes them. A token that the \
            service does not take any more is replaced once. Where several accounts fit, it asks as 'keyfob helper git' does; Ctrl-R binds the choice to the host.

            Example:
              keyfob bind --host sts.amazonaws.com ada@contoso.example
              keyfob setup aws reader --scope api://aws/.default \\
                --role-arn arn:aws:iam::123456789012:role/reader
              aws s3 ls --profile reader
            """)

    @Option(
        name: .customLong("role-arn"),
        help: ArgumentHelp("The role: arn:aws:iam::123456789012:role/reader.", valueName: "arn"))
    var role: String

    @Option(
        name: .long, help: ArgumentHelp("The session's name in AWS's logs (default: the user name).", valueName: "name")
    )
    var sessionName: String?

    @Option(
        name: .long,
        help: ArgumentHelp("For how many seconds, 900 to 43200 (default: an hour).", valueName: "seconds"))
    var duration: Int?

    @Option(name: .long, help: ArgumentHelp("The region whose service is asked (default: none).", valueName: "region"))
    var region: String?

    @Option(name: .long, help: ArgumentHelp("The address of another such service.", valueName: "url"))
    var endpoint: String?

    @OptionGroup var options: CredentialOptions

    func validate() throws {
        if region != nil, endpoint != nil { throw ValidationError("--region and --endpoint exclude one another") }
        if let duration, !(900...43_200).contains(duration) {
            throw ValidationError("--duration is between 900 and 43200 seconds")
        }
        if let sessionName, sessionName != RoleRequest.sessionName(for: sessionName) {
            throw ValidationError("--session-name has 2 to 64 letters, digits and characters of _+=,.@-")
        }
        if let region, !Self.isRegion(region) { throw ValidationError("--region is a name like eu-central-1") }
        guard Self.isRole(role) else {
            throw ValidationError("--role-arn is a name like arn:aws:iam::123456789012:role/reader")
        }
        if options.refresh.offline { throw ValidationError("the service has to be asked; --offline has no meaning") }
    }

    /// Whether a region can be called so.
    static func isRegion(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }

    /// Whether a role can be called so.
    static func isRole(_ text: String) -> Bool {
        text.hasPrefix("arn:") && (20...2_048).contains(text.utf8.count) && Identifier.isAcceptable(text)
    }

    func run() throws {
        let address = endpoint ?? "https://sts.\(region.map { $0 + "." } ?? "")amazonaws.com/"
        guard let url = CredentialURL(address) else {
            throw KeyringError(.usage, "--endpoint is an address with https, or http on this machine")
        }
        let keyring = try options.keyringForToken()
        defer { options.global.tellWarnings(of: keyring) }
        let question = CredentialOptions.Question(tool: "aws", url: url)
        if !options.refresh.forceRefresh,
            let kept = try keyring.tokens.keptAnswer(
                for: options.request(question), in: options.global.groups(), taking: { role(of: $0, url) })
        {
            return try kept.withBytes { (bytes) throws(KeyringError) in try StandardOutput.write(bytes: bytes) }
        }
        var token = try options.requiredToken(question, from: .keyring(keyring))
        let credentials: ReceivedCredentials
        do throws(KeyringError) {
            credentials = try assume(url, token)
        } catch {
            guard error.code == .signInNeeded, token.answer.found.origin == .stored else { throw error }
            token = try token.replacement()
            credentials = try assume(url, token)
        }
        try credentials.answer.withBytes { (bytes) throws(KeyringError) in try StandardOutput.write(bytes: bytes) }
        token.remember()
        let found = token.answer.found
        do throws(KeyringError) {
            try keyring.tokens.keep(
                credentials.answer, of: role(of: found.account, url), until: credentials.expiresOn, gotBy: found)
        } catch {
            options.global.say("keyfob: warning: the credentials are not kept for the next time: \(error.message)")
        }
    }

    /// The role as an account takes it.
    private func role(of account: Account, _ url: CredentialURL) -> RoleRequest {
        RoleRequest(
            role, sessionName: sessionName ?? RoleRequest.sessionName(for: account.username), seconds: duration,
            endpoint: url.text)
    }

    private func assume(
        _ url: CredentialURL, _ token: borrowing ToolToken
    ) throws(KeyringError) -> ReceivedCredentials {
        let held = TokenBox(token.answer)
        let request = role(of: held.answer.found.account, url)
        let network = try options.networkOptions.network()
        return try NetworkTask.runAlone { () async throws(KeyringError) in
            let credentials = try await Keyring.Tokens.assume(request, with: held.answer, network: network)
            return ReceivedCredentials(answer: credentials.answer(), expiresOn: credentials.expiresOn)
        }
    }
}

/// The answer with credentials, out of a task.
private final class ReceivedCredentials: Sendable {
    let answer: SecretBytes
    let expiresOn: Timestamp

    init(answer: consuming SecretBytes, expiresOn: Timestamp) {
        self.answer = answer
        self.expiresOn = expiresOn
    }
}
