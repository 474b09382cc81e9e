package import KeyfobModel
internal import KeyfobSodium

/// A change of several records, as it is written down before the first of them changes: whoever finds it can complete it.
///
///     "KFL1" ‖ vault 16 ‖ mark before u64 ‖ mark after u64 ‖ header, counted; empty where it stays ‖ steps u32
///     ‖ each: 1 (put) or 2 (delete) u8 ‖ the record, counted; of a put ‖ the one that it replaces, counted, empty where it
///     is new ‖ groups that go u32 ‖ each 16 ‖ groups with another name u32 ‖ each 16 ‖ MAC 32
///
/// Records are sealed as in a database, those that go and those that are replaced without their secrets; the header is
/// sealed in itself. Nobody but the vault's owner can make one, and it is good for nothing once a later change has moved
/// the mark on: see ``OpenHeader/mark``.
package struct ChangeLog: Sendable {
    /// What happens to one record.
    package enum Step: Equatable, Sendable {
        /// It is stored, in the place of another version where there is one.
        case put(SealedRecord, former: SealedRecord?)
        /// It goes, in the version that is named.
        case delete(SealedRecord)

        /// The record's header, in the version that it has afterwards, or goes in.
        package var header: RecordHeader {
            switch self {
            case .put(let record, _), .delete(let record): record.header
            }
        }
    }

    /// The mark of the vault's header before the change.
    package var before: UInt64
    /// The mark afterwards; the same where the change neither takes anything away nor changes the header.
    package var after: UInt64
    /// The bytes of the new header; empty where it does not change.
    package var header: [UInt8] = []
    /// In the order in which they are taken.
    package var steps: [Step] = []
    /// Groups whose records go.
    package var removedGroups: [GroupID] = []
    /// Groups that have another name.
    package var renamedGroups: [GroupID] = []

    /// One step for each record: of several the last, which knows what has become of it.
    package var latestSteps: [Step] {
        var places: [RecordID: Int] = [:]
        return steps.reduce(into: []) { latest, step in
            if let place = places[step.header.record] {
                latest[place] = step
            } else {
                places[step.header.record] = latest.count
                latest.append(step)
            }
        }
    }

    private static let magic = Array("KFL1".utf8)
    private static let macCount = 32

    /// A log without steps.
    package init(before: UInt64, after: UInt64) {
        (self.before, self.after) = (before, after)
    }

    /// The bytes to write down.
    ///
    /// - Throws: `needsVaultKey`.
    package func encoded(_ vault: borrowing UnlockedVault) throws(VaultError) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(Self.magic)
        writer.write(vault.header.vault)
        writer.write(before)
        writer.write(after)
        writer.writeCounted(header)
        writer.write(UInt32(steps.count))
        for step in steps {
            switch step {
            case .put(let record, let former):
                writer.write(UInt8(1))
                writer.writeCounted(record.encoded())
                writer.writeCounted(former?.encoded() ?? [])
            case .delete(let record):
                writer.write(UInt8(2))
                writer.writeCounted(record.encoded())
            }
        }
        for groups in [removedGroups, renamedGroups] {
            writer.write(UInt32(groups.count))
            for group in groups { writer.write(group) }
        }
        writer.write(try vault.vaultKeys().authenticate(change: writer.bytes))
        return writer.bytes
    }

    /// Reads what ``encoded(_:)`` wrote for the same vault.
    ///
    /// - Throws: `corrupted(.record)` for anything else; `needsVaultKey`.
    package init(_ bytes: [UInt8], _ vault: borrowing UnlockedVault) throws(VaultError) {
        let end = bytes.count - Self.macCount
        guard end > Self.magic.count, bytes.starts(with: Self.magic),
            ConstantTime.areEqual(
                Array(bytes[end...]), try vault.vaultKeys().authenticate(change: Array(bytes[..<end])))
        else { throw .corrupted(.record) }
        do {
            var reader = ByteReader(bytes[Self.magic.count..<end])
            guard try reader.readID() == vault.header.vault else { throw VaultError.corrupted(.record) }
            (before, after) = (try reader.read(), try reader.read())
            header = Array(try reader.readCounted(limit: .max))
            for _ in 0..<(try reader.read(UInt32.self)) { steps.append(try Step(from: &reader)) }
            for _ in 0..<(try reader.read(UInt32.self)) { removedGroups.append(try reader.readID()) }
            for _ in 0..<(try reader.read(UInt32.self)) { renamedGroups.append(try reader.readID()) }
            guard reader.isAtEnd else { throw VaultError.corrupted(.record) }
        } catch {
            throw .corrupted(.record)
        }
    }
}

extension ChangeLog.Step {
    fileprivate init(from reader: inout ByteReader) throws {
        let action = try reader.read(UInt8.self)
        let record = try SealedRecord(encoded: try reader.readCounted(limit: .max))
        switch action {
        case 1:
            let former = try reader.readCounted(limit: .max)
            self = .put(record, former: former.isEmpty ? nil : try SealedRecord(encoded: former))
        case 2: self = .delete(record)
        default: throw ByteReader.Malformed()
        }
    }
}
extension SealedRecord {
    /// Header, attributes and secret in one piece.
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.write(header.encoded(.attributes))
        for box in [attributes, secret] {
            guard let box else { continue }
            writer.write(UInt32(box.ciphertext.count - CommittingAEAD.tagCount))
            box.write(to: &writer)
        }
        return writer.bytes
    }

    /// Reads what ``encoded()`` wrote; nothing of it is authentic until it is opened.
    init(encoded bytes: ArraySlice<UInt8>) throws {
        var reader = ByteReader(bytes)
        let header = try RecordHeader(from: &reader)
        let attributes = try Self.box(from: &reader)
        let secret = reader.isAtEnd ? nil : try Self.box(from: &reader)
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
        self.init(header: header, attributes: attributes, secret: secret)
    }

    private static func box(from reader: inout ByteReader) throws(ByteReader.Malformed) -> CommittingAEAD.Box {
        let count = try reader.read(UInt32.self)
        guard count <= 2 * maximumCount else { throw ByteReader.Malformed() }
        return try CommittingAEAD.Box(from: &reader, messageCount: Int(count))
    }
}

extension RecordHeader {
    /// Reads what ``encoded(_:)`` wrote for the attributes.
    init(from reader: inout ByteReader) throws {
        let front = try reader.read(8)
        let flags = front[6...].reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
        let (vault, group): (VaultID, GroupID) = (try reader.readID(), try reader.readID())
        let (epoch, record): (UInt32, RecordID) = (try reader.read(), try reader.readID())
        let (stamp, device): (UInt64, UInt64) = (try reader.read(), try reader.read())
        guard let kind = Kind(rawValue: try reader.read()) else { throw ByteReader.Malformed() }
        _ = try reader.slice(3)
        var values: [BlindValue?] = []
        for _ in 0..<4 {
            let value = try reader.slice(16)
            values.append(value.allSatisfy { $0 == 0 } ? nil : BlindValue(value))
        }
        self.init(
            vault: vault, group: group, epoch: epoch, record: record, kind: kind, flags: flags,
            stamp: Stamp(value: stamp), device: device,
            index: RecordIndex(account: values[0], credential: values[1], username: values[2], label: values[3]))
        guard encoded(.attributes).starts(with: front) else { throw ByteReader.Malformed() }
    }
}
