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
        let refusing = try RefusingSession(before: service)
        if TestLength.isFull {
            var number = 1
            while try await !refusing.refresh("refuse \(mode) \(number)") { number += 1 }
            #expect(number > 4)
        } else {
            for number in [2, 6] { _ = try await refusing.refresh("refuse \(mode) \(number)") }
        }
    }
}
