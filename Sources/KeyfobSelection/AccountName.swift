internal import KeyfobModel

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
        let exact = candidates.filter { $0.account.id == id || names(of: $0.account).contains(folded) }
        guard exact.isEmpty else { return exact }
        return candidates.filter { names(of: $0.account).contains { $0.hasPrefix(folded) } }
    }

    private func names(of account: Account) -> [String] {
        var names = [account.id.canonical, Identifier.folded(account.id.homeAccountID)]
        if !account.username.isEmpty { names.append(Identifier.folded(account.username)) }
        if let label = account.label { names.append(Identifier.folded(label)) }
        return names
    }
}
