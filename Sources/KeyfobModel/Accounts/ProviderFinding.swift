/// Something that a provider may offer, besides that people sign in.
public enum ProviderFunction: String, Hashable, Sendable, CaseIterable {
    /// Signing in by a browser.
    case browserSignIn
    /// Signing in on another device, by a code (RFC 8628).
    case deviceSignIn
    /// New tokens without a person: refresh tokens.
    case refresh
    /// Saying who signed in.
    case names
    /// Ending a sign-in: revoking its tokens (RFC 7009).
    case revocation
    /// Ending the browser's session (OpenID Connect RP-Initiated Logout).
    case browserSignOut
    /// Registering a client by itself (RFC 7591).
    case registration
    /// Taking the request of a sign-in beforehand (PAR, RFC 9126).
    case pushedRequests
    /// Tokens that are bound to a key (DPoP, RFC 9449).
    case boundTokens
}

/// Whether a provider offers something, and whether that can be used.
public struct ProviderFinding: Hashable, Sendable {
    /// What.
    public let function: ProviderFunction
    /// How it is with it.
    public let standing: Standing
    /// Why it will not work, or what is known only later; nil where there is nothing to say.
    public let reason: String?

    /// How it is with something that a provider may offer.
    public enum Standing: String, Hashable, Sendable, CaseIterable {
        /// It is offered, and will work for all that is known.
        case works
        /// It may work: the provider does not say.
        case unsaid
        /// It is not offered.
        case missing
        /// It is offered in a way that cannot be used.
        case unusable
    }

    /// A finding.
    public init(_ function: ProviderFunction, _ standing: Standing, _ reason: String? = nil) {
        (self.function, self.standing, self.reason) = (function, standing, reason)
    }
}
