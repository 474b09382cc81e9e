public import KeyfobModel
public import KeyfobSelection

/// What to call accounts in a line for people: by names that can be typed, of which each means one account alone.
public struct AccountNaming: Sendable {
    /// Of an id, people are shown so many characters at most where no other name is one account's own.
    private static let shortID = 40

    private let known: [Candidate]
    /// The account of each name, folded; nil for a name of several.
    private let owners: [String: AccountID?]

    /// - Parameter known: The accounts among which a name is looked for.
    public init(among known: [Candidate]) {
        self.known = known
        var owners: [String: AccountID?] = [:]
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
        self.owners = owners
    }

    /// The label or user name, where it means this account alone; else what people are shown.
    public func brief(_ account: Account) -> String { isUnique(account) ? account.name : shown(account, nil) }

    /// The label or user name, where it means this account alone; else what to type.
    public func briefTyped(_ account: Account) -> String { isUnique(account) ? account.name : typed(account) }

    private func isUnique(_ account: Account) -> Bool {
        guard let owner = owners[Identifier.foldedName(account.name)] else { return true }
        return owner == account.id
    }

    /// What to type so that this account is meant and no other: its label or user name, best of one word; else its id, or
    /// the beginning of that where it is long.
    func typed(_ account: Account) -> String {
        let id = account.id.description
        let names = [account.plainName, account.label, account.username].compactMap(\.self)
        let typable = (names + (id.count <= Self.shortID ? [id] : [])).filter { means($0, account) }
        return typable.first { !$0.contains(where: \.isWhitespace) } ?? typable.first ?? beginning(of: id, account)
    }

    /// What people read: the name where it is enough; else with what tells it from others of that name.
    ///
    /// - Parameter group: The group the account is in, where that may tell it from another.
    func shown(_ account: Account, _ group: AccessGroup?) -> String {
        let (name, typed) = (account.plainName, typed(account))
        guard name != typed, !means(name, account) else { return name }
        let alike = known.filter { $0.account.id != account.id && $0.account.plainName == name }
        var marks: [String] = []
        if !typed.contains(account.id.environment),
            alike.contains(where: { $0.account.id.environment != account.id.environment })
        {
            marks.append(account.id.environment)
        }
        if let group, alike.contains(where: { $0.group != group }) { marks.append("group \(group)") }
        let own = typed == account.username ? typed : "id \(typed)"
        return "\(name) (\((marks + [own]).joined(separator: ", ")))"
    }

    private func means(_ name: String, _ account: Account) -> Bool {
        let found = AccountSelector().candidates(named: name, among: known)
        return !found.isEmpty && found.allSatisfy { $0.account.id == account.id }
    }

    /// As much of the id as it takes; a good part of it, so that an account which comes later is not taken for it.
    private func beginning(of id: String, _ account: Account) -> String {
        // Ids of personal accounts of Microsoft begin with a half of zeros.
        var length = id.prefix { $0 == "0" || $0 == "-" }.count + 8
        while length < id.count {
            let text = String(id.prefix(length))
            if text.last != "-", means(text, account) { return text }
            length += 1
        }
        return id
    }
}

extension Account {
    /// The label or user name; the id where it is no more than a user name at a host, and where there is nothing else.
    fileprivate var plainName: String {
        if let label { return label }
        if username.isEmpty { return id.description }
        let isInID = Identifier.foldedName(id.homeAccountID) == Identifier.foldedName(username)
        return isInID && !username.contains("@") ? id.description : username
    }
}

extension Candidate {
    /// An account of which no more is known than its group.
    init(_ account: Account, in group: AccessGroup) {
        self.init(account: account, group: group, state: .noCredentials, clientIDs: [], isDefault: false)
    }
}
