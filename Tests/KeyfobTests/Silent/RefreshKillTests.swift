import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@Suite("Refreshing in processes that are killed", .serialized, .waitsForPrograms)
struct RefreshKillTests {
    private static let moments = TestLength.rounds(20, full: 100)

    /// Calls again, in a new process, after one that was killed: there is a token, or, exactly where the provider had
    /// replaced a token whose successor nobody got, a sign-in that says so.
    private func expectRecovery(_ victim: RefreshVictim, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
        let (before, stored) = (try victim.providerState(), try victim.storedNumber())
        #expect(before.isAlive, "a family died of one process", sourceLocation: sourceLocation)
        let isLost = before.good != stored
        let ending = try victim.run()
        #expect(!ending.wasKilled, sourceLocation: sourceLocation)
        if isLost {
            #expect(before.good == stored + 1, sourceLocation: sourceLocation)
            #expect(ending.output.hasPrefix("error signInNeeded "), "\(ending.output)", sourceLocation: sourceLocation)
            #expect(ending.output.contains("a refresh was cut off"), "\(ending.output)", sourceLocation: sourceLocation)
        } else {
            #expect(ending.isToken, "\(ending.output)", sourceLocation: sourceLocation)
            #expect(try victim.providerState().isAlive, sourceLocation: sourceLocation)
            #expect(try victim.providerState().good == victim.storedNumber(), sourceLocation: sourceLocation)
        }
        #expect(try victim.home.opened().health.verify().problems == [], sourceLocation: sourceLocation)
    }

    // 1 lock, 2 read, 3 intent, 4 request, 5 commit, 6 release, 7 end.
    @Test("before each step of a refresh", arguments: 1...7)
    func everyStep(number: Int) throws {
        let victim = try RefreshVictim()
        let ending = try victim.run(["--before", "\(number)"])
        #expect(ending.wasKilled && ending.output.isEmpty)
        let (provider, stored) = (try victim.providerState(), try victim.storedNumber())
        #expect(provider.good == (number < 5 ? 1 : 2) && stored == (number < 6 ? 1 : 2))
        #expect((try victim.home.theGrant(of: victim.ada).intent != nil) == (number == 4 || number == 5))
        try expectRecovery(victim)
    }

    @Test("there are no more steps than those")
    func noMoreSteps() throws {
        let victim = try RefreshVictim()
        #expect(try victim.run(["--before", "8"]) == RefreshVictim.Ending(wasKilled: false, output: "token at1"))
        try expectRecovery(victim)
    }

    @Test("at the provider, before it has replaced the token and after", arguments: ["before", "after"])
    func atProvider(moment: String) throws {
        let victim = try RefreshVictim()
        #expect(try victim.run(["--at-provider", moment]).wasKilled)
        #expect(try victim.storedNumber() == 1 && victim.providerState().good == (moment == "before" ? 1 : 2))
        try expectRecovery(victim)
    }

    @Test("after a lost answer the sign-in that is needed is remembered, and nobody is asked again")
    func remembered() throws {
        let victim = try RefreshVictim()
        _ = try victim.run(["--at-provider", "after"])
        let (first, second) = (try victim.run().output, try victim.run().output)
        #expect(first.contains("a refresh was cut off") && second.contains("a refresh was cut off"))
        guard case .needsSignIn(let reason) = try victim.home.theGrant(of: victim.ada).state else {
            Issue.record("the grant goes on")
            return
        }
        #expect(reason.hasPrefix("a refresh was cut off"))
    }

    @Test("at any moment, from outside, whatever the provider says of it", arguments: 0..<moments)
    func anyMoment(number: Int) throws {
        let victim = try RefreshVictim(isWordless: number % 2 == 0)
        var generator = SeededGenerator(seed: UInt64(number))
        let moment = Int.random(in: 0...120, using: &generator)
        _ = try victim.run(["--pause", "20"], killed: .after(milliseconds: moment))
        try expectRecovery(victim)
    }

    @Test("signals that can wait cost nobody the sign-in", arguments: 0..<moments)
    func signals(number: Int) throws {
        let victim = try RefreshVictim(isWordless: number % 2 == 0)
        var generator = SeededGenerator(seed: UInt64(number))
        let moment = Int.random(in: 20...140, using: &generator)
        let signal = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE][number % 5]
        let ending = try victim.run(["--pause", "30"], killed: .after(milliseconds: moment), by: signal)
        #expect(ending.wasKilled || ending.isToken)
        #expect(try victim.providerState().good == victim.storedNumber())
        #expect(try victim.run().isToken)
    }

    @Test("a signal that came while the answer was on its way ends the process once the token is stored")
    func signalWaits() throws {
        let victim = try RefreshVictim()
        let ending = try victim.run(["--pause", "400"], killed: .asked, by: SIGTERM)
        #expect(ending.wasKilled && ending.output.isEmpty)
        #expect(try victim.providerState().good == 2 && victim.storedNumber() == 2)
    }

    @Test("several processes at once, one of them killed: the others get a token, or all learn of the loss")
    func several() async throws {
        let victim = try RefreshVictim()
        let endings = try await withThrowingTaskGroup(of: RefreshVictim.Ending.self) { group in
            for number in 0..<4 {
                group.addTask {
                    try victim.run(["--pause", "20"], killed: number == 0 ? .after(milliseconds: 60) : nil)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let others = endings.filter { !$0.wasKilled }
        #expect(others.count >= 3)
        let isLost = others.contains { $0.output.contains("a refresh was cut off") }
        #expect(others.allSatisfy { isLost ? $0.output.contains("a refresh was cut off") || $0.isToken : $0.isToken })
        #expect(try isLost || victim.providerState().isAlive)
        #expect(try victim.home.opened().health.verify().problems == [])
    }
}
