import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@Suite("The choices that a keyring remembers", .eachStorageInFullRun)
struct KeyringHistoryTests {
    private let home: KeyringHome
    private let ada: Account
    private let bob: Account
    private let work: AccessGroup

    init() throws {
        home = try KeyringHome()
        (ada, bob) = (try .contoso("ada"), try .contoso("bob"))
        work = try AccessGroup("work")
        try home.keyring.groups.create(work)
        for account in [ada, bob] { try home.keyring.store(.access(account), "token", for: account) }
    }

    private func request(_ path: String = "contoso/app", tool: String? = nil) -> TokenRequest {
        let url = ResourceURL(host: "git.example", path: path.split(separator: "/").map(String.init))
        return TokenRequest(context: RequestContext(tool: tool, remote: url))
    }

    /// Remembers as a process would that starts so many seconds after noon.
    private func remember(
        _ account: Account, after seconds: Int64, by origin: Keyring.ChoiceOrigin = .person,
        for request: TokenRequest? = nil, in group: AccessGroup = .default
    ) throws {
        let keyring = try home.opened(at: noon.advanced(by: seconds))
        keyring.accounts.remember(account.id, in: group, for: request ?? self.request(), by: origin)
        #expect(keyring.takeWarnings().isEmpty)
    }

    private func count(_ groups: [AccessGroup]? = nil) throws -> Int {
        try home.opened().accounts.rememberedChoices(in: groups)
    }

    /// How often an account was taken, of how many, by what is said so long after noon.
    private func share(
        of account: Account, after seconds: Int64 = 900_000, for request: TokenRequest? = nil,
        in groups: [AccessGroup]? = nil
    ) throws -> Usage.Share? {
        let selection = try home.opened(at: noon.advanced(by: seconds)).accounts.select(
            request ?? self.request(), in: groups)
        return selection.verdicts.first { $0.candidate.account.id == account.id }?.verdict.usage?.share
    }

    @Test("what is remembered is counted for its account, at its place, by every process")
    func remembered() throws {
        for hour in 0..<3 { try remember(ada, after: Int64(hour) * 7_200) }
        try remember(bob, after: 30_000)
        #expect(try count() == 4)
        let share = try #require(try share(of: ada))
        #expect(share.count == 3 && share.total == 4 && share.scope == .place)
        #expect(share.last == noon.advanced(by: 14_400))
        #expect(try self.share(of: bob)?.count == 1)
        #expect(try self.share(of: ada, for: request("contoso/other"))?.scope == .owner)
        #expect(try self.share(of: ada, for: request("fabrikam/app"))?.scope == .host)
    }

    @Test("after many choices of one account it is chosen, and its token is given")
    func learned() throws {
        for day in 0..<6 { try remember(bob, after: Int64(day) * 86_400) }
        let keyring = try home.opened(at: noon.advanced(by: 6 * 86_400 - 80_000))
        let chosen = try #require(try keyring.accounts.select(request()).verdicts.first)
        #expect(chosen.candidate.account.id == bob.id)
        guard case .chosen(.learned(let usage)) = chosen.verdict else {
            Issue.record("\(chosen.verdict)")
            return
        }
        #expect(usage.probability >= 0.9)
    }

    @Test("the same choice within a minute says nothing new", arguments: [(0, 1), (1, 1), (59, 1), (60, 2)])
    func repetition(seconds: Int64, expected: Int) throws {
        try remember(ada, after: 0)
        try remember(ada, after: seconds)
        #expect(try count() == expected)
    }

    @Test("without a person it says nothing new within an hour", arguments: [(60, 1), (3_599, 1), (3_600, 2)])
    func repetitionByTheSelection(seconds: Int64, expected: Int) throws {
        try remember(ada, after: 0, by: .selection)
        try remember(ada, after: seconds, by: .selection)
        #expect(try count() == expected)
    }

    @Test("another account, another place, another program, and a person's word after the selection's are news")
    func news() throws {
        try remember(ada, after: 0, by: .selection)
        try remember(ada, after: 1, by: .selection)
        #expect(try count() == 1)
        try remember(ada, after: 2, by: .person)
        try remember(ada, after: 3, by: .selection)
        #expect(try count() == 2)
        try remember(bob, after: 4)
        try remember(ada, after: 5, for: request("contoso/other"))
        try remember(ada, after: 6, for: request(tool: "gh"))
        #expect(try count() == 5)
        // Bob was the last one here.
        try remember(ada, after: 7)
        #expect(try count() == 6)
    }

    @Test(
        "what the selection took, and a person soon corrected, does not count",
        arguments: [(1, nil), (600, nil), (1, "gh"), (600, "az")] as [(Int64, String?)])
    func corrected(seconds: Int64, tool: String?) throws {
        try remember(ada, after: 0, by: .selection, for: request(tool: tool))
        #expect(try share(of: ada)?.count == 1)
        try remember(bob, after: seconds)
        #expect(try share(of: ada)?.count == 0)
        #expect(try share(of: bob)?.total == 1)
    }

    @Test("it counts when the person says the same, says so later, or says so elsewhere; and the person's own counts")
    func confirmed() throws {
        try remember(ada, after: 0, by: .selection)
        try remember(bob, after: 601)
        #expect(try share(of: ada)?.count == 1)
        let second = request("contoso/second")
        try remember(ada, after: 0, by: .selection, for: second)
        try remember(ada, after: 1, for: second)
        try remember(bob, after: 2, for: second)
        #expect(try share(of: ada, for: second)?.count == 2)
        let third = request("contoso/third")
        try remember(ada, after: 0, by: .selection, for: third)
        try remember(bob, after: 1, for: request("contoso/fourth"))
        #expect(try share(of: ada, for: third)?.count == 1)
        let fifth = request("contoso/fifth")
        try remember(ada, after: 0, by: .person, for: fifth)
        try remember(bob, after: 1, for: fifth)
        #expect(try share(of: ada, for: fifth)?.count == 1)
    }

    @Test("without a place, only the same program's choice is corrected")
    func correctedWithoutPlace() throws {
        let (gh, az) = (
            TokenRequest(context: RequestContext(tool: "gh")), TokenRequest(context: RequestContext(tool: "az"))
        )
        try remember(ada, after: 0, by: .selection, for: gh)
        try remember(bob, after: 1, for: az)
        #expect(try share(of: ada, for: gh)?.count == 1)
        try remember(bob, after: 2, for: gh)
        #expect(try share(of: ada, for: gh)?.count == 0)
    }

    @Test("each group has a history of its own, and forgetting one leaves the other")
    func groups() throws {
        let eve = try Account.contoso("eve")
        let dan = try Account.contoso("dan")
        for account in [eve, dan] { try home.keyring.store(.access(account), "token", for: account, in: [work]) }
        try remember(ada, after: 0)
        try remember(eve, after: 1, in: work)
        try remember(eve, after: 8_000, in: work)
        #expect(try count([.default]) == 1)
        #expect(try count([work]) == 2)
        #expect(try share(of: eve, in: [work])?.total == 2)
        #expect(try share(of: ada, in: [.default])?.total == 1)
        // Both together are one history.
        #expect(try share(of: eve)?.total == 3)
        #expect(try share(of: ada)?.total == 3)
        try home.keyring.accounts.forgetChoices(in: [work])
        #expect(try count() == 1)
        #expect(try share(of: ada)?.total == 1)
        try home.keyring.accounts.forgetChoices()
        #expect(try count() == 0)
        #expect(try share(of: ada) == nil)
    }

    @Test("an account that is in two groups is one, whichever group remembers it")
    func shared() throws {
        try home.keyring.store(.access(ada), "token", for: ada, in: [work])
        try remember(ada, after: 0)
        try remember(ada, after: 1, in: work)
        #expect(try share(of: ada)?.count == 2)
        #expect(try share(of: ada, in: [work, .default])?.count == 2)
    }

    @Test("choices of an account that is gone count for nobody")
    func goneAccount() throws {
        let eve = try Account.contoso("eve")
        try home.keyring.store(.access(eve), "token", for: eve)
        try remember(eve, after: 0)
        try remember(ada, after: 1)
        _ = try home.opened().accounts.removeForGood(eve.id, from: .default)
        #expect(try share(of: ada)?.total == 1)
    }

    @Test("a clock that runs backwards loses nothing and chooses as the times say")
    func backwards() throws {
        try remember(ada, after: 100_000)
        try remember(ada, after: 0)
        try remember(bob, after: 50_000)
        #expect(try count() == 3)
        let share = try #require(try share(of: ada, after: 200_000))
        #expect(share.count == 2 && share.total == 3 && share.last == noon.advanced(by: 100_000))
        // What was noted while the clock was ahead counts when its time has come.
        #expect(try self.share(of: ada, after: 10)?.total == 1)
    }

    @Test("the same choices mean the same in whatever order they were remembered", arguments: [0, 1, 2])
    func order(rotation: Int) throws {
        let choices: [(Account, Int64)] = [(ada, 0), (bob, 20_000), (ada, 40_000), (ada, 60_000), (bob, 80_000)]
        for (account, seconds) in choices[rotation...] + choices[..<rotation] { try remember(account, after: seconds) }
        let other = try KeyringHistoryTests()
        for (account, seconds) in choices.reversed() { try other.remember(account, after: seconds) }
        let later = noon.advanced(by: 100_000)
        func verdicts(_ home: KeyringHome) throws -> [String: Verdict] {
            let verdicts = try home.opened(at: later).accounts.select(request()).verdicts
            return Dictionary(uniqueKeysWithValues: verdicts.map { ($0.candidate.account.username, $0.verdict) })
        }
        #expect(try verdicts(home) == verdicts(other.home))
        #expect(try verdicts(home).count == 2)
    }

    @Test("a history that cannot be read changes nothing but a warning")
    func damaged() throws {
        try remember(ada, after: 0)
        let file = URL(filePath: home.location.vault + "/usage.db")
        try Data(repeating: 7, count: 5_000).write(to: file)
        let keyring = try home.opened()
        #expect(try keyring.accounts.select(request()).verdicts.count == 2)
        #expect(keyring.takeWarnings().count == 1)
        #expect(try keyring.accounts.select(request()).verdicts.count == 2)
        #expect(keyring.takeWarnings().isEmpty)
    }

    @Test("neither the file nor its name tells of accounts or places")
    func sealed() throws {
        try remember(ada, after: 0)
        let bytes = try Data(contentsOf: URL(filePath: home.location.vault + "/usage.db"))
        for text in ["ada", "contoso", "git.example"] { #expect(!bytes.holds(Data(text.utf8))) }
    }
}
