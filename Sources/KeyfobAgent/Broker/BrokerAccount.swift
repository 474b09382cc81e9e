internal import Keyfob
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// An account as the broker's clients know one.
struct BrokerAccount: Equatable, Sendable {
    let account: Account
    /// The tenant.
    let realm: String
    /// The object id in that tenant.
    let localAccountID: String

    /// An account of one of Microsoft's clouds; nil for any other.
    ///
    /// - Parameter realm: The tenant in which it is meant; nil for that where it is at home.
    init?(_ account: Account, in realm: String? = nil) {
        guard EnvironmentAliases.isMicrosoft(account.id.environment), let home = account.homeRealm else { return nil }
        let wanted = realm.flatMap { $0.isEmpty ? nil : $0 } ?? home
        let profile = account.tenantProfiles.first { Identifier.folded($0.realm) == Identifier.folded(wanted) }
        self.account = account
        self.realm = wanted
        localAccountID = profile?.localAccountID ?? String(account.id.homeAccountID.prefix { $0 != "." })
    }

    /// Where it is, by the name that MSAL compares.
    var environment: String { EnvironmentAliases.canonicalName(of: account.id.environment) }

    /// Microsoft's `client_info`, base64url.
    var clientInfo: String {
        var json = JSONWriter()
        json.beginObject()
        json.member("uid", String(account.id.homeAccountID.dropLast((account.homeRealm ?? "").count + 1)))
        json.member("utid", account.homeRealm)
        json.endObject()
        return Base64.url.text(json.bytes)
    }

    func write(to json: inout JSONWriter) {
        let name = account.displayName ?? account.username
        json.member("homeAccountId", account.id.homeAccountID)
        json.member("localAccountId", localAccountID)
        json.member("realm", realm)
        json.member("environment", environment)
        json.member("username", account.username)
        json.member("name", name)
        json.member("givenName", String(name.prefix { $0 != " " && $0 != "@" }))
        json.member("clientInfo", clientInfo)
        // One client does not read accounts without it.
        json.member("passwordExpiry", 0)
    }

    /// What an ID token says of it, in the place of one where none is stored: unsigned (RFC 7519, section 6), so that nobody
    /// takes it for the provider's word.
    func unsignedIDToken(for clientID: String, until end: Timestamp, now: Timestamp) -> SecretBytes {
        var claims = JSONWriter()
        claims.beginObject()
        claims.member("aud", clientID)
        claims.member("iss", "https://\(environment)/\(realm)/v2.0")
        claims.member("iat", Int(now.seconds))
        claims.member("nbf", Int(now.seconds))
        claims.member("exp", Int(end.seconds))
        claims.member("name", account.displayName ?? account.username)
        claims.member("oid", localAccountID)
        claims.member("preferred_username", account.username)
        claims.member("sub", localAccountID)
        claims.member("tid", realm)
        claims.member("ver", "2.0")
        claims.endObject()
        let text =
            Base64.url.text(Array("{\"alg\":\"none\",\"typ\":\"JWT\"}".utf8)) + "." + Base64.url.text(claims.bytes)
            + "."
        return Array(text.utf8).withBytes { SecretBytes(copying: $0) }
    }
}
