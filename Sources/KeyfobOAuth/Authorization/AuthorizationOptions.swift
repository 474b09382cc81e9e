package import KeyfobModel

/// What the person should be asked, and how the answer comes back.
package struct AuthorizationOptions: Hashable, Sendable {
    /// What the provider shows (OpenID Connect Core, section 3.1.2.1).
    package enum Prompt: String, Hashable, Sendable, CaseIterable {
        /// Nothing; an error where something must be asked.
        case none
        /// A choice among the accounts of the browser's session.
        case selectAccount = "select_account"
        /// The sign-in, whatever session there is.
        case login
        /// The consent.
        case consent
        /// The creation of an account.
        case create
    }

    /// How the answer comes back.
    package enum ResponseMode: String, Hashable, Sendable, CaseIterable {
        /// In the query of the redirect; can be pasted.
        case query
        /// In the body of a POST, so that no browser history has it.
        case formPost = "form_post"
    }

    /// The scopes of the token.
    package var scopes: ScopeSet
    /// Scopes to consent to now for later tokens.
    package var extraScopes: ScopeSet = []
    /// What to show; nil leaves it to the provider.
    package var prompt: Prompt?
    /// The user name to fill in.
    package var loginHint: String?
    /// The organisation whose sign-in page to go to.
    package var domainHint: String?
    /// A `claims` request (OpenID Connect Core, section 5.5), JSON.
    package var claims: String?
    /// How the person has to sign in (`acr_values`; RFC 9470).
    package var contexts: [String] = []
    /// How many seconds ago the person may have signed in at most.
    package var maximumAge: Int64?
    /// The digest of the key that the code is to be bound to (RFC 9449, section 10).
    package var keyThumbprint: String?
    /// How the answer comes back.
    package var responseMode = ResponseMode.query

    /// Options for a token with `scopes`.
    package init(scopes: ScopeSet) {
        self.scopes = scopes
    }
}
