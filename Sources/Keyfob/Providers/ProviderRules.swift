internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobOAuth

/// What holds for the description of every provider that is added, whoever wrote it.
enum ProviderRules {
    /// The longest document, in bytes.
    static let documentLimit = 65_536
    /// The longest name, in bytes.
    static let nameLimit = 64

    /// The most API hosts of one provider.
    static let hostLimit = 64

    /// The longest path, in bytes.
    static let pathLimit = 4_095

    /// What is wrong with a description; nil where nothing is.
    static func problem(of description: ProviderDescription) -> String? {
        guard isName(description.name) else {
            return "the name is not made of at most \(nameLimit) small letters, digits, '.', '-' and '_'"
        }
        if let issuer = description.issuer, let problem = problem(ofIssuer: issuer) { return problem }
        if let problem = problem(ofResource: description) { return problem }
        guard description.resource != nil || isEnvironment(description.environment) else {
            return "the environment is not a host, or host:port, in small letters"
        }
        if !description.quirks.isDisjoint(with: [.b2c, .adfs, .ciam]), description.authority == nil {
            return "the issuer is not an authority of the kind that its quirks say"
        }
        if let problem = problem(ofHosts: description) { return problem }
        guard description.defaultScopes.scopes.allSatisfy(isScope) else {
            return "a default scope holds characters that no scope has"
        }
        guard description.clientIDs.allSatisfy({ $0.utf8.count <= ClientRegistration.idLimit }) else {
            return "a client id is longer than \(ClientRegistration.idLimit) bytes"
        }
        for (endpoint, url) in description.endpoints where !url.mayServe(issuer: description.issuer) {
            return "the issuer is https, and the \(endpoint.rawValue) is not"
        }
        if let file = description.certificateFile, !file.hasPrefix("/") || file.utf8.count > pathLimit {
            return "the file of certificates is not an absolute path of at most \(pathLimit) bytes"
        }
        if let problem = AuthorizationParameters.problem(of: description.parameters) { return problem }
        guard !description.flows.isEmpty else { return "there is no flow" }
        guard !description.hasDiscovery else { return nil }
        var needed: [ProviderMetadata.Endpoint] = [.token]
        if description.flows.contains(.authorizationCode) { needed.append(.authorization) }
        if description.flows.contains(.deviceAuthorization) { needed.append(.deviceAuthorization) }
        for endpoint in needed where description.endpoints[endpoint] == nil {
            return "without discovery there must be a \(endpoint.rawValue)"
        }
        return nil
    }

    /// What is wrong with the resource of a description; nil where nothing is.
    ///
    /// Its environment says where tokens go, so that nothing else of the description does.
    private static func problem(ofResource description: ProviderDescription) -> String? {
        guard let resource = description.resource else { return nil }
        guard let url = try? EndpointURL(resource), url.query == nil, url.environmentOfResource != nil,
            url.environmentOfResource == description.environment
        else { return "the environment is not host and path of the resource" }
        guard description.issuer != nil else { return "the authorization server of the resource is not named" }
        let hasMore = !description.apiHosts.isEmpty || !description.quirks.isEmpty || !description.endpoints.isEmpty
        return hasMore ? "a provider of one resource has no hosts, endpoints or quirks of its own" : nil
    }

    /// What is wrong with the API hosts of a description; nil where nothing is.
    ///
    /// Those of a built-in provider are its own: no description gives them away, or adds to them.
    private static func problem(ofHosts description: ProviderDescription) -> String? {
        guard description.apiHosts.count <= hostLimit else { return "there are more than \(hostLimit) API hosts" }
        let own = BuiltInHosts.apiHosts(of: description.environment)
        for host in description.apiHosts where !own.contains(host) {
            guard own.isEmpty else {
                return "the API hosts of \(description.environment) are built in, and \(host) is not one of them"
            }
            if let other = BuiltInHosts.environment(claiming: host, besides: description.environment) {
                return "the API host \(host) belongs to the accounts of \(other)"
            }
        }
        return nil
    }

    /// What is wrong with an issuer; nil where nothing is.
    static func problem(ofIssuer issuer: String) -> String? {
        do {
            let url = try EndpointURL(issuer)
            return url.query == nil ? nil : "the issuer has a query, which no issuer has"
        } catch {
            // A password may stand before an @.
            let isBare = !issuer.contains("://") && !issuer.contains("@") && Identifier.isAcceptable(issuer)
            return isBare ? "the issuer has no scheme; is it https://\(issuer)?" : "the issuer cannot be used: \(error)"
        }
    }

    /// Why a provider cannot be among the built-in ones and `others`, which do not have its name; nil where it can.
    ///
    /// Where a built-in one sends people and tokens no record says.
    static func clash(of description: ProviderDescription, among others: [IdentityProvider]) -> String? {
        if BuiltInProviders.named(description.name) != nil {
            return "provider '\(description.name)' is built in, and nothing takes its place"
        }
        for other in others where other.name != description.name {
            let environment = description.environment
            if other.serves(environment) {
                return "the accounts of \(environment) are those of provider '\(other.name)' already"
            }
            // One server may serve many resources.
            let isOfResource = description.resource != nil || other.resource != nil
            if let issuer = description.issuer, other.issuer == issuer, !isOfResource {
                return "that is the issuer of provider '\(other.name)' already"
            }
            if other.serves(description.name) {
                return "the name is the host of provider '\(other.name)'"
            }
        }
        return nil
    }

    /// Whether a text is a provider's name.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, isSmall(first), text.utf8.count <= nameLimit else { return false }
        return text.utf8.allSatisfy { isSmall($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F }
    }

    /// Whether a text is a scope (RFC 6749, section 3.3).
    static func isScope(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= Identifier.maximumCount
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    /// Whether a text is a host in small letters, with or without a port.
    static func isEnvironment(_ text: String) -> Bool {
        guard let url = try? EndpointURL("https://" + text), url.path.isEmpty, url.query == nil else { return false }
        return url.host + (url.port.map { ":\($0)" } ?? "") == text
    }

    private static func isSmall(_ byte: UInt8) -> Bool { byte.isASCIISmallLetter || byte.isASCIIDigit }
}
