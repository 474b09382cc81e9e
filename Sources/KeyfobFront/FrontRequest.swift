internal import Glibc
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel

/// What a command line and its environment ask for, read as `keyfob token` and the helpers read them.
struct FrontRequest {
    let places: StandardPlaces
    /// A key file that was named.
    let keyFile: String?
    let groups: [AccessGroup]?
    let request: TokenRequest
    /// The tool that asks, where that was said.
    let tool: String?

    /// What a tool says besides: where the token goes, and whose it may be.
    struct Question {
        let tool: ToolCall
        let url: String
        var login: String?
        /// The account whose token the tool had before.
        var account: String?
        /// For how many seconds the token has to be valid; nil for as long as usual.
        var minimumValidity: Int64?
    }

    /// Whether the full program takes these options, whatever is asked.
    static func isWellFormed(_ arguments: TokenArguments) -> Bool {
        let texts = [
            arguments[.account], arguments[.scope], arguments[.resource], arguments[.tenant], arguments[.client],
            arguments[.tool],
        ]
        return texts.allSatisfy({ $0.map(Identifier.isAcceptable) ?? true })
            && (arguments[.resource] == nil || arguments[.scope] == nil)
            && (arguments[.tenant].map(TokenRequest.isTenant) ?? true)
    }

    /// What is asked for; nil where the full program has to say more, or to remember who typed what.
    init?(_ arguments: TokenArguments, _ variables: Variables, asking question: Question? = nil) {
        guard Self.isWellFormed(arguments) else { return nil }
        if arguments.has(.account), isatty(STDERR_FILENO) == 1, CallingTool.isInteractiveShell { return nil }
        guard let places = try? StandardPlaces(vault: arguments[.vault], { variables.value($0) }) else { return nil }
        self.places = places
        keyFile = arguments[.keyFile] ?? variables["KEYFOB_KEY_FILE"]

        if let name = arguments[.group] ?? variables["KEYFOB_GROUP"] {
            guard let group = try? AccessGroup(name) else { return nil }
            groups = [group]
        } else {
            groups = nil
        }
        var seconds = question?.minimumValidity
        if let text = arguments[.minValidity] {
            guard let typed = Int64(digits: text.utf8), TokenRequest.minimumValidities.contains(typed) else {
                return nil
            }
            seconds = typed
        }
        var address: ResourceURL?
        var login = question?.login
        if let text = question?.url ?? arguments[.url] {
            // To what is not https no token goes, unless it is on this machine; helpers have looked at that.
            if question == nil, Identifier.folded(String(text.prefix(7))) == "http://" { return nil }
            let (rest, user) = question == nil ? ResourceURL.withoutUser(text) : (text, nil)
            guard let parsed = try? ResourceURL(parsing: rest) else { return nil }
            address = parsed
            login = parsed.login(login ?? user)
        }
        if login != nil, isatty(STDERR_FILENO) == 1, CallingTool.isInteractiveShell { return nil }
        tool = question?.tool.tool ?? arguments[.tool]
        var request = TokenRequest(
            realm: arguments[.tenant].flatMap(TokenRequest.specificTenant), clientID: arguments[.client],
            scopes: ScopeSet(words: [arguments[.scope]].compactMap { $0 }, resource: arguments[.resource]),
            minimumValidity: seconds)
        request.name(
            asked: question?.account ?? arguments[.account], login: question?.account == nil ? login : nil,
            usual: variables["KEYFOB_ACCOUNT"])
        request.context =
            request.isNamed
            ? RequestContext(url: address)
            : RequestContext(
                at: ".", gitFolder: question?.tool == .git ? variables["GIT_DIR"] : nil, url: address,
                // What draws a prompt tells nothing of what the token is for.
                tool: arguments.isPrompt ? nil : tool ?? CallingTool.name, person: PersonalGit { variables.value($0) })
        (request.purpose, request.namedTool) = (ToolCall.purpose(ofTool: tool), tool)
        self.request = request
    }
}
