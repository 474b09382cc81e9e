internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

/// What tells one version of a record from every other, wherever it lies.
///
/// Two are equal when id, kind, flags, stamp, device, body and secret are.
struct RecordPrint: Equatable, Sendable {
    let kind: RecordHeader.Kind
    let version: ItemVersion
    /// The length of the record in the open, in bytes.
    let count: Int
    /// A keyed hash of the record in the open, which holds all of it.
    let digest: [UInt8]
}

/// Makes the prints of one migration, under a key that nobody else has.
struct RecordPrinter: Sendable {
    private let key = Randomness.bytes(32)

    /// The keyed hash of a record in the open.
    func digest(_ rest: [UInt8], _ secret: borrowing SecretBytes?) -> [UInt8] {
        key.withBytes { key in
            let digest: [UInt8] =
                switch secret {
                case .some(let secret): secret.withBytes { BLAKE2b.mac($0, key: key, count: 32) }
                case .none: []
                }
            return BLAKE2b.mac(rest + digest, key: key, count: 32)
        }
    }

    /// The print of a sealed record.
    ///
    /// - Throws: `damaged` when it does not open.
    func print(_ record: SealedRecord, _ keys: GroupKeys) throws -> RecordPrint {
        let header = record.header
        do throws(VaultError) {
            let parts = try OpenRecord.encode(record, keys)
            let secretCount =
                switch parts.secret {
                case .some(let secret): secret.count
                case .none: 0
                }
            return RecordPrint(
                kind: header.kind, version: ItemVersion(stamp: header.stamp, device: header.device),
                count: parts.rest.count + secretCount, digest: digest(parts.rest, parts.secret))
        } catch {
            throw StoreError.damaged(what: "record \(header.record.short)")
        }
    }
}
