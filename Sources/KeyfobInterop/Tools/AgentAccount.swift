internal import KeyfobModel
internal import KeyfobSodium

extension ToolFile {
    // What `oidc-gen --print` prints of an account of oidc-agent.
    mutating func readAgentAccount(_ value: ToolValue, _ bytes: RawSpan) throws(ToolFileError) {
        guard let environment = Self.environment(ofIssuer: value["issuer_url"]?.name(bytes)) else {
            throw .missing("https address for an issuer (issuer_url)")
        }
        guard let client = value["client_id"]?.name(bytes) else { throw .missing("client_id") }
        guard let token = value["refresh_token"]?.secret else { throw .missing("refresh_token") }
        guard let name = value["username"]?.name(bytes) ?? value["name"]?.name(bytes),
            let account = account(name, at: environment)
        else { throw .missing("name") }
        let scopes = (value["scope"]?.name(bytes) ?? "").split(separator: " ").map(String.init)
        add(.refreshToken, token, of: account, client: client, scopes: ScopeSet(scopes))
        add(client: client, secret: value["client_secret"]?.secret, at: environment)
    }
}
