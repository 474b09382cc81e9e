import Foundation
import KeyfobTestSupport
import Testing

@testable import Keyfob

/// A refresh at a provider that takes each refresh token once, while the Secret Service refuses calls as a file says.
struct RefusedCalls {
    let session: SharedSession
    /// Where the file called `order` is read by whatever refuses, and `order.refused` says that it has.
    let folder: ScratchFolder

    /// Refreshes with that order, then without any: the second call has a token.
    ///
    /// - Returns: Whether the refresh took fewer calls.
    func refresh(_ order: String) async throws -> Bool {
        let home = try SilentHome.atPlainProvider(in: session)
        let strict = ReuseDetection()
        try home.grant("rt1", home.ada)
        home.provider.answer(by: { strict.answer($0) })
        let opened = try home.opened()
        try folder.write("order", Array(order.utf8))
        let mark = folder.path + "/order.refused"
        try? FileManager.default.removeItem(atPath: mark)
        _ = try? await home.token(home.ada, from: opened)
        try folder.write("order", [])
        home.clock.advance(by: 4_000)
        let next = try home.opened()
        let token = try? await home.token(home.ada, from: next).text
        #expect(token != nil && !strict.isDead, "\(order)")
        #expect(try next.health.verify().problems == [], "\(order)")
        return !FileManager.default.fileExists(atPath: mark)
    }
}
