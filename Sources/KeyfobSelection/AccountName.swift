package import KeyfobModel

/// A name by which a request means an account.
///
/// What somebody typed matches by id, home account id, exact user name or label; when none of these fits, by an id or user name
/// that an account had before, or by its user name at its host; and only then by the beginning of a name. A user in an address matches by one of these as a
/// whole, or else by what stands in one before the `@`. An account that was removed keeps its names, and those that it had: nobody else answers to one
/// of them by a part of another, nor becomes the only one that a part means.
struct AccountName: Hashable, Sendable {
    private let folded: String
    /// The id that the name spells, under whatever alias of the environment.
    private let id: AccountID?
    private let isLogin: Bool

    /// The name in `text`; nil when it is blank, because nothing matches by omission.
    ///
    /// - Parameter isLogin: Whether it is the user of an address.
    init?(_ text: String, isLogin: Bool = false) {
        guard Identifier.isAcceptable(text) else { return nil }
        folded = Identifier.foldedName(text)
        id = AccountID(text)
        self.isLogin = isLogin
    }

    /// The accounts that answer to the name.
    ///
    /// - Parameter takesParts: Whether a part of a name is enough.
    func matches(in candidates: [Candidate], takesParts: Bool = true) -> [Candidate] {
        let exact = candidates.filter { $0.account.id == id || $0.account.names.contains(folded) }
        guard exact.isEmpty else { return exact }
        let former = candidates.filter { $0.account.wasCalled(folded, id) }
        guard former.isEmpty else { return former }
        if let id {
            let users = candidates.filter { $0.account.isCalled(id) }
            if !users.isEmpty { return users }
        }
        guard takesParts else { return [] }
        guard isLogin else {
            return candidates.filter { $0.account.names.contains { $0.hasPrefix(folded) } }
        }
        return candidates.filter { $0.account.isCalled(folded) }
    }
}

extension Account {
    /// What it answers to, as names are compared.
    package var names: [String] {
        var names = [id.canonical, Identifier.foldedName(id.homeAccountID)]
        if !username.isEmpty { names.append(Identifier.foldedName(username)) }
        if let label { names.append(Identifier.foldedName(label)) }
        return names
    }

    /// Whether an id that is a user name at a host, such as `ada@github.com`, is what it is called there.
    package func isCalled(_ name: AccountID) -> Bool {
        !username.isEmpty && Identifier.foldedName(username) == Identifier.foldedName(name.homeAccountID)
            && EnvironmentAliases.areSame(id.environment, name.environment)
    }

    /// Whether a program that says `login` means it: one of its names as a whole, or what stands before the `@` of one.
    package func isCalled(_ login: String) -> Bool {
        let folded = Identifier.foldedName(login)
        return names.contains { $0 == folded || $0.hasPrefix(folded + "@") }
    }
}
