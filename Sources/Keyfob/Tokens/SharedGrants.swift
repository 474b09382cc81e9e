internal import KeyfobLookup
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobVault

// One grant in several groups: two copies of one refresh token, of which a provider that replaces it takes the first
// use alone, and may end the grant at the second.

extension Keyring.Tokens {
    /// The other groups within reach that hold the very refresh token of `refresh`, and would show it to the same
    /// endpoint.
    ///
    /// Whoever holds the key of one group says there which provider is asked. What that one answers is no word about a
    /// token of another group, unless that group's own records lead to the same endpoint: its provider, and the
    /// discovery document kept there, which is read anew where there is none.
    ///
    /// - Parameter network: For the discovery documents of the other groups.
    /// - Throws: as ``Keyring/Providers/metadata(of:in:network:)``: to use a token whose copy is not known to follow would end both.
    func groupsSharing(_ refresh: GrantRefresh, network: Network) async throws(KeyringError) -> [GroupID] {
        // What a family's token gives is stored for the client alone.
        guard refresh.source == .own else { return [] }
        var sharing: [GroupID] = []
        for group in try holders(of: refresh.key, besides: refresh.plan.groupID) {
            guard let provider = try provider(for: refresh.plan, by: group.name), provider == refresh.provider else {
                continue
            }
            let metadata = try await keyring.providers.metadata(of: provider, in: group.name, network: network)
            guard metadata.endpoints[.token] == refresh.metadata.endpoints[.token] else { continue }
            sharing.append(group.keys.group)
        }
        return sharing
    }

    /// The other groups within reach in which the refresh token for `key` is the very one of `group`.
    ///
    /// The tokens are compared, in constant time: nothing that is stored says of two groups that they hold the same.
    private func holders(of key: GrantKey, besides group: GroupID) throws(KeyringError) -> [UnlockedVault.Group] {
        try withState { state in
            let others = state.vault.groups.filter { $0.keys.group != group }
            guard !others.isEmpty, let own = state.vault.groups.first(where: { $0.keys.group == group }),
                let mine = try database.activeToken(key, in: own.keys)
            else { return [] }
            return try others.filter { other in
                guard let theirs = try database.activeToken(key, in: other.keys) else { return false }
                return try database.secret(of: mine.record, in: own.keys)
                    .isEqual(to: database.secret(of: theirs.record, in: other.keys))
            }
        }
    }
}

extension VaultReading {
    /// The refresh token for `key`, where its grant can be used.
    func activeToken(_ key: GrantKey, in keys: GroupKeys) throws -> StoredItem<Credential>? {
        try credentials(.refreshToken, of: key.account, client: (key.clientID, ""), in: keys).items.first {
            key.matches($0.value) && ($0.value.grant ?? Grant()).state == .active
                && $0.record.secretCommitment != nil
        }
    }
}
