internal import KeyfobInterop
internal import KeyfobModel

/// The keys of a cache's entities.
enum MSALKeys {
    /// Of a line `KIND`, home, environment, client, realm and scopes, separated by line ends.
    static func key(_ document: [UInt8]) -> String {
        let fields = String(decoding: document, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        guard fields.count == 6, let account = AccountID(homeAccountID: fields[1], environment: fields[2]) else {
            return "refused"
        }
        let (client, realm) = (fields[3], fields[4])
        func credential(_ kind: Credential.Kind) -> String {
            let credential = Credential(
                kind: kind, account: account, clientID: client, realm: kind == .refreshToken ? "" : realm,
                scopes: kind == .idToken ? [] : ScopeSet(spaceSeparated: fields[5]))
            return MSALEntityKey.key(of: credential, credentialType: MSALSection(kind).rawValue)
        }
        let key: String
        switch fields[0] {
        case "AccessToken": key = credential(.accessToken)
        case "RefreshToken": key = credential(.refreshToken)
        case "IdToken": key = credential(.idToken)
        case "Account":
            let profile = TenantProfile(
                realm: realm, localAccountID: "", environment: account.environment, username: "")
            key = MSALEntityKey.key(of: profile, in: account)
        case "AppMetadata":
            key = MSALEntityKey.key(
                of: AppMetadata(clientID: client, environment: account.environment, family: .unknown))
        default: return "refused"
        }
        return Hex.text(key)
    }
}
