package import KeyfobModel

/// The subscriptions that Azure CLI lists in `azureProfile.json`, beside its token cache.
package struct AzureProfile: Hashable, Sendable {
    /// What az calls the entry of a tenant in which somebody has no subscription.
    static let tenantLevelName = "N/A(tenant level account)"

    /// The subscriptions of people; those of applications are left out.
    package let subscriptions: [Subscription]

    /// A subscription, and who uses it.
    package struct Subscription: Hashable, Sendable {
        /// The name that the portal shows.
        package let name: String
        /// The tenant it belongs to.
        package let tenantID: String
        /// The user name of who signed in for it.
        package let username: String
        /// Whether commands use it when they are given none.
        package let isDefault: Bool

        /// A subscription.
        package init(name: String, tenantID: String, username: String, isDefault: Bool) {
            self.name = name
            self.tenantID = tenantID
            self.username = username
            self.isDefault = isDefault
        }
    }

    /// A profile with these subscriptions.
    package init(subscriptions: [Subscription]) {
        self.subscriptions = subscriptions
    }

    /// Reads the file; subscriptions that lack a name or a user are left out.
    package init(reading bytes: RawSpan) throws(JSONError) {
        let tape = try JSONTape(reading: bytes, limits: JSONLimits(size: 16 << 20))
        func text(_ name: String, _ object: JSONTape.Value) -> String? {
            tape.member(name, of: object, in: bytes).flatMap { tape.string(of: $0, in: bytes) }
        }
        var subscriptions: [Subscription] = []
        if let list = tape.member("subscriptions", of: tape.root, in: bytes) {
            for item in tape.elements(of: list) {
                guard let user = tape.member("user", of: item, in: bytes), text("type", user) == "user",
                    let username = text("name", user), let name = text("name", item)
                else { continue }
                let isDefault = tape.member("isDefault", of: item, in: bytes).map { tape.kind(of: $0) == .true }
                subscriptions.append(
                    Subscription(
                        name: name, tenantID: text("tenantId", item) ?? "", username: username,
                        isDefault: isDefault ?? false))
            }
        }
        self.init(subscriptions: subscriptions)
    }

    /// Labels for accounts that have none: the name of the user's default subscription, or of the only one.
    ///
    /// A label is proposed only where it can mean one account: the user name is that of one account, and
    /// no other account has or gets the same label or bears it as its user name. Letter case is ignored.
    package func labels(for accounts: [Account]) -> [AccountID: String] {
        let usernames = accounts.reduce(into: [String: Int]()) {
            $0[Identifier.foldedName($1.username), default: 0] += 1
        }
        var taken = Set(accounts.flatMap { [$0.label ?? "", $0.username].map(Identifier.foldedName) })
        var proposals: [(id: AccountID, label: String)] = []
        for account in accounts
        where account.label == nil && !account.username.isEmpty
            && usernames[Identifier.foldedName(account.username)] == 1
        {
            if let label = label(forUser: account.username) { proposals.append((account.id, label)) }
        }
        let counts = proposals.reduce(into: [String: Int]()) { $0[Identifier.foldedName($1.label), default: 0] += 1 }
        var labels: [AccountID: String] = [:]
        for (id, label) in proposals where counts[Identifier.foldedName(label)] == 1 {
            if taken.insert(Identifier.foldedName(label)).inserted { labels[id] = label }
        }
        return labels
    }

    private func label(forUser username: String) -> String? {
        let own = subscriptions.filter { Identifier.foldedName($0.username) == Identifier.foldedName(username) }
        let defaults = own.filter(\.isDefault)
        guard let chosen = defaults.count == 1 ? defaults.first : own.count == 1 ? own.first : nil,
            Identifier.isAcceptable(chosen.name), chosen.name != Self.tenantLevelName
        else { return nil }
        return chosen.name
    }
}
