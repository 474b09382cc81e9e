internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobVault

extension Keyring.Accounts {
    /// What the accounts of the groups would be told if `request` were made.
    ///
    /// The choice rests on the accounts, the owner's bindings, project files that were allowed, and what was chosen
    /// before; see ``AccountSelector``. What an account's access tokens are for is looked at where the request asks for
    /// scopes, an address, a tenant or a client, or the account has nothing else.
    ///
    /// - Throws: as ``list(in:)``.
    public func select(_ request: TokenRequest, in groups: [AccessGroup]? = nil) throws(KeyringError) -> Selection {
        try selectAndProve(request, in: groups, isProven: false).selection
    }

    /// Which account `request` means, as far as that shows at once: it takes a millisecond, however many accounts there are.
    ///
    /// - Throws: as ``list(in:)``.
    public func glance(_ request: TokenRequest, in groups: [AccessGroup]? = nil) throws(KeyringError) -> AccountGlance {
        let now = clock.now
        return try withState { state in
            try database.withSnapshot { try search.glance(&state, request, in: groups, now) }
        }
    }

    /// The same choice, where all that counts is who is chosen.
    ///
    /// Where one account alone answers to the name in `request`, and will do, no other is looked at: that costs the same however
    /// many accounts there are. Of a request with an address all are looked at, for there bindings decide as well.
    ///
    /// - Throws: as ``list(in:)``.
    package func selectByName(
        _ request: TokenRequest, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> Selection {
        guard let name = request.account, request.context.url == nil else { return try select(request, in: groups) }
        let now = clock.now
        let narrow: Selection? = try withState { state in
            let groups = try state.groups(groups)
            guard let named = try database.withSnapshot({ try search.candidates(named: name, groups) }),
                named.count == 1
            else { return nil }
            var evidence = Evidence(now: now)
            evidence.hasClosedGroups = state.vault.hasGroupsBeyondReach
            return AccountSelector().select(
                request, among: named, groups: groups.map(\.name), evidence: evidence)
        }
        if let narrow, case .chosen = narrow.outcome { return narrow }
        return try select(request, in: groups)
    }

    /// The same, and whether every account and binding was there to choose from.
    ///
    /// - Returns: The selection, and a `doubt` where what does not open, or is not there, might be the one.
    /// - Throws: as ``list(in:)``.
    public func selectAndProve(
        _ request: TokenRequest, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> (selection: Selection, doubt: KeyringError?) {
        try selectAndProve(request, in: groups, isProven: true)
    }

    private func selectAndProve(
        _ request: TokenRequest, in groups: [AccessGroup]?, isProven: Bool
    ) throws(KeyringError) -> (selection: Selection, doubt: KeyringError?) {
        let now = clock.now
        return try withState { state in
            let groups = try state.groups(groups)
            let roster = try search.roster(&state, groups, request)
            let (candidates, evidence) = search.evidence(&state, roster, request, groups, now)
            let selection = try search.select(&state, request, among: candidates, groups, evidence)
            state.warn(ofPassedOver: selection.passedOver)
            guard isProven else { return (selection, nil) }
            return (selection, roster.isWhole ? nil : KeyringError(LookupRefusal.uncertain))
        }
    }
}
