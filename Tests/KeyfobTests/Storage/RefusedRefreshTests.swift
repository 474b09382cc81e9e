import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

/// GNOME's keyring and KeePassXC behind a bus that refuses calls.
@Suite("A refresh of which one call fails", .waitsForPrograms, .serialized)
struct RefusedRefreshTests {
    /// In a full run each call fails in turn, until there is none left; otherwise some.
    private static let services = TestLength.isFull ? DesktopService.allCases : [.keyring]

    @Test(
        "alone or with all after it: the next call has a token, and the provider sees no token twice",
        arguments: services, ["once", "from"])
    func refreshing(service: DesktopService, mode: String) async throws {
        guard service == .keyring || SecretServiceSession.hasKeePassXC else { return }
        let folder = try ScratchFolder()
        let session = try SharedSession(
            service.service, mayPrompt: service == .askingKeePassXC, refusals: folder.path + "/order")
        if TestLength.isFull {
            var number = 1
            while try await !refresh("refuse \(mode) \(number)", session, folder) { number += 1 }
            #expect(number > 4)
        } else {
            for number in [2, 6] { _ = try await refresh("refuse \(mode) \(number)", session, folder) }
        }
    }

    /// - Returns: Whether the refresh took fewer calls.
    private func refresh(_ order: String, _ session: SharedSession, _ folder: ScratchFolder) async throws -> Bool {
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
