internal import Keyfob
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSodium

/// An agent that is asked for tokens in the place of a vault that nothing at hand opens; it decides what this program may have.
struct AskedAgent: Sendable {
    private let socket: String
    /// Whether `KEYFOB_AGENT` names it: then it may be anybody's, and no vault here stands behind it.
    let isNamed: Bool
    /// Lets the agent see which program this is, or ends that.
    private let showsItself: @Sendable (Bool) -> Void

    /// For how many seconds an answer is waited for that a person may have to allow, and a provider to give.
    private static let patience = 180

    /// The agent of the vault at `location`; nil where none listens.
    ///
    /// - Parameters:
    ///   - environment: The variables that say which vault is the usual one.
    ///   - showsItself: Lets the agent see which program this is, or ends that, where the system would not show it.
    /// - Throws: `notPermitted` where another user listens.
    init?(
        of location: KeyringLocation, _ environment: [String: String],
        showsItself: @escaping @Sendable (Bool) -> Void = { _ in }
    ) throws(KeyringError) {
        guard let place = try? AgentPlace(location, environment), try AgentClient(place.socket) != nil else {
            return nil
        }
        (socket, isNamed) = (place.socket, false)
        self.showsItself = showsItself
    }

    /// The agent whose socket `KEYFOB_AGENT` names, in the place of a vault; nil where it names none.
    ///
    /// - Throws: `unavailable` where nobody listens there.
    init?(namedIn environment: [String: String]) throws(KeyringError) {
        guard let path = environment["KEYFOB_AGENT"], !path.isEmpty else { return nil }
        guard try AgentClient(path, ofAnybody: true) != nil else {
            throw KeyringError(
                .unavailable, "nobody listens at \(path), which KEYFOB_AGENT names", advice: .openAgentSocket(path))
        }
        (socket, isNamed) = (path, true)
        showsItself = { _ in }
    }

    /// Why a keyring cannot be opened where such an agent stands in its place.
    static let givesTokensAlone = KeyringError(
        .notPermitted, "the socket that KEYFOB_AGENT names gives tokens alone", advice: nil)

    /// A token.
    ///
    /// - Parameters:
    ///   - takesChosenAlone: Whether of several accounts that fit none is taken because this program may have no other.
    ///   - mayAsk: Whether the agent may ask a person.
    ///   - waiting: Called where the answer takes longer than usual, as where a person is asked in a window.
    /// - Throws: What the agent refuses with: `notPermitted`, `locked`, and as `Keyring.token`.
    func token(
        _ request: TokenRequest, in groups: [AccessGroup]?, _ options: SilentOptions, takesChosenAlone: Bool = false,
        mayAsk: Bool = true,
        waiting: (() -> Void)? = nil
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        let reply: AgentReply
        do throws(KeyringError) {
            reply = try call("Token", waiting) { writer in
                writer.members(of: request, groups)
                writer.members(of: options, request.minimumValidity)
                if takesChosenAlone { writer.member("chosenAlone", true) }
                if !mayAsk { writer.member("silent", true) }
            }
        } catch {
            throw error.asked(request, in: groups)
        }
        guard let answer = reply.token else { throw AgentClient.senseless() }
        return answer
    }

    /// The accounts of which this program may have tokens.
    func accounts(in groups: [AccessGroup]?) throws(KeyringError) -> [Record] {
        try call("Accounts") { $0.member(groups) }.objects("accounts").map { account in
            Record(AccountRecord.fields) { account.value($0, $1) }
        }
    }

    /// Whether it holds keys now.
    func isOpen() throws(KeyringError) -> Bool { try call("Status") { _ in }.flag("isOpen") }

    /// For how many minutes a person may be waited for.
    static let minutes = patience / 60

    private func call(
        _ method: String, _ waiting: (() -> Void)? = nil, _ write: (inout JSONWriter) -> Void
    ) throws(KeyringError) -> AgentReply {
        // An agent looks when somebody connects, too.
        showsItself(true)
        defer { showsItself(false) }
        guard let client = try AgentClient(socket, ofAnybody: isNamed) else {
            throw KeyringError(.unavailable, "the agent has ended")
        }
        return try client.call(
            method, patience: Self.patience, arrived: { showsItself(false) }, waiting: waiting, write)
    }
}

extension JSONWriter {
    /// Writes how far one may go to get a token, and how long it is to be valid.
    mutating func members(of options: SilentOptions, _ minimumValidity: Int64?) {
        if let minimumValidity { member("minimumValidity", Int(minimumValidity)) }
        member("forceRefresh", options.forcesRefresh)
        member("extendedLifetime", options.allowsExtendedLifetime)
        member("claims", options.claims)
    }

    /// Writes what a request says, and where it comes from.
    mutating func members(of request: TokenRequest, _ groups: [AccessGroup]?) {
        member("account", request.account)
        member("login", request.login)
        member("provider", request.environment)
        member("tenant", request.realm)
        member("policy", request.policy)
        member("client", request.clientID)
        if !request.scopes.isEmpty { member("scopes", request.scopes.scopes) }
        member("url", request.context.url?.description)
        member("tool", request.context.tool)
        member("directory", request.context.directory)
        let callers = CallingTool.folders(request.context.callers)
        if !callers.isEmpty { member("callers", callers) }
        member("remote", request.context.remote?.description)
        member("committer", request.context.committer.map { "\($0.name)@\($0.domain)" })
        member("allowedHost", request.allowedHost)
        member(groups)
    }

    fileprivate mutating func member(_ groups: [AccessGroup]?) {
        if let groups { member("groups", groups.map(\.name)) }
    }
}
