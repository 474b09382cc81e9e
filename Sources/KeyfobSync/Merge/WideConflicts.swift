package import KeyfobModel

extension Conflict {
    /// Whether one item, or the items of one account in one group, show it.
    package var isOfOneAccount: Bool {
        switch self {
        case .sameLabel, .accountInSeveralGroups, .settingOfDeletedAccount: false
        case .forkedGrant, .deletedAndChanged, .signedInButDeleted, .sameVersion, .farAhead: true
        }
    }
}

/// Looks for the conflicts between items of different accounts in a result that is seen a few accounts at a time.
///
/// Of each account it remembers two numbers; for what they make it suspect, the accounts are gone through once more.
package struct WideConflicts {
    private var labels: [AccessGroup: [Int]] = [:]
    private var accounts: [Int] = []
    /// The settings that name an account.
    package private(set) var settings: [(place: ItemPlace, account: ItemKey)] = []

    /// Nothing seen yet.
    package init() {}

    /// Sees a part of the result: each item is in one part.
    package mutating func see(_ part: KeyringState) {
        for (group, state) in part.groups {
            for (key, item) in state.items where state.contains(key) {
                switch key.kind {
                case .account:
                    accounts.append(key.hashValue)
                    if let label = item.text(.label) { labels[group, default: []].append(label.hashValue) }
                case .setting:
                    guard let named = item.text(.content), let id = AccountID(named) else { break }
                    settings.append((ItemPlace(group, key), .account(id)))
                default: break
                }
            }
        }
    }

    /// What is found once everything was seen.
    ///
    /// - Parameter forEachAccount: Goes through the accounts of all groups.
    package func found(
        _ forEachAccount: ((AccessGroup, Account) throws -> Void) throws -> Void
    ) rethrows -> [Conflict] {
        let shared = Self.repeated(accounts)
        let suspects = labels.mapValues(Self.repeated)
        guard !shared.isEmpty || suspects.contains(where: { !$0.value.isEmpty }) else { return [] }
        var groups: [ItemKey: [AccessGroup]] = [:]
        var called: [AccessGroup: [String: [ItemKey]]] = [:]
        try forEachAccount { group, account in
            let key = ItemKey.account(account.id)
            if shared.contains(key.hashValue) { groups[key, default: []].append(group) }
            if let label = account.label, suspects[group]?.contains(label.hashValue) == true {
                called[group, default: [:]][label, default: []].append(key)
            }
        }
        let inSeveral: [Conflict] = groups.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
            .map { .accountInSeveralGroups($0.key, $0.value.sorted()) }
        let sameLabels: [Conflict] = called.sorted { $0.key < $1.key }.flatMap { group, labels in
            labels.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
                .map { Conflict.sameLabel(group, label: $0.key, accounts: $0.value.sorted()) }
        }
        return inSeveral + sameLabels
    }

    private static func repeated(_ numbers: [Int]) -> Set<Int> {
        let sorted = numbers.sorted()
        return Set(zip(sorted, sorted.dropFirst()).filter { $0 == $1 }.map(\.0))
    }
}
