internal import ArgumentParser
internal import Keyfob

struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print an access token.",
        discussion: """
            Answers from what is stored. Without --account the account is chosen: by what can serve the request, by \
            bindings of the directory, the URL and the tool ('keyfob bind'), and by what was chosen before. Where that \
            leaves several, a person at a terminal is asked, and the answer is remembered. 'keyfob which' explains \
            the choice.

            Ends with 10 when a sign-in or a refresh is needed, and with 11 when several accounts fit.

            Example:
              keyfob token --account ada@contoso.example --scope https://graph.microsoft.com/.default
              curl -H @<(keyfob token --account ada@contoso.example --header) https://graph.microsoft.com/v1.0/me
            """)

    @OptionGroup var options: RequestOptions

    @Option(
        name: .long,
        help: ArgumentHelp("For how many more seconds the token must be valid, at most a day.", valueName: "seconds"))
    var minValidity: Int64 = 300

    @Flag(name: .long, help: "Print a whole Authorization header.") var header = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard (0...86_400).contains(minValidity) else {
            throw ValidationError("--min-validity is between 0 and 86400 seconds")
        }
        if header, global.json { throw ValidationError("--header and --json exclude one another") }
    }

    func run() throws {
        let keyring = try global.unlockedKeyring()
        // Also where there is no token: a project file that does not count may be why.
        defer { global.tellWarnings(of: keyring) }
        var request = try options.request(minimumValidity: minValidity)
        let groups = try global.groups()
        var picked: Candidate?
        let answer = try answer(keyring, &request, groups, &picked)
        global.tellWarnings(of: keyring)
        if answer.found.isAging {
            global.say(
                "keyfob: warning: the token should be replaced soon; sign in again with the program that owns the account"
            )
        }
        if global.json {
            try printDocument(answer)
        } else {
            if header { try StandardOutput.write(text: "Authorization: Bearer ") }
            try answer.secret.withBytes { (bytes) throws(KeyringError) in try StandardOutput.write(bytes: bytes) }
            try StandardOutput.write(text: "\n")
        }
        remember(answer.found, picked, request, keyring)
    }

    /// The token; where several accounts fit and a person is there, of the one that they pick.
    private func answer(
        _ keyring: Keyring, _ request: inout TokenRequest, _ groups: [AccessGroup]?, _ picked: inout Candidate?
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        do {
            return try keyring.token(for: request, in: groups)
        } catch  where error.code == .ambiguous && request.account == nil && global.mayPick {
            guard let chosen = try pick(keyring, request, groups) else { throw error }
            picked = chosen
            request.account = chosen.account.id.description
        }
        return try keyring.token(for: request, in: groups)
    }

    /// Lets the person choose where the request is for several accounts.
    private func pick(
        _ keyring: Keyring, _ request: TokenRequest, _ groups: [AccessGroup]?
    ) throws(KeyringError) -> Candidate? {
        let selection = try keyring.select(request, in: groups)
        guard case .ambiguous = selection.outcome else { return nil }
        return try global.pick(among: PickerItem.candidates(of: selection), for: request)
    }

    /// Remembers whose token it was, when somebody chose; the token is on its way already.
    private func remember(
        _ found: Keyring.Found, _ picked: Candidate?, _ request: TokenRequest, _ keyring: Keyring
    ) {
        switch found.reason {
        case .explicit where picked != nil:
            keyring.remember(found.account.id, in: found.group, for: request, by: .person)
        case .explicit where options.account != nil && StandardError.isTerminal && CallingTool.isInteractiveShell:
            // Only what a person typed, and not what a script repeats, tells what the person wants.
            guard let context = try? options.context() else { return }
            var request = request
            request.context = context
            keyring.remember(found.account.id, in: found.group, for: request, by: .person)
        case .learned: keyring.remember(found.account.id, in: found.group, for: request, by: .selection)
        default: return
        }
    }

    /// The token as text, because JSON can hold nothing else.
    private func printDocument(_ answer: borrowing Keyring.TokenAnswer) throws(KeyringError) {
        let text = answer.secret.withBytes { String(validating: [UInt8]($0), as: UTF8.self) }
        guard let text else { throw KeyringError(.damaged, "the token is not text", hint: "ask for it without --json") }
        let found = answer.found
        try JSONOutput.print(
            TokenDocument(
                token: text, tokenType: found.credential.shownTokenType,
                expiresOn: found.credential.expiresOn.map(TimeText.rfc3339),
                scopes: found.credential.scopes.scopes, account: found.account.id.description,
                username: found.account.username, group: found.group.name, clientID: found.credential.clientID,
                tenant: found.credential.realm.isEmpty ? nil : found.credential.realm))
    }
}

/// `Schemas/token.schema.json`.
struct TokenDocument: JSONDocument {
    let formatVersion = 1
    let token: String
    let tokenType: String
    let expiresOn: String?
    let scopes: [String]
    let account: String
    let username: String
    let group: String
    let clientID: String
    let tenant: String?
}
