internal import ArgumentParser
internal import Keyfob
internal import KeyfobLookup

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print an access token.",
        discussion: """
            Answers from what is stored while that is fresh, and else with a new token: the refresh token is redeemed \
            once, however many programs ask at the same time. Without --account the account is chosen: by what can \
            serve the request, by bindings of the directory, the URL and the tool ('keyfob bind'), and by what was \
            chosen before. Where that leaves several, a person at a terminal is asked, and the answer is remembered. \
            'keyfob which' explains the choice. With --url, only a token that goes to that host is printed: of an \
            account of its provider, or one that the host is bound to; --account with --allow-host overrules that.
            With --force-refresh and no --scope, the new token is for the scopes of the one that came last. Where a new \
            token comes of a sign-in that ends soon, that is told on standard error, once a day.

            Ends with 10 when a person must sign in, 11 when several accounts fit, 14 when the provider granted fewer \
            scopes, and 75 when the provider cannot be reached or asks to wait: try again. Where an answer was lost on \
            its way, the old refresh token may be used up; the next call then ends with 10 and says so.

            Example:
              keyfob token --account ada@contoso.example --scope https://graph.microsoft.com/.default
              curl -H @<(keyfob token --account ada@contoso.example --header) https://graph.microsoft.com/v1.0/me
            """)

    @OptionGroup var options: RequestOptions

    @Option(
        name: .long,
        help: ArgumentHelp("For how many more seconds the token must be valid, at most a day.", valueName: "seconds"))
    var minValidity = TokenRequest.usualMinimumValidity

    @Flag(name: .long, help: "Print a whole Authorization header.") var header = false
    @OptionGroup var refresh: RefreshOptions
    @OptionGroup var networkOptions: NetworkOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard TokenRequest.minimumValidities.contains(minValidity) else {
            throw ValidationError("--min-validity is between 0 and 86400 seconds")
        }
        if header, global.json { throw ValidationError("--header and --json exclude one another") }
    }

    func run() throws {
        let keyring = try global.unlockedKeyring(reaching: refresh.offline ? .files() : .network)
        // Also where there is no token: a project file that does not count may be why.
        defer { global.tellWarnings(of: keyring) }
        var acquisition = AttendedAcquisition(
            keyring: keyring, options: options, refresh: refresh, networkOptions: networkOptions, global: global)
        let answer = try acquisition.token(minimumValidity: minValidity)
        global.tellWarnings(of: keyring)
        if answer.found.isAging, refresh.offline {
            global.say("keyfob: warning: the token should be replaced soon; ask for it without --offline")
        }
        tellShortLife(answer.found)
        try answer.requirePrintable()
        if global.json {
            try printDocument(answer)
        } else {
            if header { try StandardOutput.write(data: "Authorization: Bearer ") }
            try answer.secret.withBytes { (bytes) throws(KeyringError) in try StandardOutput.write(bytes: bytes) }
            try StandardOutput.write(data: "\n")
        }
        acquisition.remember(answer.found)
    }

    /// Warns where no token of the provider lasts as long as was asked for, so that every call asks for a new one.
    private func tellShortLife(_ found: Keyring.FoundToken) {
        guard let expiry = found.credential.expiresOn, let start = found.credential.cachedAt, found.origin == .provider,
            expiry.seconds - start.seconds < minValidity
        else { return }
        global.say(
            "keyfob: warning: the provider's tokens are valid for \(expiry.seconds - start.seconds) seconds, and "
                + "--min-validity asks for \(minValidity): every call gets another one; ask for fewer")
    }

    /// The document, whose token is in no string of this process.
    private func printDocument(_ answer: borrowing Keyring.TokenAnswer) throws(KeyringError) {
        let document = TokenDocument(answer.found)
        try SecretInJSON(document, at: "token").write(answer.secret) { (piece) throws(KeyringError) in
            try StandardOutput.write(bytes: piece)
        }
    }
}

extension Keyring.TokenAnswer {
    /// - Throws: `damaged` for a token with which a line, or a terminal, would be another.
    borrowing func requirePrintable() throws(KeyringError) {
        guard secret.isHeaderValue else {
            throw KeyringError(
                .damaged, "the token of \(found.account.name) holds control characters and is not printed",
                hint: "store it again")
        }
    }
}

/// `Schemas/token.schema.json`.
struct TokenDocument: JSONDocument {
    let formatVersion = 1
    /// Stands for the token.
    let token = ""
    let tokenType: String
    let expiresOn: String?
    let scopes: [String]
    let account: String
    let username: String
    let group: String
    let clientID: String
    let tenant: String?
    let source: String

    init(_ found: Keyring.FoundToken) {
        tokenType = found.credential.shownTokenType
        expiresOn = found.credential.expiresOn.map(\.rfc3339)
        scopes = found.credential.scopes.scopes
        account = found.account.id.description
        username = found.account.username
        group = found.group.name
        clientID = found.credential.clientID
        tenant = found.credential.realm.isEmpty ? nil : found.credential.realm
        source = found.origin.rawValue
    }
}
