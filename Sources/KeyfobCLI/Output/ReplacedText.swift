internal import Keyfob

/// What people read of what a command has put something else in the place of.
enum ReplacedText {
    /// The bindings that gave way to another; nil where none did.
    static func text(_ former: [Binding], _ keyring: Keyring) -> String? {
        guard let first = former.first else { return nil }
        let names = former.compactMap { $0.target.account.map { name(of: $0, first.origin, keyring) } }
        guard !names.isEmpty else { return "it was bound to none before\(way)" }
        return "it used \(Quantity.list(names)) before\(way)"
    }

    /// The account that was the default before; nil where there was none.
    static func text(_ former: AccountID?, in group: AccessGroup, _ keyring: Keyring) -> String? {
        former.map { "it was \(name(of: $0, .keyring(group), keyring)) before\(way)" }
    }

    private static let way = "; 'keyfob undo' brings that back"

    private static func name(of id: AccountID, _ origin: Binding.Origin, _ keyring: Keyring) -> String {
        guard case .keyring(let group) = origin,
            let candidate = try? keyring.accounts.named(id.description, in: [group])
        else { return id.description }
        return keyring.accounts.shownName(of: candidate.account)
    }
}
