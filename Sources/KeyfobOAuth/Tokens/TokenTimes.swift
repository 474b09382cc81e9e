package import KeyfobModel

/// When an access token was stored and until when it serves, counted from the moment its request was sent.
package struct TokenTimes: Hashable, Sendable {
    /// When the request was sent.
    package let cachedAt: Timestamp
    /// When the token expires; nil where it does not.
    package let expiresOn: Timestamp?
    /// Until when it serves while the provider is down.
    package let extendedExpiresOn: Timestamp?
    /// When it should be replaced.
    package let refreshOn: Timestamp?

    /// What a token lives that says nothing, in seconds.
    package static let unnamedLifetime: Int64 = 3_600
    /// The longest life that is believed, in seconds: ten years.
    package static let longestLifetime: Int64 = 315_360_000

    /// The times of a token.
    package init(_ details: TokenResponse.Details, sentAt: Timestamp, neverExpires: Bool) {
        func point(_ seconds: Int64?) -> Timestamp? {
            seconds.map { sentAt.advanced(by: max(-Self.longestLifetime, min(Self.longestLifetime, $0))) }
        }
        cachedAt = sentAt
        expiresOn = point(details.expiresIn ?? (neverExpires ? nil : Self.unnamedLifetime)).map { max(sentAt, $0) }
        extendedExpiresOn = point(details.extendedExpiresIn)
        refreshOn = point(details.refreshIn)
    }
}
