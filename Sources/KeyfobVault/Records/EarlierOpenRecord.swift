internal import KeyfobModel
package import KeyfobSodium

/// A record in the open as earlier versions kept it, everything in one piece: read to be written as an ``OpenRecord``.
///
///     "KFI1" ‖ vault 16 ‖ group 16 ‖ record 16 ‖ kind u8 ‖ has a secret u8 ‖ flags u16 ‖ stamp u64 ‖ device u64
///     ‖ body count u32 ‖ body ‖ secret ‖ checksum 16 (BLAKE2b-128 of everything before)
package struct EarlierOpenRecord: ~Copyable {
    /// The clear header; its epoch and its index are of the keys that it is read with.
    package let header: RecordHeader
    /// The attributes.
    package let body: FieldList
    /// The token, for the kinds that have one.
    package let secret: SecretBytes?

    private static let magic = Array("KFI1".utf8)
    private static let fixedCount = 76
    private static let checksumCount = 16

    /// Reads the bytes of a record.
    ///
    /// - Throws: `corrupted(.record)` for anything else, `notGranted` for a record of another group or vault.
    package init(_ bytes: borrowing SecretBytes, _ keys: GroupKeys) throws(VaultError) {
        let end = bytes.count - Self.checksumCount
        guard end >= Self.fixedCount else { throw .corrupted(.record) }
        // The token behind the body is not copied.
        let (front, checksum, computed) = bytes.withBytes { span in
            var count = 0
            for index in (Self.fixedCount - 4..<Self.fixedCount).reversed() {
                count = count << 8 | Int(span.byte(at: index))
            }
            return (
                [UInt8](span.extracting(0..<min(end, Self.fixedCount + count))),
                [UInt8](span.extracting(end..<span.byteCount)),
                BLAKE2b.hash(span.extracting(0..<end), count: Self.checksumCount)
            )
        }
        guard front.starts(with: Self.magic), ConstantTime.areEqual(checksum, computed) else {
            throw .corrupted(.record)
        }
        let (header, body, place) = try Self.parse(front, end: end, keys)
        self.header = header
        self.body = body
        secret = place.map { bytes.extracting($0, placement: .recycled) }
    }

    private static func parse(
        _ front: [UInt8], end: Int, _ keys: GroupKeys
    ) throws(VaultError) -> (RecordHeader, FieldList, Range<Int>?) {
        do {
            var reader = ByteReader(front[magic.count...])
            let (vault, group): (VaultID, GroupID) = (try reader.readID(), try reader.readID())
            guard vault == keys.vault, group == keys.group else { throw VaultError.notGranted }
            let record: RecordID = try reader.readID()
            guard let kind = RecordHeader.Kind(rawValue: try reader.read()) else { throw VaultError.corrupted(.record) }
            let hasSecret = try reader.read(UInt8.self)
            let flags = try reader.read(UInt16.self)
            let stamp = Stamp(value: try reader.read())
            let device = try reader.read(UInt64.self)
            let body = try reader.readCounted(limit: SealedRecord.maximumCount)
            let secret = fixedCount + body.count..<end
            guard reader.isAtEnd, hasSecret == 1 || hasSecret == 0 && secret.isEmpty else {
                throw VaultError.corrupted(.record)
            }
            let header = RecordHeader(
                vault: vault, group: group, epoch: keys.epoch, record: record, kind: kind, flags: flags, stamp: stamp,
                device: device, index: RecordIndex())
            return (header, try FieldList(encoded: body), hasSecret == 1 ? secret : nil)
        } catch VaultError.notGranted {
            throw .notGranted
        } catch {
            throw .corrupted(.record)
        }
    }
}
