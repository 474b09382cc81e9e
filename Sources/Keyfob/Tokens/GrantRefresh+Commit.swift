internal import KeyfobOAuth
internal import KeyfobRecords

extension GrantRefresh {
    /// Stores the tokens for what they are, and ends the intent, in one transaction.
    func write(
        _ commit: RefreshCommit, _ received: ReceivedTokens, _ purpose: Purpose
    ) throws(KeyringError) -> RefreshEvent {
        let conflict = RefreshEvent.conflict(snapshot(of: nil))
        return try change(at: commit.expected) { writer, isOwn in
            // An account that was removed meanwhile stays removed.
            guard try writer.hasAccount(plan.account.id) else { return conflict }
            if commit.replacesRefreshToken || source == .family { writer.markIrreplaceable() }
            if source == .family, let changed = try changedOwnGrant(writer) { return changed }
            let filing = TokenFiling(
                account: plan.account.id, clientID: plan.clientID ?? key.clientID, realm: purpose.realm,
                askedScopes: commit.refusal == nil ? plan.impliedScopes(provider) : purpose.scopes, provider: provider)
            let granted = filing.accessToken(received).scopes
            if source == .own, commit.replacesRefreshToken {
                try removeDuplicate(received, writer)
                try received.withRefreshToken { secret in
                    try writer.replaceGrant(key, secret: secret) { token in
                        renew(&token, received.sentAt, received.response.details)
                        if received.identity != nil { token.tokenType = received.tokenType }
                        token.changeGrant { settle(&$0, purpose, granted: granted) }
                    }
                }
            } else {
                try writer.updateGrant(key) { token in
                    if received.identity != nil { token.tokenType = received.tokenType }
                    token.changeGrant { grant in
                        (grant.intent, grant.failure) = (nil, nil)
                        settle(&grant, purpose, granted: granted)
                    }
                }
                if source == .family { try storeOwn(received, writer) }
            }
            // Who shares the refresh token has not the client's key by that.
            if isOwn || received.identity == nil { try filing.save(received, in: writer) }
            try settleOthers(purpose, granted: granted, writer)
            if let refusal = commit.refusal { try remember(refusal, writer, commit.intent) }
            try addProfile(received.profile, writer)
            try takeName(received, writer)
            return nil
        }
    }

    /// Adds the account's profile in a tenant where it has not been before.
    private func addProfile(_ profile: TenantProfile?, _ writer: GroupWriter) throws {
        guard let profile, !profile.realm.isEmpty, let account = try writer.account(plan.account.id) else { return }
        let realm = Identifier.folded(profile.realm)
        guard !account.tenantProfiles.contains(where: { Identifier.folded($0.realm) == realm }) else { return }
        _ = try writer.save(Account(id: account.id, username: "", tenantProfiles: [profile]))
    }

    /// Takes the user name and the name that the provider vouches for by now: those of the home tenant, where there are tenants.
    private func takeName(_ received: ReceivedTokens, _ writer: GroupWriter) throws {
        guard let profile = received.profile, let username = received.username,
            let account = try writer.account(plan.account.id),
            !EnvironmentAliases.isMicrosoft(account.id.environment)
                || account.homeRealm.map(Identifier.folded) == Identifier.folded(profile.realm)
        else { return }
        let realm = Identifier.folded(profile.realm)
        var known = account.tenantProfiles.first { Identifier.folded($0.realm) == realm } ?? profile
        known.username = username
        if let name = profile.displayName { known.displayName = name }
        _ = try writer.save(
            Account(
                id: account.id, username: username, displayName: profile.displayName, tenantProfiles: [known]))
    }

    /// A conflict where the client's own grant is not what it was when the family's token was taken: signed out
    /// meanwhile, or signed in anew.
    private func changedOwnGrant(_ writer: GroupWriter) throws -> RefreshEvent? {
        guard let clientID = plan.clientID else { return nil }
        let own = try writer.grants(of: plan.account.id, clientID: clientID)
        let before = plan.own.map { $0.grant ?? Grant() }
        let isAsBefore =
            own.isEmpty
            ? before == nil
            : own.contains { token in
                let grant = token.grant ?? Grant()
                return grant.version == before?.version && grant.state == before?.state
            }
        return isAsBefore ? nil : .conflict(snapshot(of: own.first))
    }

    /// Makes room where the refresh token is about to join, or to leave, a family: the client may have another there.
    private func removeDuplicate(_ received: ReceivedTokens, _ writer: GroupWriter) throws {
        guard received.response.details.familyID != key.familyID, provider.quirks.contains(.families) else { return }
        _ = try writer.removeGrants(
            besides: Credential(
                kind: .refreshToken, account: key.account, clientID: key.clientID, familyID: key.familyID))
    }

    /// Stores the refresh token of an answer of which nothing else can be used.
    func keep(
        _ kept: HeldToken, _ commit: RefreshCommit, _ failure: RefreshFailure?
    ) throws(KeyringError) -> RefreshEvent {
        try change(at: commit.expected) { writer, _ in
            writer.markIrreplaceable()
            try writer.replaceGrant(key, secret: kept.secret) { token in
                renew(&token, keyring.clock.now, nil)
                token.changeGrant { $0.failure = failure?.about($0.version) }
            }
            return nil
        }
    }

    /// What is known of the refresh token that came in the place of the one used.
    private func renew(_ token: inout Credential, _ time: Timestamp, _ details: TokenResponse.Details?) {
        token.cachedAt = time
        token.expiresOn = details?.refreshTokenExpiresIn.map(time.advanced(by:))
        token.additionalFields.fields.removeAll { $0.name == "last_modification_time" }
        if let details, provider.quirks.contains(.families) { token.familyID = details.familyID }
        // Each group counts its own. What was refused is no matter of which refresh token it was.
        let old = token.grant ?? Grant()
        let version = old.version.rotated
        var grant = Grant(epoch: version.epoch, generation: version.generation, rotates: true, ended: old.ended)
        (grant.refusals, grant.served) = (old.refusals, old.served)
        token.grant = grant
    }

    /// Stores the refresh token that the client got for another's of its family.
    private func storeOwn(_ received: ReceivedTokens, _ writer: GroupWriter) throws {
        guard let clientID = plan.clientID else { return }
        let details = received.response.details
        let token = Credential(
            kind: .refreshToken, account: plan.account.id, clientID: clientID, scopes: plan.scopes,
            familyID: details.familyID, cachedAt: received.sentAt,
            expiresOn: details.refreshTokenExpiresIn.map(received.sentAt.advanced(by:)), grant: Grant())
        try received.withRefreshToken { secret in
            _ = try writer.removeGrants(besides: token)
            _ = try writer.save(token, secret: secret, from: .owner)
        }
    }

    /// Writes down what a refusal changes, and ends the intent unless the refresh token may be used up, in one transaction.
    func record(
        _ changes: [StoredChange], _ failure: RefreshFailure?, _ intent: String, mayBeUsedUp: Bool
    ) throws(KeyringError) -> RefreshEvent {
        let used = changes.compactMap(\.version).first
        return try change(at: used) { writer, _ in
            // A refusal is about the refresh token that was used, and no other.
            let token = try writer.grant(key)
            guard token?.grant?.intent?.id == intent else { return .conflict(snapshot(of: token)) }
            try writer.updateGrant(key) { token in
                token.changeGrant { grant in
                    if !mayBeUsedUp { grant.intent = nil }
                    if let failure { grant.failure = failure.about(grant.version).replacing(grant.failure) }
                }
            }
            for change in changes { try apply(change, writer, intent) }
            return nil
        }
    }

    private func apply(_ change: StoredChange, _ writer: GroupWriter, _ intent: String) throws {
        switch change {
        case .remember(let refusal): try remember(refusal, writer, intent)
        case .markNeedsSignIn(_, let reason):
            try writer.updateGrant(key) { $0.changeGrant { $0.state = .needsSignIn(reason: reason) } }
        case .deleteRefreshToken:
            var state = try writer.grant(key)?.grant?.state ?? .active
            if state == .active { state = .needsSignIn(reason: "the provider called the refresh token bad") }
            try writer.endGrant(key, as: state)
            try writer.removeTokens(of: key.account) { $0.clientID == key.clientID }
        case .leaveFamily:
            guard let clientID = plan.clientID else { return }
            _ = try writer.save(
                AppMetadata(clientID: clientID, environment: plan.account.id.environment, family: .none))
        case .removeClientCredentials:
            if source == .own {
                try writer.endGrant(key, as: .needsSignIn(reason: "the account was deleted at the provider"))
            }
            let clientID = plan.clientID ?? key.clientID
            try writer.removeTokens(of: key.account) { $0.clientID == clientID }
        }
    }
}

extension StoredChange {
    /// The version of the refresh token that was used, where the change is about it.
    fileprivate var version: GrantVersion? {
        switch self {
        case .markNeedsSignIn(let token, _), .deleteRefreshToken(let token): token.version
        case .leaveFamily, .removeClientCredentials, .remember: nil
        }
    }
}
