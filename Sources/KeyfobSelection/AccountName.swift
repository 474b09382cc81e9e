package import KeyfobModel

/// What a person typed to name an account.
///
/// It matches by id, home account id, exact user name or label; and only when none of these fits,
/// by the beginning of one of them.
struct AccountName: Hashable, Sendable {
    private let folded: String
    /// The id that the name spells, under whatever alias of the environment.
    private let id: AccountID?

    /// The name in `text`; nil when it is blank, because nothing matches by omission.
    init?(_ text: String) {
        guard Identifier.isAcceptable(text) else { return nil }
        folded = Identifier.folded(text)
        id = AccountID(text)
    }

    /// The accounts that answer to the name.
    func matches(in candidates: [Candidate]) -> [Candidate] {
        let exact = candidates.filter { $0.account.id == id || $0.account.names.contains(folded) }
        guard exact.isEmpty else { return exact }
        return candidates.filter { $0.account.names.contains { $0.hasPrefix(folded) } }
    }
}

extension Account {
    /// What it answers to, in small letters.
    package var names: [String] {
        var names = [id.canonical, Identifier.folded(id.homeAccountID)]
        if !username.isEmpty { names.append(Identifier.folded(username)) }
        if let label { names.append(Identifier.folded(label)) }
        return names
    }

    /// Whether a program that says `login` means it: one of its names as a whole, or what stands before the `@` of one.
    package func isCalled(_ login: String) -> Bool {
        let folded = Identifier.folded(login)
        return names.contains { $0 == folded || $0.hasPrefix(folded + "@") }
    }
}
