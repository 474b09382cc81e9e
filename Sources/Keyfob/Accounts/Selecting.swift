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
            let selection = AccountSelector().select(
                request, among: candidates, groups: groups.map(\.name), evidence: evidence)
            state.warn(ofPassedOver: selection.passedOver)
            guard isProven else { return (selection, nil) }
            do {
                guard roster.isWhole else { throw LookupRefusal.uncertain }
                for group in groups { try database.requireComplete(group.keys) }
                return (selection, nil)
            } catch  where !Keyring.mayBeStale(error) {
                return (selection, KeyringError(error))
            }
        }
    }
}
