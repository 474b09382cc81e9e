import Keyfob
import Testing

@testable import KeyfobAgent

/// What is told of accounts that change.
@Suite("What happens to accounts")
struct AccountWatchTests {
    private func look(_ name: String, _ state: Candidate.SignInState, tokens: [UInt64] = []) throws -> AccountWatch.Look
    {
        AccountWatch.Look(
            account: try #require(AccountID(homeAccountID: name, environment: "login.example")), group: .default,
            state: state,
            tokens: Set(
                tokens.map {
                    AccountWatch.Look.Token(client: "c", stamp: $0)
                }))
    }

    private func events(_ before: [AccountWatch.Look], _ after: [AccountWatch.Look]) -> [String] {
        var watch = AccountWatch(before)
        let events = watch.events(after).map { "\($0.kind.rawValue) \($0.account.homeAccountID)" }
        #expect(watch.events(after).isEmpty)
        return events
    }

    @Test("Signing in and out, renewing, and having to sign in are told once each")
    func kinds() throws {
        let needs = Candidate.SignInState.needsSignIn(reason: "ended")
        #expect(try events([], [look("ada", .signedIn)]) == ["signedIn ada"])
        #expect(try events([look("ada", .signedOut)], [look("ada", .tokensOnly)]) == ["signedIn ada"])
        #expect(try events([look("ada", .signedIn)], [look("ada", .signedOut)]) == ["signedOut ada"])
        #expect(try events([look("ada", .signedIn)], []) == ["signedOut ada"])
        #expect(try events([look("ada", .signedIn)], [look("ada", needs)]) == ["mustSignIn ada"])
        #expect(try events([look("ada", needs)], [look("ada", .signedIn)]) == ["signedIn ada"])
        #expect(
            try events([look("ada", .signedIn, tokens: [1])], [look("ada", .signedIn, tokens: [2])]) == ["renewed ada"])
    }

    @Test("What changes nothing for a program is not told")
    func nothing() throws {
        #expect(try events([look("ada", .signedIn, tokens: [1, 2])], [look("ada", .signedIn, tokens: [2])]) == [])
        #expect(try events([look("ada", .signedOut)], []) == [])
        #expect(try events([], [look("ada", .noCredentials)]) == [])
    }

    @Test("Several are told in their order, those that are gone last")
    func several() throws {
        let told = try events(
            [look("zoe", .signedIn), look("bob", .signedIn), look("ada", .signedIn)],
            [look("cem", .signedIn), look("ada", .signedOut)])
        #expect(told == ["signedIn cem", "signedOut ada", "signedOut bob", "signedOut zoe"])
    }

    @Test("A sign-in that ends soon is told once for each end, when the watch begins too")
    func ending() throws {
        var look = try look("ada", .signedIn)
        look.endsOn = Timestamp(seconds: 9)
        #expect(events([look], [look]) == ["endsSoon ada"])
        var later = look
        later.endsOn = Timestamp(seconds: 10)
        var watch = AccountWatch([])
        #expect(watch.events([look]).map(\.kind) == [.signedIn, .endsSoon])
        #expect(watch.events([later]).map(\.endsOn) == [Timestamp(seconds: 10)])
        later.endsOn = nil
        #expect(watch.events([later]).isEmpty)
    }
}
