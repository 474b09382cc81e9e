package import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
package import KeyfobSelection
package import KeyfobVault

// What single accounts hold, found by index.

extension TokenSearch {
    /// The accounts that a text names exactly, with all that they hold; nil where there are none, where one has nothing, or
    /// where something does not open: then all have to be looked at.
    package func candidates(
        named text: String, _ groups: [UnlockedVault.Group]
    ) throws(StorageFailure) -> [Candidate]? {
        guard Identifier.isAcceptable(text) else { return nil }
        var candidates: [Candidate] = []
        for group in groups {
            do throws(StorageFailure) {
                for account in try storage.accounts(named: text, in: group.keys) {
                    guard let candidate = try candidate(account, in: group) else { return nil }
                    candidates.append(candidate)
                }
            } catch StoreError.damaged {
                return nil
            }
        }
        return candidates.isEmpty ? nil : candidates
    }

    /// The default account of a group, with all that it holds; nil where there is none, where it has nothing, or where
    /// something does not open.
    package func preferred(in group: UnlockedVault.Group) throws(StorageFailure) -> Candidate? {
        do throws(StorageFailure) {
            guard let id = try storage.setting(Self.defaultAccount, in: group.keys).flatMap({ AccountID($0.value) }),
                let account = try storage.account(id, in: group.keys)
            else { return nil }
            return try candidate(account, in: group)
        } catch StoreError.damaged {
            return nil
        }
    }

    /// An account with all that it holds, found by index; nil where that is nothing, or does not open.
    private func candidate(_ account: Account, in group: UnlockedVault.Group) throws(StorageFailure) -> Candidate? {
        guard let holdings = try holdings(of: account.id, in: group, Holdings.Extent.everything.kinds),
            !holdings.isEmpty
        else { return nil }
        var preferred = try storage.setting(Self.defaultAccount, in: group.keys)
        if let id = preferred.flatMap({ AccountID($0.value) }), account.formerIDs.contains(id),
            try storage.account(id, in: group.keys) == nil
        {
            preferred = preferred?.followed(among: [account])
        }
        return holdings.candidate(account, in: group.name, preferred)
    }

    /// What an account holds; nil where some of that does not open.
    func holdings(
        of account: AccountID, in group: UnlockedVault.Group, _ kinds: [Credential.Kind]
    ) throws(StorageFailure) -> Holdings? {
        var holdings = Holdings()
        for kind in kinds {
            let credentials = try storage.credentials(kind, of: account, in: group.keys)
            guard credentials.damaged.isEmpty else { return nil }
            for item in credentials.items { holdings.add(item.value) }
        }
        return holdings
    }
}
