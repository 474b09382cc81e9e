internal import KeyfobModel
internal import KeyfobOAuth

/// A protected resource, and the authorization server whose tokens it takes, as both describe themselves (RFC 9728, RFC 8414);
/// or such a server, which people have accounts at for more than one resource.
///
/// Nothing of it is kept until ``Keyring/Providers/add(_:client:in:network:)``. What is kept then decides where people sign in and
/// where refresh tokens go; the resource is not asked again, so that it cannot send them elsewhere later.
public struct ProtectedResource: Sendable {
    /// What it calls itself; of a server its issuer.
    public let address: String
    /// The issuer of its authorization server.
    public let issuer: String
    /// Whether that is on another host.
    public let isElsewhere: Bool
    /// Whether it is an authorization server itself.
    public var isServer: Bool { description.resource == nil }
    /// What becomes the provider.
    let description: ProviderDescription
    let metadata: ProviderMetadata
}

extension Keyring.Providers {
    /// Asks a resource, and the authorization servers that it names, what they are; or an authorization server what it is.
    ///
    /// - Parameters:
    ///   - address: An address of the resource.
    ///   - issuer: Which of its servers is meant; nil for the first that can be used.
    ///   - client: A client id that a person has; nil where one is to be registered.
    /// - Throws: `usage` for an address that cannot be one, or an issuer that the resource does not name; `noSuchProvider` where it
    ///   describes nothing, `providerFailed` where that cannot be used; `offline`.
    public func resource(
        at address: String, issuer: String? = nil, client: String? = nil, network: Network
    ) async throws(KeyringError) -> ProtectedResource {
        let asked: EndpointURL
        do {
            asked = try EndpointURL(address)
        } catch {
            throw KeyringError(.usage, "the address cannot be used: \(error)")
        }
        guard asked.environmentOfResource != nil else {
            throw KeyringError(.usage, "a resource has neither a query nor an @ in its address")
        }
        let (found, scopes): (ResourceMetadata, ScopeSet)
        do throws(KeyringError) {
            (found, scopes) = try await described(asked, network)
        } catch  where error.code == .noSuchProvider && issuer == nil {
            guard let server = try await server(asked, network) else { throw error }
            return server
        }
        let servers = try Self.servers(of: found, issuer, asked)
        var flaws: [String] = []
        for server in servers {
            let metadata: ProviderMetadata
            do {
                metadata = try await published(by: server.text, .exact, network)
            } catch {
                if servers.count == 1 { throw KeyringError(error, of: Self.described(found, server, scopes)) }
                flaws.append("\(server): \(error)")
                continue
            }
            let wish = Wish(asked: asked, server: server, client: client)
            guard let flaw = wish.flaw(of: metadata) else { return try resource(found, server, scopes, metadata) }
            flaws.append("\(server): \(flaw)")
        }
        let isForClient = flaws.allSatisfy { $0.hasSuffix(Wish.noRegistration) }
        throw KeyringError(
            .providerFailed,
            "no authorization server of \(found.resource) can be used: " + flaws.joined(separator: "; "),
            advice: isForClient ? .nameClient : servers.first.map { .nameIssuer($0.text) })
    }

    private func resource(
        _ found: ResourceMetadata, _ server: EndpointURL, _ scopes: ScopeSet, _ metadata: ProviderMetadata
    ) throws(KeyringError) -> ProtectedResource {
        let description = Self.described(found, server, scopes)
        if let problem = ProviderRules.problem(of: description) {
            throw KeyringError(.providerFailed, "\(found.resource) cannot be used: \(problem)")
        }
        return ProtectedResource(
            address: found.resource.text, issuer: server.text,
            isElsewhere: server.environment != found.resource.environment, description: description,
            metadata: metadata)
    }

    /// What a resource says of itself, and the scopes that it wants: at the address that its challenge names, or else at those of
    /// the standard.
    private func described(
        _ asked: EndpointURL, _ network: Network
    ) async throws(KeyringError) -> (ResourceMetadata, ScopeSet) {
        var challenge = ResourceChallenge([])
        switch await network.send(HTTPRequest(getting: asked), 20) {
        case .answered(let response): if response.status == 401 { challenge = ResourceChallenge(response.headers) }
        case .failed(let failure):
            // A resource may go on telling; where nobody can be reached no document is either.
            switch failure {
            case .outcomeUnknown, .protocolViolation: break
            default: throw Self.error(failure, asked)
            }
        }
        var places = ResourceMetadata.addresses(of: asked)
        if let text = challenge.metadata {
            guard let place = try? EndpointURL(text), place.mayBeNamed(at: asked) else {
                throw KeyringError(
                    .providerFailed, "\(asked) says that it describes itself at an address that is not for it to name")
            }
            places.removeAll { $0 == place }
            places.insert(place, at: 0)
        }
        var flaw: String?
        // A site may have pages, or lead to one, at any address.
        var isPage = challenge.metadata == nil
        for place in places {
            switch await network.send(HTTPRequest(getting: place), 20) {
            case .answered(let response) where response.status == 200:
                do throws(ProtocolViolation) {
                    let found = try ResourceMetadata(reading: response.takeBody(), at: place, asked: asked)
                    return (found, Self.acceptable(challenge.scopes.isEmpty ? found.scopes : challenge.scopes))
                } catch {
                    // Who describes another resource is not to be passed over for another's word.
                    guard error != .otherResource else {
                        throw KeyringError(.providerFailed, "\(place) describes another resource than \(asked)")
                    }
                    flaw = flaw ?? "\(place): \(error)"
                    if case .notJSON = error { continue }
                    isPage = false
                }
            case .answered(let response) where response.status == 429 || response.status >= 500:
                throw Self.error(
                    ProviderFailure.classify(response, now: clock.now) ?? .unexpectedStatus(response.status), asked)
            case .answered(let response) where (300..<400).contains(response.status):
                flaw = flaw ?? "\(place) leads elsewhere, which is not followed"
            case .answered: continue
            case .failed(let failure): throw Self.error(failure, asked)
            }
        }
        if let flaw, !isPage { throw KeyringError(.providerFailed, flaw) }
        throw KeyringError(
            .noSuchProvider,
            (flaw.map { "\($0); " } ?? "")
                + "\(asked) says neither which authorization server lets people in (RFC 9728), nor that it is one (RFC 8414)",
            advice: .describeProvider)
    }

    /// The authorization server with the issuer that a person has typed, with or without a slash at its end; nil where there is
    /// none.
    private func server(_ asked: EndpointURL, _ network: Network) async throws(KeyringError) -> ProtectedResource? {
        let other = asked.text.hasSuffix("/") ? String(asked.text.dropLast()) : asked.text + "/"
        for issuer in [asked.text, other] {
            let new = NewProvider(issuer: issuer)
            do throws(DiscoveryFailure) {
                let metadata = try await published(by: issuer, .exact, network)
                let description = try? new.description()
                guard let description else { return nil }
                return ProtectedResource(
                    address: issuer, issuer: issuer, isElsewhere: false, description: description, metadata: metadata)
            } catch {
                if case .unavailable(let failure) = error, failure.isTransient {
                    throw KeyringError(error, of: try new.description())
                }
            }
        }
        return nil
    }

    private static func error(_ failure: ProviderFailure, _ asked: EndpointURL) -> KeyringError {
        KeyringError(
            failure, of: ProviderDescription(name: "", title: asked.description, issuer: nil, environment: asked.host))
    }

    /// Scopes that may be asked for; none of a resource that names more than anybody reads.
    private static func acceptable(_ scopes: ScopeSet) -> ScopeSet {
        guard scopes.scopes.count <= ResourceMetadata.scopeLimit else { return [] }
        return ScopeSet(scopes.scopes.filter(ProviderRules.isScope))
    }

    /// The servers to ask, or the one that is meant.
    private static func servers(
        of found: ResourceMetadata, _ issuer: String?, _ asked: EndpointURL
    ) throws(KeyringError) -> [EndpointURL] {
        let allowed = found.servers.filter { $0.query == nil && $0.mayBeNamed(at: asked) }
        guard !allowed.isEmpty else {
            throw KeyringError(
                .providerFailed,
                "\(found.resource) names no authorization server, or none at an address that is for it to name")
        }
        guard let issuer else { return allowed }
        guard let server = allowed.first(where: { $0.text == issuer }) else {
            throw KeyringError(
                .usage, "\(found.resource) does not name that authorization server",
                advice: .nameIssuer(allowed[0].text), candidates: allowed.map(\.text))
        }
        return [server]
    }

    private static func described(
        _ found: ResourceMetadata, _ server: EndpointURL, _ scopes: ScopeSet
    ) -> ProviderDescription {
        let environment = found.resource.environmentOfResource ?? ""
        let title = environment.hasSuffix("/") ? String(environment.dropLast()) : environment
        let name = Identifier.folded(title).map { character in
            "abcdefghijklmnopqrstuvwxyz0123456789._".contains(character) ? character : "-"
        }
        var description = ProviderDescription(
            name: String(String(name.drop { $0 == "-" || $0 == "." || $0 == "_" }.prefix(ProviderRules.nameLimit))),
            title: title, issuer: server.text, environment: environment, defaultScopes: scopes,
            flows: [.authorizationCode, .deviceAuthorization])
        description.resource = found.resource.text
        description.bindsTokens = found.requiresProofs
        return description
    }
}

/// What an authorization server must have so that a person can sign in there for a resource.
private struct Wish {
    let asked: EndpointURL
    let server: EndpointURL
    let client: String?

    static let noRegistration = "it registers no client by itself"

    /// What is missing; nil where nothing is.
    func flaw(of metadata: ProviderMetadata) -> String? {
        guard let authorization = metadata.endpoints[.authorization], metadata.endpoints[.token] != nil else {
            return "it names no authorization or token endpoint"
        }
        guard metadata.challengeMethods?.contains("S256") ?? false else {
            return "it does not say that it supports PKCE with S256"
        }
        let usable = metadata.within(asked, server: server).endpoints
        for endpoint in [ProviderMetadata.Endpoint.token, .registration] where metadata.endpoints[endpoint] != nil {
            if usable[endpoint] == nil { return "an endpoint is at an address that is not for it to name" }
        }
        guard usable[.authorization] != nil else {
            return authorization.mayBeNamed(at: asked)
                ? "it leads people to \(authorization.host) without answers that name their issuer (RFC 9207)"
                : "an endpoint is at an address that is not for it to name"
        }
        guard let client else { return metadata.endpoints[.registration] == nil ? Self.noRegistration : nil }
        guard !client.hasPrefix("https://") || metadata.takesClientDocuments else {
            return "it takes no client id that is the address of a document"
        }
        return nil
    }
}
