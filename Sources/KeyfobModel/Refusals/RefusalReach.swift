/// How far a refused token request reaches: as far as its evidence, and no further.
public enum RefusalReach: String, Hashable, Sendable, CaseIterable {
    /// These scopes and claims, for this client, at this tenant.
    case request
    /// All that is asked of this tenant.
    case tenant
    /// All that this client asks for.
    case client
    /// The provider, which is out of order or asks to wait.
    case provider
    /// The sign-in, which has ended.
    case grant
}

/// What a person can do about a refused token request.
public enum RefusalRemedy: String, Hashable, Sendable, CaseIterable {
    /// Sign in, for what was asked.
    case signIn
    /// Sign in, and consent.
    case consent
    /// Sign in, and show a second factor.
    case secondFactor
    /// Sign in, and choose a new password.
    case newPassword
    /// Meet the organisation's rules about devices and apps.
    case meetPolicy
    /// Be invited to the tenant.
    case invitation
    /// Have the tenant's administrator let the account use the client.
    case administrator
    /// Ask for other scopes.
    case otherScopes
    /// Use another client, or correct what is stored of this one.
    case otherClient

    /// Whether a sign-in is what helps.
    public var isSignIn: Bool {
        switch self {
        case .signIn, .consent, .secondFactor, .newPassword: true
        case .meetPolicy, .invitation, .administrator, .otherScopes, .otherClient: false
        }
    }
}
