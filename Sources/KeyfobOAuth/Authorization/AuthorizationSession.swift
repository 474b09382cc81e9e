internal import KeyfobModel
package import KeyfobSodium

/// One sign-in by authorization code with PKCE (RFC 6749, section 4.1; RFC 7636), from the address that the
/// browser opens to the request that redeems the code.
///
/// It does no input or output: the shell opens ``url``, gives every callback to ``receive(_:as:)`` and sends what
/// ``redemption(of:client:at:extra:)`` makes. Callbacks of others do not end it.
package struct AuthorizationSession: ~Copyable, Sendable {
    /// Who is asked, and where the answer goes.
    package struct Target: Sendable {
        /// The provider.
        package var provider: ProviderMetadata
        /// The client.
        package var clientID: String
        /// Where the answer goes, exactly as in the redemption; on this machine, any port (RFC 8252, section 7.3).
        package var redirectURI: String
        /// Whether the answer may name another of Microsoft's clouds, where the person is at home.
        package var isInstanceAware = false

        /// A target.
        package init(provider: ProviderMetadata, clientID: String, redirectURI: String) {
            self.provider = provider
            self.clientID = clientID
            self.redirectURI = redirectURI
        }
    }

    /// What the browser opens.
    package private(set) var url: EndpointURL
    /// The same, to be left with the provider.
    package let pushed: PushedAuthorization
    /// What the ID token must repeat.
    package let nonce: String
    /// The host of the cloud that the answer names, where it may name one.
    package private(set) var cloud: String?
    private let target: Target
    private let endpoint: EndpointURL
    private let tokenEndpoint: EndpointURL
    private let scopes: ScopeSet
    private let state: String
    private let pkce: PKCE
    private var isAnswered = false

    /// How a callback came.
    package enum Form: Hashable, Sendable {
        /// The query of the redirect, or the body of the form post.
        case fields
        /// An address that a person pasted.
        case pastedURL
    }

    /// Begins a sign-in; `randomness` gives as many secret bytes as it is asked for.
    ///
    /// - Throws: `endpointMissing` where the provider has no authorization or token endpoint.
    package init(
        _ target: Target, _ options: AuthorizationOptions, extra: TokenRequests.Extra = [],
        randomness: (Int) -> SecretBytes
    ) throws(DiscoveryFailure) {
        let endpoint = try target.provider.require(.authorization)
        let tokenEndpoint = try target.provider.require(.token)
        let pkce = PKCE(randomness: randomness)
        let state = Self.word(randomness)
        let nonce = Self.word(randomness)
        let scopes = ScopeSet(options.scopes.scopes + options.extraScopes.scopes)
        var items: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", target.clientID), ("redirect_uri", target.redirectURI),
        ]
        if !scopes.isEmpty { items.append(("scope", scopes.spaceSeparated)) }
        items.append(("state", state))
        // An ID token repeats it, and nothing else does.
        if target.provider.isOpenID || scopes.scopes.contains("openid") { items.append(("nonce", nonce)) }
        items += [("code_challenge", pkce.challenge), ("code_challenge_method", "S256")]
        let mode = options.responseMode
        let optional: [(String, String?)] = [
            // The query is what a code comes in by itself; not every provider knows the word.
            ("response_mode", mode == .query ? nil : mode.rawValue),
            ("prompt", options.prompt?.rawValue), ("login_hint", options.loginHint),
            ("domain_hint", options.domainHint), ("claims", options.claims),
            ("acr_values", options.contexts.joined(separator: " ")), ("max_age", options.maximumAge.map(String.init)),
            ("dpop_jkt", options.keyThumbprint),
        ]
        for (name, value) in optional { if let value, !value.isEmpty { items.append((name, value)) } }
        if target.isInstanceAware { items.append(("instance_aware", "true")) }
        self.url = endpoint.appending(items + extra)
        self.pushed = PushedAuthorization(items + extra)
        self.nonce = nonce
        self.target = target
        self.endpoint = endpoint
        self.tokenEndpoint = tokenEndpoint
        self.scopes = options.scopes
        self.state = state
        self.pkce = pkce
    }

    /// Lets the browser open an address that names what was left with the provider (RFC 9126, section 4).
    package mutating func open(_ name: String) {
        url = endpoint.appending([("client_id", target.clientID), ("request_uri", name)])
    }

    /// What a callback is; the first that carries our state is the answer, and there is no second.
    package mutating func receive(_ callback: borrowing SecretBytes, as form: Form = .fields) -> AuthorizationAnswer {
        let range = callback.withBytes { form == .fields ? 0..<$0.byteCount : pastedFields($0) }
        guard let range else { return .rejected(.otherAddress) }
        let part = callback.extracting(range, placement: .recycled)
        guard let fields = try? part.withBytes({ try FormFields(reading: $0) }) else { return .rejected(.malformed) }
        guard let given = part.withBytes({ fields.secret("state", in: $0) }), isOurs(given) else {
            return .rejected(.otherState)
        }
        guard !isAnswered else { return .rejected(.alreadyAnswered) }
        isAnswered = true
        if target.isInstanceAware { cloud = part.withBytes { fields.string("cloud_instance_host_name", in: $0) } }
        switch part.withBytes({ fields.string("iss", in: $0) }) {
        case target.provider.issuer?: break
        case let issuer? where target.provider.issuer == nil:
            // Nobody has said what its issuer is called; another server's is on another host than people are led to.
            guard let url = try? EndpointURL(issuer), url.environment == endpoint.environment else {
                return .failed(.otherIssuer)
            }
        case let issuer?:
            // Microsoft's common endpoint answers for the tenant it found.
            let isTenant = target.provider.isTemplate && IssuerTemplate.matches(target.provider.issuer ?? "", issuer)
            guard isTenant || isOfCloud(issuer) else {
                let decoded = PercentEncoding.decode(issuer.utf8).map { String(decoding: $0, as: UTF8.self) }
                return .failed(decoded == target.provider.issuer ? .issuerEncodedTwice : .otherIssuer)
            }
        case nil:
            // An error hands nothing over, and some providers name themselves in their other answers alone.
            if target.provider.namesIssuerInAnswers, !fields.has("error") { return .failed(.issuerMissing) }
        }
        if fields.has("error") { return .failed(.provider(part.withBytes { ProviderFailure(fields.refusal(in: $0)) })) }
        guard let code = part.withBytes({ fields.secret("code", in: $0) }), code.count > 0 else {
            return .failed(.codeMissing)
        }
        return .code(code)
    }

    /// The request that redeems the code (RFC 6749, section 4.1.3).
    ///
    /// - Parameter endpoint: That of the cloud that the answer named; nil for the provider's own.
    package borrowing func redemption(
        of code: borrowing SecretBytes, client: borrowing OAuthClient, at endpoint: EndpointURL? = nil,
        extra: TokenRequests.Extra = []
    ) -> HTTPRequest {
        TokenRequests.redeem(
            code: code, verifier: pkce.verifier, redirectURI: target.redirectURI, scopes: scopes, client: client,
            at: endpoint ?? tokenEndpoint, extra: extra)
    }

    /// Whether an issuer is one of the cloud that the answer names.
    private borrowing func isOfCloud(_ issuer: String) -> Bool {
        guard let cloud, EnvironmentAliases.isMicrosoft(cloud), let url = try? EndpointURL(issuer) else { return false }
        return url.port == nil && EnvironmentAliases.areSame(url.host, cloud)
    }

    private borrowing func isOurs(_ given: borrowing SecretBytes) -> Bool {
        given.withBytes { theirs in Array(state.utf8).withBytes { ConstantTime.areEqual($0, theirs) } }
    }

    /// Where the fields of a pasted address are; nil for another address than the redirect's.
    private borrowing func pastedFields(_ bytes: RawSpan) -> Range<Int>? {
        var start = 0
        var end = bytes.byteCount
        while start < end, bytes.byte(at: start) <= 0x20 { start += 1 }
        while end > start, bytes.byte(at: end - 1) <= 0x20 { end -= 1 }
        let address = Array(target.redirectURI.utf8)
        guard end - start > address.count else { return nil }
        for index in address.indices where bytes.byte(at: start + index) != address[index] { return nil }
        let mark = bytes.byte(at: start + address.count)
        guard mark == UInt8(ascii: "?") || mark == UInt8(ascii: "#") else { return nil }
        start += address.count + 1
        for index in start..<end where bytes.byte(at: index) == UInt8(ascii: "#") { return start..<index }
        return start..<end
    }

    private static func word(_ randomness: (Int) -> SecretBytes) -> String {
        let random = randomness(16)
        return Base64.url.text(random.withBytes { [UInt8]($0) })
    }
}

extension FormFields {
    /// The error of an authorization response (RFC 6749, section 4.1.2.1).
    func refusal(in bytes: RawSpan) -> Refusal {
        Refusal(
            status: 0, error: ProtocolWord.accept(string("error", in: bytes)) ?? "unreadable",
            suberror: ProtocolWord.accept(string("error_subcode", in: bytes)),
            text: string("error_description", in: bytes).flatMap { ProviderText($0) })
    }
}
