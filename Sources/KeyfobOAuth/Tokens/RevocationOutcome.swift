package import KeyfobModel

/// What came of asking a provider to revoke a token (RFC 7009, section 2.2).
package enum RevocationOutcome: Hashable, Sendable {
    /// It is revoked, or was not known, which is the same.
    case revoked
    /// It may still be good.
    case failed(ProviderFailure)

    /// What `response` means; the body of a success is not looked at.
    package init(_ response: borrowing HTTPResponse, now: Timestamp) {
        if (200...299).contains(response.status) {
            self = .revoked
        } else {
            self = .failed(ProviderFailure.classify(response, now: now) ?? .unexpectedStatus(response.status))
        }
    }
}
