internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobVault
internal import Synchronization

/// A sign-in by browser (RFC 6749, section 4.1, with PKCE) that has begun and waits for the answer.
public final class BrowserSignIn: Sendable {
    /// What the browser opens.
    public let url: String
    let context: SignInContext
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var session: AuthorizationSession
        var code: SecretBytes?
    }

    /// What something that came to the redirect address was.
    public enum Callback: Hashable, Sendable {
        /// The answer; the sign-in can be finished.
        case accepted
        /// The end of the sign-in, without tokens.
        case failed(KeyringError)
        /// Nothing of this sign-in, for this reason; go on waiting.
        case ignored(String)
    }

    init(_ session: consuming AuthorizationSession, _ context: SignInContext) {
        url = session.url.text
        self.context = context
        state = Mutex(State(session: session))
    }

    /// Takes what came: the query or form of a callback, or an address that a person pasted.
    public func receive(_ callback: borrowing SecretBytes, isPasted: Bool = false) -> Callback {
        let copy = callback.withBytes { SecretBytes(copying: $0) }
        return state.withLock { state in
            switch state.session.receive(copy, as: isPasted ? .pastedURL : .fields) {
            case .code(let code):
                state.code = consume code
                return .accepted
            case .rejected(let why): return .ignored("\(why)")
            case .failed(.provider(let failure)): return .failed(KeyringError(failure, of: context.provider))
            case .failed(.issuerEncodedTwice):
                return .failed(
                    KeyringError(
                        .providerFailed, "\(AuthorizationFailure.issuerEncodedTwice)",
                        advice: context.request.usesFormPost ? .omitFormPost : nil))
            case .failed(let failure): return .failed(KeyringError(.providerFailed, "\(failure)"))
            }
        }
    }

    /// What the ID token must repeat.
    var nonce: String { state.withLock { $0.session.nonce } }

    /// The cloud that the answer names; nil where it names none, or may not.
    var cloud: String? { state.withLock { $0.session.cloud } }

    /// Whether the answer has come, and is not used up.
    var hasCode: Bool {
        state.withLock { state in
            switch state.code {
            case .some: true
            case .none: false
            }
        }
    }

    /// The request that redeems the code where `context` says; without a code, one that nobody takes.
    func redemption(_ client: borrowing OAuthClient, _ context: SignInContext) -> HTTPRequest {
        let client = client.copy()
        return state.withLock { state in
            let code = state.code.take() ?? SecretBytes(count: 0) { _ in }
            let request = state.session.redemption(
                of: code, client: client, at: context.metadata.endpoints[.token], extra: context.provider.tokenFields)
            if code.count > 0 { state.code = consume code }
            return request
        }
    }

    /// Forgets the code, which serves once.
    func forgetCode() { state.withLock { $0.code = nil } }
}

extension Keyring.SignIns {
    /// Where a browser may bring the answer for a client, the first choice first: the addresses that were added with it, or
    /// any port of this machine.
    ///
    /// - Throws: `noSuchProvider`, `noSuchClient`.
    public func redirects(
        for request: SignInRequest, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> [SignInRedirect] {
        let group = try keyring.groups.forNewItems(groups)
        let provider = try provider(for: request, in: group)
        let client = try registeredClient(request.clientID, of: provider, in: group)
        let redirects = client.redirectURIs.compactMap { uri -> SignInRedirect? in
            if PrivateUseScheme(ofRedirectURI: uri) != nil { return .scheme(uri: uri) }
            guard let url = try? EndpointURL(uri), let host = LoopbackRedirect.Host(rawValue: url.host) else {
                return nil
            }
            return .loopback(LoopbackRedirect(host: host, port: url.port, path: url.path))
        }
        if !redirects.isEmpty { return redirects }
        // Microsoft's public clients have `http://localhost`, without a path.
        let isMicrosoft = provider.description.quirks.contains(.multipleResources)
        return [
            .loopback(LoopbackRedirect(host: isMicrosoft ? .localhost : .ipv4, path: isMicrosoft ? "" : "/callback"))
        ]
    }

    /// Begins a sign-in whose answer comes to `redirectURI`; it waits on threads of Keyfob's own, see ``Keyring``.
    ///
    /// - Throws: `noSuchProvider`, `noSuchClient`, `offline`, `providerFailed`, `unavailable` where a library is missing, `usage`.
    public func begin(
        _ request: SignInRequest, redirectURI: String, in groups: [AccessGroup]? = nil, network: Network
    ) async throws(KeyringError) -> BrowserSignIn {
        try await StoreCall.run { () async throws(KeyringError) in
            try await begun(request, redirectURI, in: groups, network)
        }
    }

    private func begun(
        _ request: SignInRequest, _ redirectURI: String, in groups: [AccessGroup]?, _ network: Network
    ) async throws(KeyringError) -> BrowserSignIn {
        let context = try await context(for: request, in: groups, network: network)
        let asked = AskedScopes(context.scopes, at: context.provider)
        var options = AuthorizationOptions(scopes: asked.scopes)
        options.extraScopes = request.extraScopes
        options.prompt = try prompt(for: context).flatMap { AuthorizationOptions.Prompt($0) }
        options.loginHint = request.loginHint ?? context.expected.flatMap { $0.username.isEmpty ? nil : $0.username }
        options.domainHint = request.domainHint
        options.claims = request.claims
        (options.contexts, options.maximumAge) = (request.contexts, request.maximumAge)
        options.keyThumbprint = context.key?.thumbprint
        options.responseMode = request.usesFormPost ? .formPost : .query
        var target = AuthorizationSession.Target(
            provider: context.metadata, clientID: context.clientID, redirectURI: redirectURI)
        target.isInstanceAware = request.isInstanceAware
        let extra = context.provider.authorizationFields + asked.fields
        var session: AuthorizationSession
        do {
            session = try AuthorizationSession(
                target, options, extra: extra + context.parameters(besides: extra)
            ) {
                SecretBytes.random(count: $0)
            }
        } catch {
            throw KeyringError(error, of: context.provider)
        }
        if let name = try await push(session.pushed, context, network) { session.open(name) }
        return BrowserSignIn(session, context)
    }

    /// Redeems the answer and stores the tokens; it waits on threads of Keyfob's own, see ``Keyring``.
    ///
    /// - Throws: `otherAccount` where somebody else signed in than was asked for, whose tokens are not kept;
    ///   `signInNeeded`, `offline`, `providerFailed`, and what writing can throw.
    public func finish(_ signIn: BrowserSignIn, network: Network) async throws(KeyringError) -> SignInReport {
        try await StoreCall.run { () async throws(KeyringError) in try await finished(signIn, network) }
    }

    private func finished(_ signIn: BrowserSignIn, _ network: Network) async throws(KeyringError) -> SignInReport {
        let context = try await context(of: signIn, network)
        let network = try network.serving(context.provider)
        var exchange = try exchange(context, network)
        defer { signIn.forgetCode() }
        let received = try await redeem(signIn, context, &exchange)
        keepMethod(of: exchange, context)
        return try await file(received, context, nonce: signIn.nonce, exchange.client, network)
    }

    /// Redeems the code; again where the provider asks for a moment, so that the person need not begin anew.
    private func redeem(
        _ signIn: BrowserSignIn, _ context: SignInContext, _ exchange: inout ClientExchange
    ) async throws(KeyringError) -> ReceivedTokens {
        guard signIn.hasCode else { throw KeyringError(.fault, "a sign-in was finished without its answer") }
        var patience = ShortPatience()
        while true {
            let (received, failure) = await exchange.tokens(clock) { signIn.redemption($0, context) }
            if let received { return received }
            let lack = failure ?? .outcomeUnknown
            guard let seconds = patience.wait(after: lack, now: clock.now) else {
                throw context.error(lack, exchange.client)
            }
            do { try await Task.sleep(for: .seconds(seconds)) } catch {
                throw KeyringError(.cancelled, "the sign-in was cancelled")
            }
        }
    }
}

extension ClientExchange {
    /// The answer to a request for the tokens of a sign-in, or why there is none.
    mutating func tokens(
        _ clock: WallClock, _ message: (borrowing OAuthClient) -> HTTPRequest
    ) async -> (received: ReceivedTokens?, failure: ProviderFailure?) {
        let sentAt = clock.now
        let response: HTTPResponse
        switch await send(message) {
        case .answered(let answer): response = answer
        case .failed(let failure): return (nil, failure)
        }
        switch TokenOutcome(response, hasProof: key != nil, now: clock.now) {
        case .tokens(let tokens):
            let key = tokens.details.isBound ? key : nil
            let identity = client.identity(ofTokens: tokens)
            return (
                ReceivedTokens(tokens, sentAt: sentAt, replacesRefreshToken: true, key: key, identity: identity), nil
            )
        case .failed(let failure): return (nil, failure)
        }
    }
}

extension AuthorizationOptions.Prompt {
    fileprivate init(_ prompt: SignInPrompt) {
        self =
            switch prompt {
            case .none: .none
            case .selectAccount: .selectAccount
            case .login: .login
            case .consent: .consent
            case .create: .create
            }
    }
}
