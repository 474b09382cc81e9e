import KeyfobTestSupport
import Testing

@testable import Keyfob

extension RefusingSession {
    /// Refreshes with that order, then without any, at a provider that takes each refresh token once: the second call has a
    /// token.
    ///
    /// - Returns: Whether the refresh took fewer calls.
    func refresh(_ order: String) async throws -> Bool {
        let home = try SilentHome.atPlainProvider(in: session)
        let strict = ReuseDetection()
        try home.grant("rt1", home.ada)
        home.provider.answer(by: { strict.answer($0) })
        let opened = try home.opened()
        try self.order(order)
        _ = try? await home.token(home.ada, from: opened)
        try self.order("")
        home.clock.advance(by: 4_000)
        let next = try home.opened()
        let token = try? await home.token(home.ada, from: next).text
        #expect(token != nil && !strict.isDead, "\(order)")
        #expect(try next.health.verify().problems == [], "\(order)")
        return !hasRefused
    }
}
