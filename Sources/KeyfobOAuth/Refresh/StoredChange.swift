package import KeyfobModel

/// What a refusal changes in the store; each only while the refresh token is still the one that was used.
package enum StoredChange: Hashable, Sendable {
    /// The grant needs a sign-in; its token stays.
    case markNeedsSignIn(TokenIdentity, reason: String)
    /// The provider says that the token is bad: it goes.
    case deleteRefreshToken(TokenIdentity)
    /// The client is in no family.
    case leaveFamily
    /// The account is gone at the provider: this client's credentials go.
    case removeClientCredentials

    /// What `failure` changes after `token` was used.
    ///
    /// A plain `invalid_grant` ends the client's own grant and deletes nothing; so does a refusal without a reason after
    /// a refresh that was interrupted. A family's grant belongs to another
    /// client and is never ended from here.
    package static func after(
        _ failure: ProviderFailure, of token: TokenIdentity, wasInterrupted: Bool = false
    ) -> [StoredChange] {
        guard let refusal = failure.refusal else { return [] }
        if refusal.suberror == "user_account_deleted" { return [.removeClientCredentials] }
        let interrupted = "a refresh was cut off, and its refresh token may be used up; "
        // A refusal that says nothing tells enough of a refresh token that may have been replaced.
        if case .refusedWithoutReason = failure, wasInterrupted, token.source == .own {
            return [.markNeedsSignIn(token, reason: interrupted + refusal.description)]
        }
        guard case .invalidGrant = failure else { return [] }
        if refusal.suberror == "client_mismatch" { return token.source == .family ? [.leaveFamily] : [] }
        var changes: [StoredChange] = []
        if token.source == .own {
            changes.append(.markNeedsSignIn(token, reason: (wasInterrupted ? interrupted : "") + refusal.description))
        }
        if refusal.suberror == "bad_token" { changes.append(.deleteRefreshToken(token)) }
        return changes
    }
}

extension AppMetadata.Family {
    /// What a successful answer of a provider with families says of the client: a member of the one it names, or
    /// else of none.
    package init(learnedFrom details: TokenResponse.Details) {
        self = details.familyID.map { .member($0) } ?? .none
    }
}
