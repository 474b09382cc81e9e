import Foundation
import Keyfob
import KeyfobTestSupport
import Synchronization
import Testing

/// GNOME's keyring ends by force, and comes again, while things are stored, moved and renewed.
@Suite("A Secret Service that is killed at any moment", .waitsForPrograms)
struct KilledServiceTests {
    /// Whether something has come to its end.
    private final class Work: Sendable {
        let isDone = Mutex(false)

        func wait() { while !isDone.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.005) } }
    }

    @Test("what was acknowledged is there, and what was not is there or as it was")
    func killed() async throws {
        let session = try SharedSession()
        let home = try SilentHome.atPlainProvider(in: session)
        let (strict, work) = (ReuseDetection(), try AccessGroup("work"))
        home.provider.answer(by: { strict.answer($0) })
        try home.keyring.groups.create(work)
        try home.grant("rt1", home.ada)
        let bob = try SilentHome.plainAccount("bob")
        try home.access("token of bob", bob, expires: 1_000_000)
        var stored: [Account] = []
        for round in 0..<(TestLength.isFull ? 40 : 12) {
            let killing = Work()
            let moment = TimeInterval.random(in: 0...0.06)
            // A thread of its own: the tests' threads may all be taken.
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: moment)
                try? session.withSession { try $0.restartService() }
                killing.isDone.withLock { $0 = true }
            }
            switch round % 3 {
            case 0:
                let new = try SilentHome.plainAccount("new\(round)")
                if (try? home.access("token of new\(round)", new, expires: 1_000_000)) != nil { stored.append(new) }
            case 1:
                let isAtHome = try? home.keyring.accounts.list(in: [.default]).contains { $0.account.id == bob.id }
                let (from, to) = isAtHome == true ? (AccessGroup.default, work) : (work, .default)
                _ = try? home.keyring.accounts.move(bob.id, from: from, to: to)
            default:
                home.clock.advance(by: 4_000)
                _ = try? await home.token(home.ada)
            }
            killing.wait()
            let opened = try home.opened()
            #expect(try await home.token(home.ada, from: opened).text.hasPrefix("at"), "round \(round)")
            #expect(!strict.isDead, "round \(round)")
            for account in stored + [bob] {
                let name = try #require(account.username.split(separator: "@").first)
                #expect(try await home.token(account, from: opened).text == "token of \(name)", "round \(round)")
            }
            #expect(try opened.health.verify().problems == [], "round \(round)")
        }
    }
}
