import Keyfob

/// A way to choose the account, on its way through one person's history.
protocol Rule {
    /// The rule's name in the report.
    static var name: String { get }

    /// The rule at the beginning of a history.
    init(accounts: [Candidate])

    /// What it says of the next choice, of which it sees when and for what.
    func answer(at time: Timestamp, for address: ResourceURL) -> Answer

    /// Tells it which account it was.
    mutating func learn(_ choice: Trace.Choice)
}

/// What a rule says of one choice, in places of the account list.
enum Answer {
    /// It takes this account.
    case take(Int)
    /// It asks, and lists the accounts in this order.
    case ask([Int])
}

/// The selection as it ships.
struct KeyfobRule: Rule {
    static let name = "keyfob"

    private let accounts: [Candidate]
    private let places: [AccountID: Int]
    private let selector = AccountSelector()
    private var events: [UsageEvent] = []

    init(accounts: [Candidate]) {
        self.accounts = accounts
        places = Dictionary(uniqueKeysWithValues: accounts.enumerated().map { ($1.account.id, $0) })
    }

    func answer(at time: Timestamp, for address: ResourceURL) -> Answer {
        let evidence = Evidence(history: UsageHistory(events, context: Self.context(of: address)), now: time)
        let request = TokenRequest(context: RequestContext(remote: address))
        if let choice = selector.choose(request, among: accounts, groups: [.default], evidence: evidence) {
            return .take(places[choice.candidate.account.id] ?? 0)
        }
        let selection = selector.select(request, among: accounts, groups: [.default], evidence: evidence)
        return .ask(selection.verdicts.map { places[$0.candidate.account.id] ?? 0 })
    }

    mutating func learn(_ choice: Trace.Choice) {
        events.append(
            UsageEvent(
                time: choice.time, account: accounts[choice.account].tag, context: Self.context(of: choice.address)))
    }

    /// What the selection learns about an address, under tags without a key.
    static func context(of address: ResourceURL) -> UsageContext {
        UsageContext(address) { UsageTag(of: $0.joined(separator: "\u{0}")) }
    }
}

/// The account that was last used, here or else anywhere.
struct LastUsedRule: Rule {
    static let name = "last-used"

    private var uses: Uses

    init(accounts: [Candidate]) {
        uses = Uses(count: accounts.count)
    }

    func answer(at time: Timestamp, for address: ResourceURL) -> Answer {
        uses.last(at: address).map { .take($0) } ?? .ask(uses.order(at: address))
    }

    mutating func learn(_ choice: Trace.Choice) { uses.add(choice) }
}

/// A number in a rule's type.
protocol Length {
    static var value: Int { get }
}

enum Three: Length { static let value = 3 }
enum Five: Length { static let value = 5 }
enum Ten: Length { static let value = 10 }

/// The account of the last choices here, when that many were one; at a new place, of the last ten anywhere.
struct StreakRule<Streak: Length>: Rule {
    static var name: String { "streak-\(Streak.value)" }

    private var uses: Uses

    init(accounts: [Candidate]) {
        uses = Uses(count: accounts.count)
    }

    func answer(at time: Timestamp, for address: ResourceURL) -> Answer {
        let here = uses.here(address)
        let recent = here.isEmpty ? uses.anywhere.suffix(10) : here.suffix(Streak.value)
        let isStreak = recent.count == (here.isEmpty ? 10 : Streak.value) && Set(recent).count == 1
        guard isStreak, let account = recent.last else { return .ask(uses.order(at: address)) }
        return .take(account)
    }

    mutating func learn(_ choice: Trace.Choice) { uses.add(choice) }
}

/// The accounts used so far, here and anywhere.
struct Uses {
    private let count: Int
    private var byAddress: [ResourceURL: [Int]] = [:]
    private(set) var anywhere: [Int] = []

    init(count: Int) {
        self.count = count
    }

    mutating func add(_ choice: Trace.Choice) {
        byAddress[choice.address, default: []].append(choice.account)
        anywhere.append(choice.account)
    }

    func here(_ address: ResourceURL) -> [Int] { byAddress[address] ?? [] }

    func last(at address: ResourceURL) -> Int? { here(address).last ?? anywhere.last }

    /// The accounts in the order of their last use here, then anywhere, then as they are listed.
    func order(at address: ResourceURL) -> [Int] {
        var order: [Int] = []
        for account in here(address).reversed() + anywhere.reversed() + Array(0..<count)
        where !order.contains(account) {
            order.append(account)
            if order.count == count { break }
        }
        return order
    }
}
