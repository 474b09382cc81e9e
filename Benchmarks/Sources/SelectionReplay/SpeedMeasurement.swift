import Keyfob

/// How long one choice takes among very many accounts.
///
/// The request comes from a repository in which one account was used; the history is as long as one can be.
struct SpeedMeasurement {
    private static let accountCount = 10_000
    private static let eventCount = 10_000
    private static let rounds = 200

    /// Over how many of the accounts the history is spread.
    let usedAccounts: Int

    /// The median of many choices in microseconds.
    func microseconds() -> Double {
        let candidates = Self.candidates()
        let context = Self.context(0)
        let events = (0..<Self.eventCount).map { number in
            let account = number * 7_919 % usedAccounts
            return UsageEvent(
                time: Timestamp(seconds: 1_700_000_000 + Int64(number) * 600), account: candidates[account].tag,
                context: Self.context(account % 40))
        }
        let request = TokenRequest(
            context: RequestContext(remote: ResourceURL(host: "git.example", path: ["owner0", "app0"])))
        let now = Timestamp(seconds: 1_700_000_000 + Int64(Self.eventCount) * 600)
        let selector = AccountSelector()
        var times: [Double] = []
        for _ in 0..<Self.rounds {
            let stopwatch = ContinuousClock.now
            let evidence = Evidence(history: UsageHistory(events, context: context), now: now)
            let choice = selector.choose(request, among: candidates, groups: [.default], evidence: evidence)
            times.append((ContinuousClock.now - stopwatch) / .microseconds(1))
            precondition(choice.map { $0.candidate.group == .default } ?? true)
        }
        return times.sorted()[Self.rounds / 2]
    }

    /// The report's line.
    var text: String {
        let spread = "\(Self.accountCount) accounts, \(Self.eventCount) events of \(usedAccounts) of them"
        return "\(spread): \(Int(microseconds().rounded())) µs\n"
    }

    private static func candidates() -> [Candidate] {
        (0..<accountCount).compactMap { number in
            AccountID(homeAccountID: "user\(number)", environment: "idp.example").map { id in
                Candidate(
                    account: Account(id: id, username: "user\(number)@contoso.example"), group: .default,
                    state: .signedIn, clientIDs: ["tool"], realms: ["contoso"], tokenScopes: [["repo"]],
                    isDefault: false)
            }
        }
    }

    private static func context(_ place: Int) -> UsageContext {
        KeyfobRule.context(of: ResourceURL(host: "git.example", path: ["owner\(place / 4)", "app\(place)"]))
    }
}
