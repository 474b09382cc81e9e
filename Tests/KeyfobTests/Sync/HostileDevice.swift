import Foundation
import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import Keyfob

/// A device with keys of its own that says what it likes.
final class HostileDevice {
    let identity: SyncIdentity
    var statements: [SyncStatement] = []
    var seen: [SyncDeviceID: SyncHead.Mark] = [:]
    private let home: SyncHome
    private var sequence: UInt64 = 0
    private var previous: [[UInt8]] = []

    var id: SyncDeviceID { identity.device.id }
    private var folder: String { home.remote + "/devices/" + id.hexadecimal }

    /// A device that asks to be let in.
    init(number: UInt64 = 4_242, in home: SyncHome) throws {
        self.home = home
        identity = .generate(number: number)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let request = identity.sign(identity.device.list.encoded(), as: .request, in: nil)
        try Data(request.list.encoded()).write(to: URL(filePath: folder + "/request"))
    }

    static func session<Result>(
        _ machine: SyncMachine, _ body: (borrowing SyncSession, SyncID, SyncRoster) throws -> Result
    ) throws -> Result {
        let session = try machine.keyring.sync.openSession()
        let (known, seen) = (session.state.sync, session.roster)
        let (sync, roster) = (try #require(known), try #require(seen))
        return try body(session, sync, roster)
    }

    private func sync() throws -> SyncID { try Self.session(home["one"]) { _, sync, _ in sync } }

    func approves(_ device: SyncDevice, _ scope: SyncScope = .whole, at seconds: Int64 = 0) throws -> SyncStatement {
        SyncStatement(.approval(device, scope), by: identity, in: try sync(), at: Timestamp(seconds: seconds))
    }

    func revokes(_ id: SyncDeviceID, at seconds: Int64 = 0) throws -> SyncStatement {
        SyncStatement(.revocation(id, keeping: []), by: identity, in: try sync(), at: Timestamp(seconds: seconds))
    }

    /// Writes a head that every machine can read, or all but one.
    func write(notFor excluded: SyncDeviceID? = nil) throws {
        sequence += 1
        let head = SyncHead(
            device: identity.device, sequence: sequence, previous: previous, time: noon, name: "gamma", files: [],
            seen: seen, statements: statements)
        let signed = head.signed(by: identity, in: try sync())
        previous = [SyncHead.hash(of: signed)]
        var readers: [SyncDevice] = []
        for machine in home.machines where machine.keyring.sync.isSetUp {
            readers.append(try machine.keyring.sync.openSession().identity.device)
        }
        readers.removeAll { $0.id == excluded }
        try Data(try SyncEnvelope.seal(signed, for: readers)).write(to: URL(filePath: folder + "/head.age"))
    }
}
