package import KeyfobModel

/// What signing out does, in order: revoke at the provider, mark the grants signed out, remove.
///
/// It goes on when revoking fails, and says so. A refresh that is under way finds the grant signed out when it
/// commits, and what it got is revoked instead of stored.
package struct SignOutPlan: Hashable, Sendable {
    /// How far it reaches.
    package enum Reach: Hashable, Sendable, Comparable {
        /// The credentials of this client in this group.
        case client
        /// Those of all clients of the account in the group.
        case everywhere
        /// Those, and the account.
        case forget
    }

    /// A refresh token of the account in the group, without the token.
    package struct Target: Hashable, Sendable {
        /// The client it was issued to.
        package var clientID: String
        /// The family whose clients may redeem it.
        package var familyID: String?
        /// Its version.
        package var version: GrantVersion
        /// Whether the token is there.
        package var hasSecret: Bool

        /// A target.
        package init(clientID: String, familyID: String? = nil, version: GrantVersion, hasSecret: Bool = true) {
            self.clientID = clientID
            self.familyID = familyID
            self.version = version
            self.hasSecret = hasSecret
        }
    }

    /// What to do.
    package enum Step: Hashable, Sendable {
        /// Revoke the refresh token at the provider (RFC 7009).
        case revoke(Target)
        /// Mark the grants of these clients signed out, durably.
        case markSignedOut([String])
        /// Remove the access, refresh and ID tokens of these clients.
        case removeCredentials([String])
        /// Remove the account and all that is kept under it.
        case removeAccount
        /// Show the person the provider's end of the session.
        case openEndSession(EndpointURL)
    }

    /// What the person should know.
    package enum Note: Hashable, Sendable {
        /// The provider revokes nothing; the token stays good until it expires.
        case revocationNotOffered(clientID: String)
        /// Other clients use the token, so it was not revoked.
        case sharedByFamily(clientID: String)
        /// There is no network, or none was wanted.
        case notRevokedOffline(clientID: String)
        /// Revoking failed.
        case revocationFailed(clientID: String, ProviderFailure)
    }

    /// The steps in order.
    package let steps: [Step]
    /// What the person should know.
    package private(set) var notes: [Note]

    /// Plans the sign-out of `clientID` from an account with these refresh tokens.
    ///
    /// A family's refresh token is revoked only where all its clients sign out.
    package init(
        clientID: String, reach: Reach, targets: [Target], provider: ProviderMetadata?, hasNetwork: Bool,
        endSession: EndpointURL? = nil
    ) {
        let mine = targets.filter { reach > .client || $0.clientID == clientID }
        var steps: [Step] = []
        var notes: [Note] = []
        for target in mine where target.hasSecret {
            let isShared =
                reach == .client && target.familyID != nil
                && targets.contains { $0.clientID != clientID && $0.familyID == target.familyID }
            if isShared {
                notes.append(.sharedByFamily(clientID: target.clientID))
            } else if !hasNetwork {
                notes.append(.notRevokedOffline(clientID: target.clientID))
            } else if provider?.endpoints[.revocation] == nil {
                notes.append(.revocationNotOffered(clientID: target.clientID))
            } else {
                steps.append(.revoke(target))
            }
        }
        var clients: [String] = [clientID]
        for target in mine where !clients.contains(target.clientID) { clients.append(target.clientID) }
        steps.append(.markSignedOut(clients))
        steps.append(.removeCredentials(clients))
        if reach == .forget { steps.append(.removeAccount) }
        if let endSession, hasNetwork { steps.append(.openEndSession(endSession)) }
        self.steps = steps
        self.notes = notes
    }

    /// Notes what came of revoking.
    package mutating func note(_ outcome: RevocationOutcome, for target: Target) {
        if case .failed(let failure) = outcome { notes.append(.revocationFailed(clientID: target.clientID, failure)) }
    }
}
