package import KeyfobModel
package import KeyfobSodium

/// A record in the open, as a store keeps it that is trusted with it: everything in one piece.
///
///     "KFI1" ‖ vault 16 ‖ group 16 ‖ record 16 ‖ kind u8 ‖ has a secret u8 ‖ flags u16 ‖ stamp u64 ‖ device u64
///     ‖ body count u32 ‖ body ‖ secret ‖ checksum 16 (BLAKE2b-128 of everything before)
///
/// The checksum tells a change by accident; whoever may write to the store can make another.
package struct OpenRecord: ~Copyable {
    /// The clear header; its epoch and its index are of the keys that it is read with.
    package let header: RecordHeader
    /// The attributes.
    package let body: FieldList
    /// The token, for the kinds that have one.
    package let secret: SecretBytes?

    private static let magic = Array("KFI1".utf8)
    private static let fixedCount = 76
    private static let checksumCount = 16

    /// The bytes of a sealed record in the open.
    ///
    /// - Throws: `corrupted(.record)`, `notGranted`.
    package static func encode(_ record: SealedRecord, _ keys: GroupKeys) throws(VaultError) -> SecretBytes {
        let body = try keys.openAttributes(record.header, record.attributes)
        guard let box = record.secret else { return encode(record.header, body.encoded(), nil) }
        return encode(record.header, body.encoded(), try keys.openSecret(record.header, box))
    }

    private static func encode(_ header: RecordHeader, _ body: [UInt8], _ secret: consuming SecretBytes?) -> SecretBytes
    {
        var writer = ByteWriter(capacity: fixedCount + body.count)
        writer.write(magic)
        writer.write(header.vault)
        writer.write(header.group)
        writer.write(header.record)
        writer.write(header.kind.rawValue)
        writer.write(UInt8(secret == nil ? 0 : 1))
        writer.write(header.flags)
        writer.write(header.stamp.value)
        writer.write(header.device)
        writer.writeCounted(body)
        let front = writer.bytes
        let token = secret ?? SecretBytes(count: 0) { _ in }
        let count = front.count + token.count
        let content = SecretBytes(count: count, placement: .recycled) { span in
            front.withBytes { span.copy(from: $0) }
            token.withBytes { span.copy(from: $0, at: front.count) }
        }
        let checksum = content.withBytes { BLAKE2b.hash($0, count: checksumCount) }
        return SecretBytes(count: count + checksumCount, placement: .recycled) { span in
            content.withBytes { span.copy(from: $0) }
            checksum.withBytes { span.copy(from: $0, at: count) }
        }
    }

    /// Reads what ``encode(_:_:)`` wrote.
    ///
    /// - Throws: `corrupted(.record)` for anything else, `notGranted` for a record of another group or vault.
    package init(_ bytes: borrowing SecretBytes, _ keys: GroupKeys) throws(VaultError) {
        let (header, body, secret) = try Self.parse(bytes, keys)
        self.header = header
        self.body = body
        self.secret = secret.map { bytes.extracting($0, placement: .recycled) }
    }

    /// The record sealed under the keys that it was read with.
    ///
    /// - Throws: `tooLarge`.
    package borrowing func sealed(_ header: RecordHeader, _ keys: GroupKeys) throws(VaultError) -> SealedRecord {
        let attributes = try keys.seal(header, attributes: body)
        switch secret {
        case .none: return attributes
        case .some(let secret): return try keys.seal(header, attributes: body, secret: secret)
        }
    }

    /// The group that a record tells it is in; nil where the bytes are no record of `vault`.
    package static func group(of bytes: borrowing SecretBytes, in vault: VaultID) -> GroupID? {
        guard let front = try? front(of: bytes), front.vault == vault else { return nil }
        return front.group
    }

    private typealias Front = (vault: VaultID, group: GroupID, rest: ByteReader, end: Int)

    private static func front(of bytes: borrowing SecretBytes) throws(VaultError) -> Front {
        let end = bytes.count - checksumCount
        guard end >= fixedCount else { throw .corrupted(.record) }
        let (content, checksum, computed) = bytes.withBytes { span in
            let count = bodyEnd(span, end: end)
            return (
                [UInt8](span.extracting(0..<count)), [UInt8](span.extracting(end..<span.byteCount)),
                BLAKE2b.hash(span.extracting(0..<end), count: checksumCount)
            )
        }
        guard ConstantTime.areEqual(checksum, computed), content.starts(with: magic) else {
            throw .corrupted(.record)
        }
        do {
            var reader = ByteReader(content)
            _ = try reader.slice(magic.count)
            return (try reader.readID(), try reader.readID(), reader, end)
        } catch {
            throw .corrupted(.record)
        }
    }

    /// Where the body ends, which is where the secret begins; what comes from a body count that is a lie is refused
    /// when it is read.
    private static func bodyEnd(_ span: RawSpan, end: Int) -> Int {
        var count = 0
        for index in (fixedCount - 4..<fixedCount).reversed() { count = count << 8 | Int(span.byte(at: index)) }
        return min(end, fixedCount + count)
    }

    private static func parse(
        _ bytes: borrowing SecretBytes, _ keys: GroupKeys
    ) throws(VaultError) -> (RecordHeader, FieldList, Range<Int>?) {
        var (vault, group, reader, end) = try front(of: bytes)
        guard vault == keys.vault, group == keys.group else { throw .notGranted }
        do {
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
        } catch {
            throw .corrupted(.record)
        }
    }
}
