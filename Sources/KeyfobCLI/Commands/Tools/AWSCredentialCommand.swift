internal import ArgumentParser
internal import Keyfob
internal import KeyfobInterop

struct AWSCredentialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "aws", abstract: "Give AWS's tools credentials for the right account's token.",
        discussion: """
            A credential_process, named in AWS's configuration: exchanges the account's token at AWS's Security Token \
            Service for credentials of a role (AssumeRoleWithWebIdentity), and prints those. The role has to trust the \
            token's issuer and audience. The account is chosen as 'keyfob token --url' chooses it for the service's \
            address, so that has to be a host to which the account's tokens go: bind it.

            The credentials are stored nowhere. AWS's tools keep them while they run and ask again before they expire; a \
            token that the service does not take any more is replaced once. It asks nothing.

            Example:
              keyfob bind --host sts.amazonaws.com ada@contoso.example
              aws configure set profile.reader.credential_process \\
                'keyfob helper aws --role-arn arn:aws:iam::123456789012:role/reader --scope api://aws/.default'
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
        if let region, region.isEmpty || !region.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
        {
            throw ValidationError("--region is a name like eu-central-1")
        }
        guard role.hasPrefix("arn:"), (20...2_048).contains(role.utf8.count) else {
            throw ValidationError("--role-arn is a name like arn:aws:iam::123456789012:role/reader")
        }
        if options.refresh.offline { throw ValidationError("the service is asked each time; --offline has no meaning") }
    }

    func run() throws {
        let address = endpoint ?? "https://sts.\(region.map { $0 + "." } ?? "")amazonaws.com/"
        guard let url = CredentialURL(address) else {
            throw KeyringError(.usage, "--endpoint is an address with https, or http on this machine")
        }
        let keyring = try options.keyringForToken()
        defer { options.global.tellWarnings(of: keyring) }
        var token = try options.requiredToken(CredentialOptions.Question(tool: "aws", url: url), in: keyring)
        let credentials: ReceivedCredentials
        do throws(KeyringError) {
            credentials = try assume(url, token)
        } catch {
            guard error.code == .signInNeeded, token.answer.found.origin == .stored else { throw error }
            token = try token.replacement()
            credentials = try assume(url, token)
        }
        try credentials.write()
        token.remember()
    }

    private func assume(
        _ url: CredentialURL, _ token: borrowing ToolToken
    ) throws(KeyringError) -> ReceivedCredentials {
        let held = TokenBox(token.answer)
        let request = RoleRequest(
            role, sessionName: sessionName ?? RoleRequest.sessionName(for: held.answer.found.account.username),
            seconds: duration, endpoint: url.text)
        let network = try options.networkOptions.network()
        return try NetworkTask.run { () async throws(KeyringError) in
            ReceivedCredentials(try await Keyring.assume(request, with: held.answer, network: network))
        }
    }
}

/// Credentials, out of a task.
private final class ReceivedCredentials: Sendable {
    private let credentials: WebIdentityCredentials

    init(_ credentials: consuming WebIdentityCredentials) { self.credentials = credentials }

    /// Writes them as a credential_process has to; no value has a character that JSON would write as another.
    func write() throws(KeyringError) {
        try StandardOutput.write(
            data: "{\"Version\":1,\"AccessKeyId\":\"\(credentials.accessKeyID)\",\"SecretAccessKey\":\"")
        try credentials.secretAccessKey.withBytes { (bytes) throws(KeyringError) in
            try StandardOutput.write(bytes: bytes)
        }
        try StandardOutput.write(data: "\",\"SessionToken\":\"")
        try credentials.sessionToken.withBytes { (bytes) throws(KeyringError) in
            try StandardOutput.write(bytes: bytes)
        }
        try StandardOutput.write(data: "\",\"Expiration\":\"\(credentials.expiresOn.rfc3339)\"}\n")
    }
}
