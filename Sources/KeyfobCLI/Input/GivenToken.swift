internal import Keyfob

/// An access token that came from elsewhere, as it is stored, and whose it is.
struct GivenToken {
    let credential: Credential
    let account: Account

    /// A token of an account, which is called by its id unless it has a name.
    init(
        of id: AccountID, called username: String? = nil, label: String? = nil, client: String, tenant: String = "",
        scopes: ScopeSet = [], expiresIn: Int64? = nil, now: Timestamp = WallClock.system.now
    ) {
        credential = Credential(
            kind: .accessToken, account: id, clientID: client, realm: tenant, scopes: scopes, cachedAt: now,
            expiresOn: expiresIn.map(now.advanced(by:)))
        account = .knownByName(id, called: username, label: label, tenant: tenant)
    }
}
