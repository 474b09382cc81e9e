internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobVault

// An undo writes what was there as a new version. Earlier commands know what they left by what it says.

/// What tells an item from what it may become, its version aside.
enum ItemDigest {
    private static let count = 16

    /// The hash of what a record says and of its secret.
    static func of(_ content: ItemContent, secret: borrowing SecretBytes) -> [UInt8] {
        BLAKE2b.hash(said(content) + secret.withBytes { BLAKE2b.hash($0, count: count) }, count: count)
    }

    /// The hash of what a record without a secret says.
    static func of(_ content: ItemContent) -> [UInt8] { BLAKE2b.hash(said(content), count: count) }

    private static func said(_ content: ItemContent) -> [UInt8] {
        var content = content
        if var credential = content.credential {
            // How often it was refreshed, or signed in, says nothing of what it is.
            credential.grant = credential.grant.map { Grant(state: $0.state, rotates: $0.rotates) }
            content = .credential(credential)
        }
        let (kind, body) = ItemBody.encode(content)
        return [kind.rawValue] + body.encoded()
    }
}

extension RecordReading {
    /// The hash of what a record says.
    func digest(of record: StoredRecord) throws -> [UInt8] {
        let content = try record.content(keys)
        guard record.secretCommitment != nil else { return ItemDigest.of(content) }
        return ItemDigest.of(content, secret: try secret(record))
    }
}

extension GroupKeys {
    /// The hash of what a record says that is being written.
    func digest(of record: SealedRecord) throws -> [UInt8] {
        let content = try ItemBody.decode(openAttributes(record.header, record.attributes), record.header.kind)
        guard let box = record.secret else { return ItemDigest.of(content) }
        return ItemDigest.of(content, secret: try openSecret(record.header, box))
    }
}
