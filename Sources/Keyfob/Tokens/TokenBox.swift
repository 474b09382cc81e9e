package import KeyfobSodium

/// Carries a token, which cannot be copied, into a task and out of it, and keeps it beside others.
package final class TokenBox: Sendable {
    /// The token.
    package let secret: SecretBytes
    /// What is known of it.
    package let found: Keyring.FoundToken

    /// A copy of what was answered.
    package init(_ answer: borrowing Keyring.TokenAnswer) {
        found = answer.found
        secret = answer.secret.withBytes { SecretBytes(copying: $0) }
    }

    /// The token with what is known of it.
    package var answer: Keyring.TokenAnswer {
        Keyring.TokenAnswer(secret: secret.withBytes { SecretBytes(copying: $0) }, found: found)
    }
}
