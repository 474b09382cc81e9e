import Foundation
import KeyfobTestSupport

/// A session in which calls of the Secret Service fail as it is told.
struct RefusingSession {
    /// The calls that change something.
    static let changes = "CreateItem SetSecret Set Delete"

    let session: SharedSession
    private let folder: ScratchFolder

    /// One whose service is a stand-in, which keeps items and refuses.
    init() throws {
        folder = try ScratchFolder()
        session = try SharedSession(
            .misbehaving(["counts:\(folder.path)/order", "forgets:\(folder.path)/forget"]))
    }

    /// One with a real service, and something between it and the bus that refuses.
    init(before service: DesktopService) throws {
        folder = try ScratchFolder()
        session = try SharedSession(
            service.service, mayPrompt: service == .askingKeePassXC, refusals: folder.path + "/order")
    }

    /// Says which calls fail from now on, as `refuse once 3` or `refuse from 2 SetSecret Set`; none with an empty order.
    func order(_ text: String) throws {
        if !text.isEmpty { try? FileManager.default.removeItem(atPath: mark) }
        try folder.write("order", Array(text.utf8))
    }

    /// Whether one has failed since the last order.
    var hasRefused: Bool { FileManager.default.fileExists(atPath: mark) }

    /// Has a service that refuses forget all vaults that it keeps.
    func forget() throws { try folder.write("forget", []) }

    private var mark: String { folder.path + "/order.refused" }
}
