extension Account {
    /// How many former names are kept: the latest.
    package static let formerNamesLimit = 16

    /// The ids it had before a person proved another one.
    package var formerIDs: [AccountID] {
        formerNames.isEmpty ? [] : formerNames.compactMap { AccountID($0) }.filter { isID($0) && $0 != id }
    }

    /// Whether it had a name before, as names are compared, or an id.
    package func wasCalled(_ folded: String, _ former: AccountID?) -> Bool {
        guard !formerNames.isEmpty else { return false }
        return formerNames.contains { Identifier.foldedName($0) == folded }
            || former.map { formerIDs.contains($0) } ?? false
    }

    /// Notes names that it has no more, the latest first; a name that it still has is not among them, nor one that cannot be a name.
    package mutating func noteFormerNames(_ names: [String]) {
        var seen: Set<String> = [id.canonical, Identifier.foldedName(username)]
        formerNames = Array(
            (names + formerNames).filter {
                Identifier.isAcceptable($0) && seen.insert(Identifier.foldedName($0)).inserted
            }
            .prefix(Self.formerNamesLimit))
    }

    /// Notes the id and the names of an account that is now part of this one.
    package mutating func noteFormer(_ account: Account) {
        noteFormerNames([account.id.description, account.username] + account.formerNames)
    }

    /// Notes the user name it had.
    ///
    /// A name that reads as an id of the same provider is left out: an import would take the account for one that had that id.
    package mutating func noteFormerUsername(_ username: String) {
        if let read = AccountID(username), isID(read) { return noteFormerNames([]) }
        noteFormerNames([username])
    }

    private func isID(_ other: AccountID) -> Bool { EnvironmentAliases.areSame(other.environment, id.environment) }
}
