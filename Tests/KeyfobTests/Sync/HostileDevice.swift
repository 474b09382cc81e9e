import Foundation
import KeyfobAge
import KeyfobModel
import KeyfobRecords
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

    /// Writes a file of a group, whatever is in it.
    ///
    /// - Parameters:
    ///   - number: Which copy of a vault it says that it is of; nil for its own.
    ///   - items: In the order of a bundle.
    func file(
        of group: AccessGroup = .default, _ items: [ItemRecord], at position: UInt64, after: UInt64? = nil,
        number: UInt64? = nil
    ) throws -> SyncHead.GroupFile {
        var counts: [BundleManifest.RecordKind: Int] = [:]
        for item in items { counts[item.kind, default: 0] += 1 }
        let manifest = BundleManifest(
            purpose: .sync, vault: try sync().bytes, header: nil, device: number ?? identity.device.number, created: 0,
            groups: [group], counts: counts)
        let readers = try home.machines.map { try $0.keyring.sync.openSession().identity.device }
        var bytes: [UInt8] = []
        var writer = try BundleWriter(
            manifest, encryptor: try AgeEncryptor(recipients: SyncEnvelope.recipients(readers)))
        for item in items { try writer.write(item) { bytes += [UInt8]($0) } }
        _ = try writer.finish(authenticating: { _ in nil }) { bytes += [UInt8]($0) }
        var hash = SyncFileHash()
        hash.add(bytes)
        let file = SyncHead.GroupFile(
            group: SyncGroupTag(group, in: try sync()), hash: hash.finish(), size: UInt64(bytes.count),
            sequence: sequence + 1, position: position, after: after)
        try Data(bytes).write(to: URL(filePath: folder + "/" + file.name))
        return file
    }

    /// Writes a head that every machine can read, or all but one.
    func write(_ files: [SyncHead.GroupFile] = [], notFor excluded: SyncDeviceID? = nil) throws {
        sequence += 1
        let head = SyncHead(
            device: identity.device, sequence: sequence, previous: previous, time: noon, name: "gamma", files: files,
            seen: seen, statements: statements)
        let signed = head.signed(by: identity, in: try sync())
        previous = Array(([SyncHead.hash(of: signed)] + previous).prefix(SyncHead.previousLimit))
        var readers: [SyncDevice] = []
        for machine in home.machines where machine.keyring.sync.isSetUp {
            readers.append(try machine.keyring.sync.openSession().identity.device)
        }
        readers.removeAll { $0.id == excluded }
        try Data(try SyncEnvelope.seal(signed, for: readers)).write(to: URL(filePath: folder + "/head.age"))
    }
}
