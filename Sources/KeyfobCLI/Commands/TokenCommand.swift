internal import ArgumentParser
internal import Keyfob
internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobTerminal

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print an access token.",
        discussion: """
            Prints the stored token while it is fresh. Otherwise it gets a new one: the refresh token is used once, \
            however many programs ask. If no new token can be had, the old one is printed with a warning while it is \
            valid for ten more seconds, unless --min-validity asks for more. Without --account the account is chosen: by the user in \
            --url, KEYFOB_ACCOUNT, what can serve the request, bindings of the directory, the URL and the tool \
            ('keyfob bind'), and what was chosen before. An account that is meant and signed out or removed is an \
            error: nobody else's token is given. Where several fit, a person at a terminal is asked, and the answer is \
            remembered. 'keyfob which' explains the choice. With --url, only a token that goes to that host is \
            printed: of an account of its provider, or one that the host is bound to; --account with --allow-host \
            overrules that.
            With --force-refresh and no --scope, the new token is for the scopes of the one that came last. Where a \
            new token comes of a sign-in that ends soon, that is told on standard error, once a day.

            Where nothing at hand opens the vault and 'keyfob agent' runs, the agent is asked. It gives what the \
            program that asks was allowed, and that program is keyfob: 'keyfob program' tells what allowing it means.

            With --format az the answer has the fields of 'az account get-access-token'. With --sasl it is what a mail \
            program sends to a server with XOAUTH2 or OAUTHBEARER, in Base64, for the account's user name.

            Ends with 10 when a person must sign in, 11 when several accounts fit, 14 when the provider granted fewer \
            scopes, 75 when the provider cannot be reached or asks to wait: try again, and 77 when an organisation \
            does not let the account, the device or the client in. Where an answer was lost on \
            its way, the old refresh token may be used up; the next call then ends with 10 and says so.

            Example:
              keyfob token --account ada@contoso.example \\
                --scope https://graph.microsoft.com/.default
              curl -H @<(keyfob token --account ada@contoso.example --header) \\
                https://graph.microsoft.com/v1.0/me
            """)

    @OptionGroup var options: RequestOptions

    @OptionGroup var validity: ValidityOptions

    @Flag(name: .long, help: "Print a whole Authorization header.") var header = false

    @Option(name: .long, help: ArgumentHelp("Print it as another program does: az.", valueName: "program"))
    var format: Format?

    @Option(
        name: .long, help: ArgumentHelp("Print it for a mail server: xoauth2 or oauthbearer.", valueName: "mechanism"))
    var sasl: SASLToken?
    @OptionGroup var refresh: RefreshOptions
    @OptionGroup(visibility: .hidden) var networkOptions: NetworkOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case az
    }

    func validate() throws {
        if [header, global.json, format != nil, sasl != nil].count(where: { $0 }) > 1 {
            throw ValidationError("--header, --json, --format and --sasl exclude one another")
        }
    }

    func run() throws {
        let reach = refresh.offline ? Reach.files() : .network
        switch try global.tokenSource(reaching: reach, asksAgent: !refresh.offline) {
        case .keyring(let keyring): try answer(from: keyring)
        case .agent(let agent, let reason, _):
            let request = try options.request(minimumValidity: validity.minValidity)
            let answer: Keyring.TokenAnswer
            do {
                answer = try agent.token(request, in: global.groups(), refresh.options)
            } catch {
                if agent.isNamed { throw error }
                return try self.answer(from: global.unlockedKeyring(reaching: reach, afterAgent: error, reason))
            }
            try print(answer)
        }
    }

    private func answer(from keyring: Keyring) throws {
        // Also where there is no token: a project file that does not count may be why.
        defer { global.tellWarnings(of: keyring) }
        var acquisition = AttendedAcquisition(
            keyring: keyring, options: options, refresh: refresh, networkOptions: networkOptions, global: global)
        let answer = try acquisition.token(minimumValidity: validity.minValidity)
        global.tellWarnings(of: keyring)
        if answer.found.isAging, refresh.offline {
            global.say("keyfob: warning: the token should be replaced soon; ask for it without --offline")
        }
        tellShortLife(answer.found)
        try print(answer)
        acquisition.noteUse(answer.found)
        acquisition.remember(answer.found)
    }

    private func print(_ answer: borrowing Keyring.TokenAnswer) throws {
        try answer.requirePrintable()
        if global.json {
            try printDocument(answer)
        } else if format != nil {
            let text = AzureTokenText(answer.found)
            try SecretInJSON(before: text.before, after: text.after).write(answer.secret) {
                (piece) throws(KeyringError) in try StandardOutput.write(bytes: piece)
            }
        } else if let sasl {
            try printLine(sasl, answer)
        } else {
            if header { try StandardOutput.write(data: "Authorization: Bearer ") }
            try answer.secret.withBytes { (bytes) throws(KeyringError) in try StandardOutput.write(bytes: bytes) }
            try StandardOutput.write(data: "\n")
        }
    }

    private func printLine(_ mechanism: SASLToken, _ answer: borrowing Keyring.TokenAnswer) throws(KeyringError) {
        guard let line = mechanism.line(user: answer.found.account.username, answer.secret) else {
            throw KeyringError(
                .damaged, "the account \(answer.found.account.name) has no user name that a mail server takes")
        }
        try line.withBytes { (bytes) throws(KeyringError) in try StandardOutput.write(bytes: bytes) }
        try StandardOutput.write(data: "\n")
    }

    /// Warns where no token of the provider lasts as long as was asked for, so that every call asks for a new one.
    private func tellShortLife(_ found: Keyring.FoundToken) {
        guard let expiry = found.credential.expiresOn, let start = found.credential.cachedAt, found.origin == .provider,
            let asked = validity.minValidity, expiry.seconds - start.seconds < asked
        else { return }
        global.say(
            "keyfob: warning: the provider's tokens are valid for \(expiry.seconds - start.seconds) seconds, and "
                + "--min-validity asks for \(asked): every call gets another one; ask for fewer")
    }

    /// The document, whose token is in no string of this process.
    private func printDocument(_ answer: borrowing Keyring.TokenAnswer) throws(KeyringError) {
        let document = TokenDocument(answer.found)
        try SecretInJSON(document, at: "token").write(answer.secret) { (piece) throws(KeyringError) in
            try StandardOutput.write(bytes: piece)
        }
    }
}

extension SASLToken: ExpressibleByArgument {}

/// `Schemas/token.schema.json`.
struct TokenDocument: JSONDocument {
    private enum Name: CodingKey { case formatVersion, token }

    let formatVersion = 1
    private let record: Record

    init(_ found: Keyring.FoundToken) { record = Record(found) }

    func encode(to encoder: any Encoder) throws {
        try record.encode(to: encoder)
        var object = encoder.container(keyedBy: Name.self)
        try object.encode(formatVersion, forKey: .formatVersion)
        // Stands for the token.
        try object.encode("", forKey: .token)
    }
}
