package import KeyfobSodium

/// What a callback was.
package enum AuthorizationAnswer: ~Copyable, Sendable {
    /// The code to redeem. There is no second one.
    case code(SecretBytes)
    /// The end of the sign-in.
    case failed(AuthorizationFailure)
    /// Nothing of ours; keep listening.
    case rejected(CallbackRejection)
}
