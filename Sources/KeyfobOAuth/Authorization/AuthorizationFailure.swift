/// Why a sign-in ended without a code.
package enum AuthorizationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The provider or the person refused.
    case provider(ProviderFailure)
    /// The answer came from another issuer than the one asked: a mix-up attack (RFC 9207).
    case otherIssuer
    /// The issuer is the one asked, but for being percent-encoded once more than a form is.
    case issuerEncodedTwice
    /// A provider that always names its issuer did not.
    case issuerMissing
    /// Our state and neither code nor error.
    case codeMissing

    package var description: String {
        switch self {
        case .provider(let failure): failure.description
        case .otherIssuer: "the answer came from another provider than the one asked"
        case .issuerEncodedTwice:
            "the provider's answer names it with an issuer ('iss') that is percent-encoded twice, which no form is"
        case .issuerMissing: "the answer does not say which provider it is from"
        case .codeMissing: "the answer has neither a code nor an error"
        }
    }
}

/// Why something that came to the redirect address was not taken as the answer; the sign-in goes on.
package enum CallbackRejection: String, Error, Hashable, Sendable, CustomStringConvertible {
    /// There was an answer already.
    case alreadyAnswered = "there was an answer already"
    /// It has no `state`, or another one.
    case otherState = "it belongs to another sign-in"
    /// It is no query or form.
    case malformed = "it is not written as an answer is"
    /// The address that was pasted is not the redirect address.
    case otherAddress = "the address is not the one the provider should lead to"

    package var description: String { rawValue }
}
