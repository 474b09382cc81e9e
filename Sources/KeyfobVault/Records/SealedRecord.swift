package import KeyfobSodium

/// One record as it lies on disk: the clear header and two sealed blobs.
package struct SealedRecord: Equatable, Sendable {
    /// The largest token or attribute list, in bytes before padding.
    package static let maximumCount = 1 << 20
    /// What the attributes of the undo journal may have beyond that, since they hold another record's and a little more.
    static let journalExcess = 1 << 12

    /// The largest attribute list of a kind of record, in bytes before padding.
    static func attributeLimit(_ kind: RecordHeader.Kind) -> Int {
        kind == .journal ? maximumCount + journalExcess : maximumCount
    }

    package var header: RecordHeader
    /// What listing and selection need.
    package var attributes: CommittingAEAD.Box
    /// The token, for the kinds that have one.
    package var secret: CommittingAEAD.Box?

    /// What the manifest's catalogue has of it; nil where nobody has read the attributes.
    package let traits: [Catalogue.Trait]?
    /// Which change others are told that it is of.
    package var telling = Telling.kept

    /// Which change of this device's the machines of a sync are told that a row is of.
    package enum Telling: Equatable, Sendable {
        /// The one that writes it.
        case act
        /// The one that it was of before; none, where it is new.
        case kept
        /// The one with this number, unless it was of a later one.
        case following(Int64)
    }

    package init(
        header: RecordHeader, attributes: CommittingAEAD.Box, secret: CommittingAEAD.Box?,
        traits: [Catalogue.Trait]? = nil
    ) {
        self.header = header
        self.attributes = attributes
        self.secret = secret
        self.traits = traits
    }
}

extension GroupKeys {
    /// Seals attributes and secret as one version of a record.
    ///
    /// - Throws: `tooLarge` for more than 1 MiB of either.
    package func seal(
        _ header: RecordHeader, attributes: FieldList, secret: borrowing SecretBytes
    ) throws(VaultError) -> SealedRecord {
        var record = try seal(header, attributes: attributes)
        record.secret = try secret.withBytes { (bytes) throws(VaultError) in
            try seal(bytes, header.encoded(.secret), limit: SealedRecord.maximumCount)
        }
        return record
    }

    /// Seals a record that has no secret.
    ///
    /// - Throws: `tooLarge` for more than 1 MiB.
    package func seal(_ header: RecordHeader, attributes: FieldList) throws(VaultError) -> SealedRecord {
        precondition(header.group == group && header.vault == vault && header.epoch == epoch)
        let body = try attributes.encoded().withBytes { (bytes) throws(VaultError) in
            try seal(bytes, header.encoded(.attributes), limit: SealedRecord.attributeLimit(header.kind))
        }
        return SealedRecord(
            header: header, attributes: body, secret: nil, traits: attributes.traits(header.kind))
    }

    /// The attributes of a record.
    ///
    /// - Throws: `corrupted(.record)` when header or blob were altered or belong to another record,
    ///   `notGranted` when the record is another group's.
    package func openAttributes(
        _ header: RecordHeader, _ box: CommittingAEAD.Box
    ) throws(VaultError) -> FieldList {
        try check(header)
        let padded = try? withRecordKey { (key) throws(SodiumError) in
            try CommittingAEAD.openAttributes(box, key: key, context: header.encoded(.attributes))
        }
        guard let padded, let count = try? Padding.unpaddedCount(padded),
            let fields = try? FieldList(encoded: padded[..<count])
        else { throw .corrupted(.record) }
        return fields
    }

    /// The secret of a record, in recycled guarded memory.
    ///
    /// - Throws: as ``openAttributes(_:_:)``.
    package func openSecret(_ header: RecordHeader, _ box: CommittingAEAD.Box) throws(VaultError) -> SecretBytes {
        try check(header)
        do {
            let padded = try withRecordKey { (key) throws(SodiumError) in
                try CommittingAEAD.open(box, key: key, context: header.encoded(.secret), placement: .recycled)
            }
            let count = try padded.withBytes { (bytes) throws(SodiumError) in try Padding.unpaddedCount(bytes) }
            return padded.extracting(0..<count, placement: .recycled)
        } catch {
            throw .corrupted(.record)
        }
    }

    private func check(_ header: RecordHeader) throws(VaultError) {
        guard header.group == group else { throw .notGranted }
        guard header.vault == vault, header.epoch == epoch else { throw .corrupted(.record) }
    }

    private func seal(
        _ message: RawSpan, _ context: [UInt8], limit: Int
    ) throws(VaultError) -> CommittingAEAD.Box {
        guard message.byteCount <= limit else { throw .tooLarge(limit: limit) }
        let padded = SecretBytes(count: Padding.paddedCount(message.byteCount), placement: .recycled) { span in
            span.copy(from: message)
            span.storeBytes(of: 0x80, toByteOffset: message.byteCount, as: UInt8.self)
        }
        return padded.withBytes { padded in
            withRecordKey { CommittingAEAD.seal(padded, key: $0, context: context) }
        }
    }
}
