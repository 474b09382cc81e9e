package import KeyfobModel

/// What of the scopes asked for was granted.
///
/// The tokens are kept either way; a later request for what was granted finds them.
package struct GrantedScopes: Hashable, Sendable {
    /// The scopes of the token.
    package let granted: ScopeSet
    /// The scopes asked for that it lacks, in their order.
    package let declined: ScopeSet

    /// Compares; an answer that names no scopes granted what was asked (RFC 6749, section 5.1).
    package init(asked: ScopeSet, answered: ScopeSet?) {
        granted = answered ?? asked
        declined = ScopeSet(
            asked.scopes.filter { scope in
                // Those of OpenID Connect are about the sign-in, and an access token need not repeat them.
                let isDefault = Identifier.folded(scope).hasSuffix("/.default")
                return !isDefault && !ScopeSet.isOfSignIn(scope) && !ScopeSet([scope]).isSubset(of: answered ?? asked)
            })
    }
}
