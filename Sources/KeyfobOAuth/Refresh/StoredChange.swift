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

    /// The refusal is remembered, so that nobody asks for the same again in the next minutes.
    case remember(JudgedRefusal)

    /// What `refusal` changes after `token` was used.
    ///
    /// Only a refusal that reaches the grant ends it, and deletes nothing unless the provider calls the token bad.
    package static func after(
        _ refusal: JudgedRefusal, of token: TokenIdentity, wasInterrupted: Bool = false
    ) -> [StoredChange] {
        let answer = refusal.failure.refusal
        switch refusal.ruling.reach {
        case .provider: return []
        case .request, .tenant: return [.remember(refusal)]
        case .client:
            guard answer?.suberror == "client_mismatch" else { return [.remember(refusal)] }
            return token.source == .family ? [.leaveFamily] : [.remember(refusal)]
        case .grant:
            if answer?.suberror == "user_account_deleted" { return [.removeClientCredentials, .remember(refusal)] }
            let reason = (wasInterrupted ? interrupted : "") + refusal.failure.description
            var changes = [StoredChange.markNeedsSignIn(token, reason: reason)]
            if answer?.suberror == "bad_token" { changes.append(.deleteRefreshToken(token)) }
            return changes + [.remember(refusal)]
        }
    }

    /// What a refusal without a word changes: it tells enough of a refresh token that may have been replaced.
    package static func after(
        wordless refusal: Refusal, of token: TokenIdentity, wasInterrupted: Bool
    ) -> [StoredChange] {
        guard wasInterrupted, token.source == .own else { return [] }
        return [.markNeedsSignIn(token, reason: interrupted + refusal.description)]
    }

    private static let interrupted = "a refresh was cut off, and its refresh token may be used up; "
}

extension AppMetadata.Family {
    /// What a successful answer of a provider with families says of the client: a member of the one it names, or
    /// else of none.
    package init(learnedFrom details: TokenResponse.Details) {
        self = details.familyID.map { .member($0) } ?? .none
    }
}
