package import KeyfobModel

/// What of the scopes asked for was granted.
///
/// The tokens are kept either way; a later request for what was granted finds them.
package struct GrantedScopes: Hashable, Sendable {
    /// The scopes of the token.
    package let granted: ScopeSet
    /// The scopes asked for that it lacks, in their order.
    package let declined: ScopeSet

    /// Scopes that are about the sign-in and that an access token need not repeat.
    package static let reserved: ScopeSet = ["openid", "profile", "offline_access", "email"]

    /// Compares; an answer that names no scopes granted what was asked (RFC 6749, section 5.1).
    package init(asked: ScopeSet, answered: ScopeSet?) {
        granted = answered ?? asked
        declined = ScopeSet(
            asked.scopes.filter { scope in
                let one = ScopeSet([scope])
                let isDefault = Identifier.folded(scope).hasSuffix("/.default")
                return !isDefault && !one.isSubset(of: answered ?? asked) && !one.isSubset(of: Self.reserved)
            })
    }
}
