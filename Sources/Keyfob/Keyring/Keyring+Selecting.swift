internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobVault

extension Keyring {
    /// What the accounts of the groups would be told if `request` were made.
    ///
    /// The choice rests on the accounts, the owner's bindings, project files that were allowed, and what was chosen
    /// before; see ``AccountSelector``.
    ///
    /// - Throws: as ``accounts(in:)``.
    public func select(_ request: TokenRequest, in groups: [AccessGroup]? = nil) throws(KeyringError) -> Selection {
        let now = clock.now
        return try withState { state in
            let groups = try state.groups(groups)
            let roster = try search.roster(&state, groups, request.context)
            let (candidates, evidence) = search.evidence(&state, roster, request, groups, now)
            let selection = AccountSelector().select(
                request, among: candidates, groups: groups.map(\.name), evidence: evidence)
            state.warn(ofPassedOver: selection.passedOver)
            return selection
        }
    }

    /// Makes sure that ``select(_:in:)`` had every account and binding to choose from.
    ///
    /// - Throws: `damaged` when what does not open, or is not there, might be the one; as ``accounts(in:)``.
    public func requireWhole(for request: TokenRequest, in groups: [AccessGroup]? = nil) throws(KeyringError) {
        try withState { state in
            let groups = try state.groups(groups)
            guard try search.roster(&state, groups, request.context).isWhole else { throw LookupRefusal.uncertain }
            for group in groups { try database.requireComplete(group.keys) }
        }
    }
}
