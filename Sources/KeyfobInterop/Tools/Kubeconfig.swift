internal import KeyfobModel
internal import KeyfobSodium

// A kubeconfig: users with a token for a cluster, or with one of an OpenID provider's (`auth-provider: oidc`, which
// kubectl has not had since 1.26 without a plugin).

extension ToolFile {
    mutating func readKubeconfig(_ value: ToolValue, _ bytes: RawSpan) {
        let servers = servers(of: value, bytes)
        for entry in value["users"]?.elements ?? [] {
            guard let name = entry["name"]?.name(bytes), let user = entry["user"] else { continue }
            do throws(ToolFinding.Reason) {
                if let configuration = user["auth-provider"]?["config"] {
                    try readProvider(configuration, of: name, bytes)
                } else if let token = user["token"]?.secret {
                    try readClusterToken(token, of: name, at: servers[name] ?? [], bytes)
                } else if user["exec"] != nil || user["auth-provider"] != nil {
                    throw .program
                } else if user["tokenFile"] != nil {
                    throw .tokenFile
                } else {
                    let certificate = user["client-certificate"] ?? user["client-certificate-data"]
                    throw certificate == nil ? .noToken : .certificate
                }
            } catch {
                skip(.user(name), error)
            }
        }
    }

    /// The most servers that one token is for.
    private static let mostServers = 64

    /// The servers for which contexts take each user.
    private func servers(of value: ToolValue, _ bytes: RawSpan) -> [String: [String]] {
        var clusters: [String: String] = [:]
        for entry in value["clusters"]?.elements ?? [] {
            guard let name = entry["name"]?.name(bytes) else { continue }
            clusters[name] = entry["cluster"]?["server"]?.name(bytes)
        }
        var servers: [String: [String]] = [:]
        for entry in value["contexts"]?.elements ?? [] {
            guard let user = entry["context"]?["user"]?.name(bytes),
                let cluster = entry["context"]?["cluster"]?.name(bytes), let server = clusters[cluster],
                servers[user, default: []].count < Self.mostServers, !servers[user, default: []].contains(server)
            else { continue }
            servers[user, default: []].append(server)
        }
        return servers
    }

    private mutating func readClusterToken(
        _ token: SecretLocation, of name: String, at servers: [String], _ bytes: RawSpan
    ) throws(ToolFinding.Reason) {
        guard !servers.isEmpty else { throw .noCluster }
        let claims = JWTClaims(token.secret(in: bytes))
        for server in servers {
            guard let host = CredentialURL(server)?.address.host else { throw .insecure }
            // A cluster is no provider's, and its users are none of theirs.
            guard let pattern = HostPattern(host), BuiltInHosts.environment(claiming: pattern, besides: "") == nil
            else {
                throw .foreignHost
            }
            guard let account = account(name, at: host) else { throw .nobody }
            add(.accessToken, token, of: account, until: claims.expiry)
        }
    }

    private mutating func readProvider(
        _ configuration: ToolValue, of name: String, _ bytes: RawSpan
    ) throws(ToolFinding.Reason) {
        guard let environment = Self.environment(ofIssuer: configuration["idp-issuer-url"]?.name(bytes)) else {
            throw .badIssuer
        }
        guard let client = configuration["client-id"]?.name(bytes) else { throw .noClient }
        let (idToken, refreshToken) = (configuration["id-token"]?.secret, configuration["refresh-token"]?.secret)
        guard idToken != nil || refreshToken != nil else { throw .noToken }
        let claims = idToken.map { JWTClaims($0.secret(in: bytes)) }
        guard let account = account(claims?.username ?? name, id: claims?.subject, at: environment) else {
            throw .nobody
        }
        if let idToken { add(.idToken, idToken, of: account, client: client, until: claims?.expiry) }
        guard let refreshToken else { return }
        add(.refreshToken, refreshToken, of: account, client: client)
        add(client: client, secret: configuration["client-secret"]?.secret, at: environment)
    }

    /// The environment of an issuer's accounts; nil for what is no https address, and for a host of a service.
    static func environment(ofIssuer issuer: String?) -> String? {
        guard let issuer, Identifier.folded(issuer).hasPrefix("https://"), let url = CredentialURL(issuer) else {
            return nil
        }
        return PasswordToken.environment(ofProvider: url.address.host)
    }
}
