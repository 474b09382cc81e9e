internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSelection
internal import KeyfobVault

extension TokenSearch {
    /// The accounts that a repository or an address may indicate, whether they will do or not.
    struct Indicated {
        /// All that are called as it says, and some of the committer's domain.
        var accounts: [Place] = []
        /// The groups that have, or may have, more accounts of that domain.
        var groupsWithMoreKin: [AccessGroup] = []
    }

    /// The accounts that `request` may indicate in the groups; nil where nothing indicates anybody.
    ///
    /// They are found by index and by the groups' catalogues, however many others there are.
    func indicated(
        _ request: TokenRequest, _ groups: [UnlockedVault.Group]
    ) throws(StorageFailure) -> Indicated? {
        let context = request.context
        guard context.mayIndicate else { return nil }
        var names = [context.ownedAddress?.ownerName].compactMap { $0 }
        if let address = context.committer { names += [address.description] + address.hiddenLogins }
        var indicated = Indicated()
        for group in groups {
            for name in names {
                indicated.accounts += try storage.accounts(called: name, in: group.keys).map { ($0, group) }
            }
            guard let address = context.committer, address.tellsOrganisation else { continue }
            let kin = try storage.fewAccounts(inDomain: address.domain, in: group.keys)
            indicated.accounts += kin?.accounts.map { ($0, group) } ?? []
            if kin?.areAll != true { indicated.groupsWithMoreKin.append(group.name) }
        }
        return indicated
    }
}
