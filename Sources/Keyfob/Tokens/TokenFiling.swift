internal import KeyfobOAuth
internal import KeyfobRecords

/// Where the access and ID tokens of an answer are filed.
struct TokenFiling {
    let account: AccountID
    let clientID: String
    let realm: String
    let askedScopes: ScopeSet
    let provider: ProviderDescription

    /// What is known of the access token of an answer.
    func accessToken(_ received: ReceivedTokens) -> Credential {
        let details = received.response.details
        let times = TokenTimes(
            details, sentAt: received.sentAt, neverExpires: provider.quirks.contains(.tokensNeverExpire))
        return Credential(
            kind: .accessToken, account: account, clientID: clientID, realm: realm,
            scopes: provider.granted(details.scopes, of: askedScopes) ?? askedScopes, tokenType: received.tokenType,
            keyID: received.accessKey?.thumbprint ?? received.identity?.thumbprint, cachedAt: times.cachedAt,
            expiresOn: times.expiresOn, extendedExpiresOn: times.extendedExpiresOn, refreshOn: times.refreshOn)
    }

    /// Stores the access token, the ID token, and what the answer says of the client's family.
    ///
    /// - Parameter hasIDToken: Whether the ID token of the answer may be kept.
    func save(_ received: ReceivedTokens, hasIDToken: Bool = true, in writer: GroupWriter) throws {
        let token = accessToken(received)
        _ = try writer.save(token, secret: received.accessToken(), from: .owner)
        // Those that have expired are of no use beside it, unless they serve while the provider is down.
        try writer.removeTokens(of: account) { other in
            let isOfOldKey = other.isBound && other.keyID != token.keyID
            let hasEnded = [other.expiresOn, other.extendedExpiresOn].compactMap(\.self).max().map {
                $0 < received.sentAt
            }
            return other.kind == .accessToken && other.clientID == clientID && (hasEnded == true || isOfOldKey)
                && Identifier.folded(other.realm) == Identifier.folded(realm) && other.partition.isEmpty
        }
        if hasIDToken, received.hasSoundIDToken {
            try received.response.withIDToken { idToken in
                let credential = Credential(
                    kind: .idToken, account: account, clientID: clientID, realm: realm, cachedAt: received.sentAt)
                _ = try writer.save(credential, secret: idToken, from: .owner)
            }
        }
        if provider.quirks.contains(.families), received.response.hasRefreshToken() {
            let family = AppMetadata.Family(learnedFrom: received.response.details)
            _ = try writer.save(AppMetadata(clientID: clientID, environment: account.environment, family: family))
        }
    }
}
