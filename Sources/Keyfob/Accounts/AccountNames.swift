public import KeyfobModel
public import KeyfobSelection

/// What accounts are called among those that are there: by the label or user name where it means one of them alone, else by
/// what tells it apart.
public struct AccountNames: Sendable {
    private let known: [Candidate]
    /// The account of each name, folded; nil for a name of several.
    private var owners: [String: AccountID?] = [:]

    /// - Parameter known: The accounts that are there.
    public init(among known: [Candidate]) {
        self.known = known
        owners.reserveCapacity(known.count * 4)
        for candidate in known {
            let id = candidate.account.id
            for name in candidate.account.names {
                if let owner = owners[name] {
                    if owner != id { owners[name] = .some(nil) }
                } else {
                    owners[name] = .some(id)
                }
            }
        }
    }

    /// What people read.
    public func shown(_ account: Account) -> String {
        isUnique(account) ? account.name : AccountNaming(among: known).shown(account, nil)
    }

    /// What to type in a command so that this account is meant and no other.
    public func typed(_ account: Account) -> String {
        isUnique(account) ? account.name : AccountNaming(among: known).typed(account)
    }

    private func isUnique(_ account: Account) -> Bool {
        guard let owner = owners[Identifier.folded(account.name)] else { return true }
        return owner == account.id
    }
}
