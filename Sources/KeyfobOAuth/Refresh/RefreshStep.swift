package import KeyfobModel

/// What a refresh does next; the shell executes it and reports with a ``RefreshEvent``.
package enum RefreshStep: Hashable, Sendable {
    /// Take the grant's lock: `lockAcquired`, `lockUnavailable` or `storeFailed`.
    case acquireLock
    /// Read the grant anew, and its refresh token with it: `grant`, or `storeFailed`.
    case readGrant
    /// Write the intent, durably, if the grant is still active in the intent's version: `done`, `conflict` or
    /// `storeFailed`.
    case writeIntent(RefreshIntent)
    /// Send one request with the refresh token that was read, which has this version: `answered` or `failed`;
    /// `storeFailed` where there is nothing to send.
    case sendRequest(GrantVersion)
    /// Send one request for these scopes at the home tenant with the same refresh token: whether a refusal that nobody knows
    /// reaches the grant. Answered as ``sendRequest(_:)``; `storeFailed` also where the home tenant cannot be asked.
    case sendProbe(GrantVersion, ScopeSet)
    /// Store the tokens and remove the intent in one transaction, durably: `done`, `conflict` or `storeFailed`.
    case commit(RefreshCommit)
    /// Store a refresh token that came in an answer with nothing else that can be used, as ``commit(_:)``, and what
    /// others have to know of the answer.
    case keepRefreshToken(RefreshCommit, RefreshFailure?)
    /// Remove the intent with this id unless the refresh token may have been used up, and write down why there is no token
    /// where others have to know it: `done` or `storeFailed`.
    case endIntent(String, RefreshFailure?, mayBeUsedUp: Bool)
    /// Apply the changes, and remove the intent unless the refresh token may have been used up, in one transaction: `done`,
    /// `conflict` or `storeFailed`.
    case recordRefusal([StoredChange], RefreshFailure?, intent: String, mayBeUsedUp: Bool)
    /// Revoke the refresh token that just came, if that is possible: `done` whatever comes of it.
    case revokeReceived
    /// Release the lock: `done`.
    case releaseLock
    /// Over; nothing is held.
    case finished(RefreshResult)
}

/// What a commit writes.
package struct RefreshCommit: Hashable, Sendable {
    /// The version that must still be there, in an active grant; otherwise nothing is written: `conflict`.
    package let expected: GrantVersion
    /// The version afterwards.
    package let version: GrantVersion
    /// Whether a new refresh token takes the place of the one used.
    package let replacesRefreshToken: Bool
    /// The intent that ends with it.
    package let intent: String
    /// The refusal that is written down with it; the tokens are then those of a probe, and not what was asked for.
    package var refusal: JudgedRefusal?
}

/// What became of a ``RefreshStep``.
package enum RefreshEvent: Hashable, Sendable {
    /// The lock is held.
    case lockAcquired
    /// The lock could not be had in time.
    case lockUnavailable
    /// The grant, read under the lock.
    case grant(GrantSnapshot)
    /// Tokens came; whether with a refresh token other than the one used.
    case answered(replacesRefreshToken: Bool)
    /// None came.
    case failed(ProviderFailure)
    /// A refresh token other than the one used came, and with it nothing else that can be used.
    case failedButReplaced(ProviderFailure)
    /// It is done, durably where that was asked.
    case done
    /// The grant is not what was expected, and nothing was written.
    case conflict(GrantSnapshot)
    /// The store could not be read or written.
    case storeFailed
}

/// How a refresh ended.
package enum RefreshResult: Hashable, Sendable {
    /// New tokens are stored.
    case refreshed(GrantVersion)
    /// New tokens came, with the refresh token unchanged, and could not be stored.
    case refreshedUnsaved
    /// Another process stored an access token that will do.
    case adopted(GrantVersion)
    /// The stored access token is kept, because an earlier refresh was interrupted and trying again could end the
    /// grant.
    case keptOld(RefreshIntent)
    /// The provider gave none, and did not refuse the request; the store is as before.
    case failed(TokenIdentity, ProviderFailure)
    /// The provider refused; the store is as before, but for what the refusal changes.
    case refused(TokenIdentity, JudgedRefusal)
    /// The grant has ended, is gone, or ended while the request was under way.
    case ended(Grant.State?)
    /// Somebody stored another refresh token meanwhile: decide again.
    case superseded(GrantVersion)
    /// The lock could not be had in time; nothing was sent.
    case busy
    /// The store failed before anything was sent.
    case storeFailed
    /// A new refresh token came and could not be made durable, so the access token does not go out.
    case notDurable
}
