package import KeyfobModel
package import KeyfobSodium

/// A record in the open, as a store keeps it that is trusted with it: the token by itself, and here all the rest.
///
///     "KFI2" ‖ vault 16 ‖ group 16 ‖ record 16 ‖ kind u8 ‖ what the secret is u8 ‖ flags u16 ‖ stamp u64 ‖ device u64
///     ‖ body count u32 ‖ body ‖ check 4 ‖ checksum 16 (BLAKE2b-128 of everything before)
///
/// The check tells whether a secret is the one that was written with this: the first bytes of BLAKE2b-128 of the secret,
/// keyed with BLAKE2b-256 of everything before; zeros where there is none. It is short, so that it tells little of a secret
/// that could be guessed. Both tell a change by accident; whoever may write to the store can make others.
package struct OpenRecord: Sendable {
    /// What is kept as the record's secret.
    package enum Content: UInt8, Sendable {
        case nothing = 0
        /// The token, for the kinds that have one.
        case token = 1
        /// The body: of a setting, and of the undo journal, which are nobody's to read who only lists.
        case body = 2
    }

    /// The clear header; its epoch and its index are of the keys that it is read with.
    package let header: RecordHeader
    /// What its secret is.
    package let content: Content
    /// What tells the secret from another one; nil where there is none.
    package let secretCommitment: [UInt8]?
    private let body: [UInt8]

    /// A record's two parts.
    package struct Parts: ~Copyable {
        /// All but the secret.
        package let rest: [UInt8]
        package let content: Content
        /// The token or the body; nil where there is none.
        package let secret: SecretBytes?
    }

    private static let magic = Array("KFI2".utf8)
    private static let fixedCount = 76
    private static let checkCount = 4
    private static let checkKeyCount = 32
    private static let checksumCount = 16

    /// The parts of a sealed record in the open.
    ///
    /// - Throws: `corrupted(.record)`, `notGranted`.
    package static func encode(_ record: SealedRecord, _ keys: GroupKeys) throws(VaultError) -> Parts {
        let body = try keys.openAttributes(record.header, record.attributes).encoded()
        if let box = record.secret {
            return encode(record.header, body, .token, try keys.openSecret(record.header, box))
        }
        guard record.header.kind.hasSecretBody else { return encode(record.header, body, .nothing, nil) }
        return encode(record.header, [], .body, body.withBytes { SecretBytes(copying: $0, placement: .recycled) })
    }

    private static func encode(
        _ header: RecordHeader, _ body: [UInt8], _ content: Content, _ secret: consuming SecretBytes?
    ) -> Parts {
        var writer = ByteWriter(capacity: fixedCount + body.count + checkCount + checksumCount)
        writer.write(magic)
        writer.write(header.vault)
        writer.write(header.group)
        writer.write(header.record)
        writer.write(header.kind.rawValue)
        writer.write(content.rawValue)
        writer.write(header.flags)
        writer.write(header.stamp.value)
        writer.write(header.device)
        writer.writeCounted(body)
        let secret = secret
        switch secret {
        case .some(let secret): writer.write(check(of: secret, keyed: BLAKE2b.hash(writer.bytes, count: checkKeyCount)))
        case .none: writer.write([UInt8](repeating: 0, count: checkCount))
        }
        writer.write(BLAKE2b.hash(writer.bytes, count: checksumCount))
        return Parts(rest: writer.bytes, content: content, secret: secret)
    }

    private static func check(of secret: borrowing SecretBytes, keyed key: [UInt8]) -> [UInt8] {
        let whole = secret.withBytes { secret in key.withBytes { BLAKE2b.mac(secret, key: $0, count: 16) } }
        return Array(whole.prefix(checkCount))
    }

    /// Reads what ``encode(_:_:)`` wrote, all but the secret.
    ///
    /// - Throws: `corrupted(.record)` for anything else, `notGranted` for a record of another group or vault.
    package init(_ bytes: [UInt8], _ keys: GroupKeys) throws(VaultError) {
        var (vault, group, reader) = try Self.front(of: bytes)
        guard vault == keys.vault, group == keys.group else { throw .notGranted }
        do {
            let record: RecordID = try reader.readID()
            guard let kind = RecordHeader.Kind(rawValue: try reader.read()),
                let content = Content(rawValue: try reader.read())
            else { throw VaultError.corrupted(.record) }
            let flags = try reader.read(UInt16.self)
            let stamp = Stamp(value: try reader.read())
            let device = try reader.read(UInt64.self)
            body = Array(try reader.readCounted(limit: SealedRecord.attributeLimit(kind)))
            let check = try reader.slice(Self.checkCount)
            guard reader.isAtEnd, content != .body || body.isEmpty else { throw VaultError.corrupted(.record) }
            if content != .body { _ = try FieldList(encoded: body[...]) }
            header = RecordHeader(
                vault: vault, group: group, epoch: keys.epoch, record: record, kind: kind, flags: flags, stamp: stamp,
                device: device, index: RecordIndex())
            self.content = content
            let checked = Array(bytes.prefix(Self.fixedCount + body.count))
            secretCommitment = content == .nothing ? nil : BLAKE2b.hash(checked, count: Self.checkKeyCount) + check
        } catch {
            throw .corrupted(.record)
        }
    }

    /// Whether a secret is the one that was written with the rest.
    package func accepts(_ secret: borrowing SecretBytes) -> Bool {
        secretCommitment.map { Self.accepts(secret, $0) } ?? false
    }

    /// Whether a secret is the one that is told by the ``secretCommitment`` of its record.
    package static func accepts(_ secret: borrowing SecretBytes, _ commitment: [UInt8]) -> Bool {
        guard commitment.count == checkKeyCount + checkCount else { return false }
        let check = check(of: secret, keyed: Array(commitment.prefix(checkKeyCount)))
        return ConstantTime.areEqual(check, Array(commitment.suffix(checkCount)))
    }

    /// The attributes; nil where they are the secret.
    ///
    /// - Throws: `corrupted(.record)`.
    package func attributes() throws(VaultError) -> FieldList? {
        guard content != .body else { return nil }
        return try Self.fields(body)
    }

    /// The attributes that are the secret of a setting.
    ///
    /// - Throws: `corrupted(.record)`.
    package static func attributes(in secret: borrowing SecretBytes) throws(VaultError) -> FieldList {
        try fields(secret.withBytes { [UInt8]($0) })
    }

    private static func fields(_ bytes: [UInt8]) throws(VaultError) -> FieldList {
        do {
            return try FieldList(encoded: bytes[...])
        } catch {
            throw .corrupted(.record)
        }
    }

    /// The group that a record tells it is in; nil where the bytes are no record of `vault`.
    package static func group(of bytes: [UInt8], in vault: VaultID) -> GroupID? {
        guard let front = try? front(of: bytes), front.vault == vault else { return nil }
        return front.group
    }

    private static func front(
        of bytes: [UInt8]
    ) throws(VaultError) -> (vault: VaultID, group: GroupID, rest: ByteReader) {
        let end = bytes.count - checksumCount
        guard end >= fixedCount + checkCount, bytes.starts(with: magic),
            ConstantTime.areEqual(Array(bytes[end...]), BLAKE2b.hash(Array(bytes[..<end]), count: checksumCount))
        else { throw .corrupted(.record) }
        do {
            var reader = ByteReader(bytes[magic.count..<end])
            return (try reader.readID(), try reader.readID(), reader)
        } catch {
            throw .corrupted(.record)
        }
    }
}

extension RecordHeader.Kind {
    /// Whether the body of a record without a token is kept as its secret.
    package var hasSecretBody: Bool { self == .setting || self == .journal }
}
