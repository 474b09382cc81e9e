package import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium
package import KeyfobVault

/// A record as the storage gives it, sealed.
package struct StoredRecord: Sendable {
    package let rowID: Int64
    package let header: RecordHeader
    package let attributes: CommittingAEAD.Box
    /// What tells the secret from every other one: the commitment and the tag of its box (``CommittingAEAD/Box/seal``), or
    /// what a store that is trusted with it has in their place; nil where there is none.
    package let secretCommitment: [UInt8]?
    /// The sealed secret, where the storage gives it with the rest.
    package let secret: CommittingAEAD.Box?
    /// The number of the last change of this device's that wrote it and that others are told of; 0 for none.
    package let change: Int64

    /// A record that the storage gives with its secret, where it has one.
    package init(rowID: Int64, header: RecordHeader, attributes: CommittingAEAD.Box, secret: CommittingAEAD.Box?) {
        self.rowID = rowID
        self.header = header
        self.attributes = attributes
        self.secret = secret
        secretCommitment = secret?.seal
        change = 0
    }

    /// A record of which the storage gives commitment and tag of its secret, and the secret itself where that was read.
    package init(
        rowID: Int64, header: RecordHeader, attributes: CommittingAEAD.Box, secretCommitment: [UInt8]?,
        secret: CommittingAEAD.Box? = nil, change: Int64 = 0
    ) {
        self.rowID = rowID
        self.header = header
        self.attributes = attributes
        self.secretCommitment = secretCommitment
        self.secret = secret
        self.change = change
    }

    /// What stands in the place of a commitment for a token that somebody has put into the desktop's keyring by hand, which
    /// nothing tells from another one.
    package static let madeByHand = Array("made by hand".utf8)

    /// Whether it is such a token: whoever can write into that keyring can have made it.
    package var isMadeByHand: Bool { secretCommitment == Self.madeByHand }

    /// The record's share of its group's manifest.
    package func element(_ keys: GroupKeys) -> GroupManifest.Element {
        keys.element(header, attributesSeal: attributes.seal, secretSeal: secretCommitment)
    }

    /// The same with what the manifest's catalogue has of the record, where that opens.
    package func elementWithTraits(_ keys: GroupKeys) -> GroupManifest.Element {
        var element = element(keys)
        element.traits = try? open(keys).traits(header.kind)
        return element
    }

    /// The attributes.
    ///
    /// - Throws: `staleKeys` when another epoch's key sealed them, `damaged` when they do not open.
    package func open(_ keys: GroupKeys) throws(StorageFailure) -> FieldList {
        guard header.epoch == keys.epoch else { throw StoreError.staleKeys }
        do {
            return try keys.openAttributes(header, attributes)
        } catch .notGranted {
            throw StoreError.damaged(what: "record \(header.record.short) (filed under another group)")
        } catch {
            throw StoreError.damaged(what: "record \(header.record.short)")
        }
    }

    /// The secret in `box`, which is the record's.
    ///
    /// - Throws: `staleKeys` when another epoch's key sealed it, `damaged` when it does not open.
    package func open(secret box: CommittingAEAD.Box, _ keys: GroupKeys) throws(StorageFailure) -> SecretBytes {
        guard header.epoch == keys.epoch else { throw StoreError.staleKeys }
        do {
            return try keys.openSecret(header, box)
        } catch {
            throw StoreError.damaged(what: "the secret of record \(header.record.short)")
        }
    }

    /// Decodes the attributes, treating a body that makes no sense as damage.
    package func decode<Value>(
        _ keys: GroupKeys, _ body: (FieldList) throws(FieldList.Malformed) -> Value
    ) throws(StorageFailure) -> Value {
        let list = try open(keys)
        do {
            return try body(list)
        } catch {
            let kind = error.unknownKind.map { Identifier.isAcceptable($0) ? " (of the unknown kind '\($0)')" : "" }
            throw StoreError.damaged(what: "record \(header.record.short)" + (kind ?? ""))
        }
    }

    /// What the record says.
    ///
    /// - Throws: as ``decode(_:_:)``.
    package func content(_ keys: GroupKeys) throws(StorageFailure) -> ItemContent {
        try decode(keys) { body throws(FieldList.Malformed) in
            try ItemBody.decode(body, header.kind)
        }
    }
}

/// A record and what was in it.
package struct StoredItem<Value: Sendable>: Sendable {
    package let record: StoredRecord
    package let value: Value
}

/// What a search found, and which rows did not open.
package struct SearchResult<Value: Sendable>: Sendable {
    package var items: [StoredItem<Value>] = []
    /// What is wrong with the rows that were passed over, in words.
    package var damaged: [String] = []

    /// Adds what is in a record, or that it does not open.
    mutating func take(
        _ record: StoredRecord, _ keys: GroupKeys, _ decode: (FieldList) throws(FieldList.Malformed) -> Value
    ) throws(StorageFailure) {
        do {
            items.append(StoredItem(record: record, value: try record.decode(keys, decode)))
        } catch StoreError.damaged(let what) {
            damaged.append(what)
        }
    }
}
