package import Keyfob
internal import KeyfobModel
package import KeyfobSodium

/// An account of another program's that is the broker of the session.
package struct SessionBrokerAccount: Equatable, Sendable {
    /// At one of Microsoft's clouds.
    package let id: AccountID
    package let username: String?
    package let displayName: String?
    /// The tenant in which the broker shows it.
    package let realm: String?
    /// How the broker has written it, which it wants to read again.
    let json: String

    static let redirectURI = "https://login.microsoftonline.com/common/oauth2/nativeclient"

    /// What people know it by.
    package var name: String { username ?? id.description }

    /// The one that is meant among those the broker has.
    ///
    /// - Parameter text: Its id, its home account id or its user name; nil where there is to be one alone.
    /// - Throws: `noSuchAccount`, `ambiguous`.
    package static func named(_ text: String?, among accounts: [Self]) throws(KeyringError) -> Self {
        let meant = accounts.filter { account in
            guard let text = text.map(Identifier.foldedName) else { return true }
            return [account.id.description, account.id.homeAccountID, account.username ?? ""]
                .contains { Identifier.foldedName($0) == text }
        }
        guard let only = meant.first else {
            throw KeyringError(
                .noSuchAccount,
                text.map { "the identity broker has no account '\($0)'" }
                    ?? "nobody is signed in at the identity broker")
        }
        guard meant.count == 1 else {
            throw KeyringError(
                .ambiguous, "the identity broker has several accounts that fit",
                candidates: meant.map(\.id.description), names: meant.map(\.name))
        }
        return only
    }

    /// The request for a token of it (`acquireTokenSilently`).
    func tokenRequest(clientID: String, scopes: ScopeSet, tenant: String?) -> JSONWriter {
        var json = JSONWriter()
        json.beginObject()
        json.name("authParameters")
        json.beginObject()
        json.member("accessTokenToRenew", "")
        json.name("account")
        json.raw(self.json)
        json.name("additionalQueryParametersForAuthorization")
        json.beginObject()
        json.endObject()
        let host = EnvironmentAliases.canonicalName(of: id.environment)
        json.member("authority", "https://\(host)/\(tenant ?? realm ?? "common")")
        json.member("authorizationType", 1)
        json.member("clientId", clientID)
        json.member("decodedClaims", "")
        json.member("enrollmentId", "")
        json.member("password", "")
        json.member("redirectUri", Self.redirectURI)
        json.member("requestedScopes", scopes.scopes)
        json.member("username", username ?? "")
        json.member("uxContextHandle", -1)
        json.endObject()
        json.endObject()
        return json
    }
}

/// An access token that another program's broker has given.
package struct SessionBrokerToken: ~Copyable {
    package let secret: SecretBytes
    package let account: SessionBrokerAccount
    /// As the broker names them.
    package let scopes: ScopeSet
    package let expiresOn: Timestamp
}
