package import KeyfobModel

/// A grant as it is read under its lock, or where a commit found another than expected.
package struct GrantSnapshot: Hashable, Sendable {
    /// Its state; nil where it is gone.
    package var state: Grant.State?
    /// The version of its refresh token.
    package var version: GrantVersion
    /// Whether the provider replaces the refresh token at each use; nil where nobody knows.
    package var rotates: Bool?
    /// Whether there is now an access token that answers the request.
    package var hasFreshAccessToken: Bool
    /// The intent of a refresh that did not end.
    package var intent: RefreshIntent?
    /// Why the last refresh gave nothing.
    package var failure: RefreshFailure?
    /// The verdict of an earlier refusal that is about this request as well.
    package var refusal: RefusalVerdict?
    /// The scopes of the home tenant's last request that gave tokens; nil where none is known of.
    package var served: ScopeSet?
    /// Whether somebody else held the lock when it was asked for, and may have met the failure meanwhile.
    package var wasWaitedFor = true

    /// A snapshot.
    package init(
        state: Grant.State?, version: GrantVersion, rotates: Bool? = nil, hasFreshAccessToken: Bool = false,
        intent: RefreshIntent? = nil, failure: RefreshFailure? = nil, refusal: RefusalVerdict? = nil,
        served: ScopeSet? = nil
    ) {
        self.state = state
        self.version = version
        self.rotates = rotates
        self.hasFreshAccessToken = hasFreshAccessToken
        self.intent = intent
        self.failure = failure
        self.refusal = refusal
        self.served = served
    }
}
