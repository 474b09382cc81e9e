@testable import Keyfob
import Testing

@testable import KeyfobAgent

@Suite("Which tokens an agent keeps fresh")
struct TokenUpkeepTests {
    private let start = Timestamp(seconds: 1_000_000)
    private let caller: AgentCaller
    private let ada: AccountID

    init() throws {
        let program = try #require(Program("service:backup.service"))
        caller = AgentCaller(program, process: 1, user: 0, door: .socket, digest: { nil })
        ada = try #require(AccountID(homeAccountID: "ada", environment: "login.example"))
    }

    /// A token that is valid for so many seconds from the start.
    private func token(_ life: Int64?, client: String = "c") -> Keyring.FoundToken {
        let credential = Credential(
            kind: .accessToken, account: ada, clientID: client, scopes: ["read"],
            expiresOn: life.map { start.advanced(by: $0) })
        return Keyring.FoundToken(
            credential: credential, account: Account(id: ada, username: "ada"), group: .default, isAging: false,
            reason: .onlyOne)
    }

    private func upkeep(_ life: Int64?) -> TokenUpkeep {
        var upkeep = TokenUpkeep()
        upkeep.isGiven(token(life), for: TokenRequest(scopes: ["read"]), to: caller, now: start)
        return upkeep
    }

    @Test("One is due before it expires, once, and again when the next one is about to")
    func due() throws {
        var upkeep = upkeep(1_200)
        #expect(upkeep.due(start.advanced(by: 1_079)).isEmpty)
        let moment = start.advanced(by: 1_080)
        let due = try #require(upkeep.due(moment).first)
        #expect(due.kept.request.account == ada.description && due.kept.request.clientID == "c")
        #expect(upkeep.due(moment).isEmpty)
        upkeep.isRenewed(due.key, until: start.advanced(by: 2_400), now: moment)
        #expect(upkeep.due(start.advanced(by: 2_267)).isEmpty)
        #expect(upkeep.due(start.advanced(by: 2_268)).count == 1)
    }

    @Test("One that could not be replaced is tried again; one that is forgotten is not")
    func refused() throws {
        var upkeep = upkeep(1_200)
        let moment = start.advanced(by: 1_080)
        let key = try #require(upkeep.due(moment).first).key
        upkeep.isRefused(key, now: moment)
        #expect(upkeep.due(moment.advanced(by: 59)).isEmpty)
        #expect(upkeep.due(moment.advanced(by: 60)).count == 1)
        upkeep.isRefused(key, now: moment)
        upkeep.forget(key)
        #expect(upkeep.due(moment.advanced(by: 120)).isEmpty)
    }

    @Test(
        "An hour after the last program has asked for one it is let go, and so it is when the clock was set back before that"
    )
    func memory() {
        var late = upkeep(7_200)
        #expect(late.due(start.advanced(by: TokenUpkeep.memory + 1)).isEmpty)
        #expect(late.seconds(from: start) == TokenUpkeep.look)
        var early = upkeep(7_200)
        #expect(early.due(start.advanced(by: -1)).isEmpty)
        #expect(early.due(start.advanced(by: 3_500)).isEmpty)
    }

    @Test("One that does not expire needs nothing, and a minute passes at most without a look at the clock")
    func waiting() {
        #expect(upkeep(nil).seconds(from: start) == TokenUpkeep.look)
        #expect(upkeep(7_200).seconds(from: start) == 60)
        #expect(upkeep(600).seconds(from: start.advanced(by: 530)) == 10)
        #expect(upkeep(600).seconds(from: start.advanced(by: 900)) == 1)
    }

    @Test("Of more than it holds, the one that nobody has asked for longest is let go")
    func capacity() {
        var upkeep = TokenUpkeep()
        for number in 0...TokenUpkeep.capacity {
            upkeep.isGiven(
                token(600, client: "c\(number)"), for: TokenRequest(), to: caller,
                now: start.advanced(by: Int64(number)))
        }
        let due = upkeep.due(start.advanced(by: 599))
        #expect(due.count == TokenUpkeep.capacity)
        #expect(!due.contains { $0.key.clientID == "c0" })
    }
}
