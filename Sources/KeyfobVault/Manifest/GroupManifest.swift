package import KeyfobModel
package import KeyfobSodium

/// What a group should hold: how many records of each kind, a digest of those of each kind, and the top of the tree in
/// which they are found.
///
/// A digest is the exclusive or of one keyed hash per record, so that a write changes it in constant time. It is stored
/// sealed, and of a record's hash no other half is ever shown: whoever could read digests could make other records fit.
package struct GroupManifest: Equatable, Sendable {
    /// Grows with every change of the group.
    package var sequence: UInt64
    private var counts: [UInt32]
    /// 16 bytes for each kind.
    private var digests: [UInt8]
    /// What the top of the lookup tree is bound to; nil for a tree without entries.
    package var root: LookupDigest?
    /// Which few records have something in common; nil where nobody knows, as after a record came whose body was not read.
    package private(set) var catalogue: Catalogue? = Catalogue()

    private static let kinds = 16
    private static let digestCount = 16

    /// The manifest of an empty group.
    package init(sequence: UInt64 = 0) {
        self.sequence = sequence
        self.counts = [UInt32](repeating: 0, count: Self.kinds)
        self.digests = [UInt8](repeating: 0, count: Self.kinds * Self.digestCount)
    }

    /// How many records of a kind there should be.
    package func count(of kind: RecordHeader.Kind) -> Int { Int(counts[Int(kind.rawValue)]) }

    /// How many records there should be.
    package var count: Int { counts.reduce(0) { $0 + Int($1) } }

    /// Notes that a record is there now.
    package mutating func insert(_ element: Element) {
        counts[Int(element.kind.rawValue)] &+= 1
        combine(element)
        if let traits = element.traits { catalogue?.insert(traits, element.record) } else { catalogue = nil }
    }

    /// Notes that a record, with these very bytes, is gone.
    package mutating func remove(_ element: Element) {
        counts[Int(element.kind.rawValue)] -= 1
        combine(element)
        catalogue?.remove(element.record)
    }

    /// Begins the next version.
    package mutating func advance() { sequence = sequence == .max ? .max : sequence + 1 }

    /// Whether both describe the same set of records, whatever their sequence.
    package func describesSameRecords(as other: GroupManifest) -> Bool {
        counts == other.counts && digests == other.digests
    }

    /// Whether both describe the same set of records of a kind.
    package func describesSameRecords(as other: GroupManifest, of kind: RecordHeader.Kind) -> Bool {
        let range = Self.digestRange(kind)
        return count(of: kind) == other.count(of: kind) && digests[range] == other.digests[range]
    }

    /// The same for the same records, and worth nothing to whoever has not the group's key.
    package var fingerprint: [UInt8] { BLAKE2b.hash(summary, count: 32) }

    private mutating func combine(_ element: Element) {
        for (index, byte) in zip(Self.digestRange(element.kind), element.hash.suffix(Self.digestCount)) {
            digests[index] ^= byte
        }
    }

    private static func digestRange(_ kind: RecordHeader.Kind) -> Range<Int> {
        let start = Int(kind.rawValue) * digestCount
        return start..<start + digestCount
    }

    /// One record's share of the digest and of the lookup tree.
    package struct Element: Sendable {
        package let kind: RecordHeader.Kind
        /// 32 bytes: the first 16 are shown in the lookup tree, the others count in the digest.
        let hash: [UInt8]
        let record: RecordID
        /// Nil where the record's body was not read.
        package var traits: [Catalogue.Trait]?

        /// What the lookup tree says of the record's row.
        package var lookupDigest: LookupDigest {
            guard let digest = LookupDigest(hash.prefix(16)) else { preconditionFailure("the hash has 32 bytes") }
            return digest
        }
    }
}

extension GroupKeys {
    /// A record's share: a keyed hash of its clear header and of both boxes' commitments and tags.
    ///
    /// - Parameters:
    ///   - attributesSeal: Commitment and tag of the attributes.
    ///   - secretSeal: The same of the secret, nil where there is none; or what a store that is trusted with the secret
    ///     has in its place.
    package func element(
        _ header: RecordHeader, attributesSeal: [UInt8], secretSeal: [UInt8]?
    ) -> GroupManifest.Element {
        let absent = [UInt8](repeating: 0, count: CommittingAEAD.sealCount)
        let message = header.encoded(.attributes) + attributesSeal + (secretSeal ?? absent)
        let hash = withElementKey { BLAKE2b.mac(message, key: $0, count: 32) }
        return GroupManifest.Element(kind: header.kind, hash: hash, record: header.record)
    }

    /// A sealed record's share of the digest.
    package func element(_ record: SealedRecord) -> GroupManifest.Element {
        var element = element(
            record.header, attributesSeal: record.attributes.seal, secretSeal: record.secret?.seal)
        element.traits = record.traits
        return element
    }

    /// Seals a manifest.
    package func seal(_ manifest: GroupManifest) -> CommittingAEAD.Box {
        withManifestKey { key in
            CommittingAEAD.seal(
                manifest.encoded(), key: key, context: SealingContext.manifest(vault, group, epoch: epoch))
        }
    }

    /// Opens a manifest.
    ///
    /// - Throws: `corrupted(.manifest)`.
    package func openManifest(_ box: CommittingAEAD.Box) throws(VaultError) -> GroupManifest {
        let bytes = try? withManifestKey { (key) throws(SodiumError) in
            try CommittingAEAD.openAttributes(
                box, key: key, context: SealingContext.manifest(vault, group, epoch: epoch))
        }
        guard let bytes, let manifest = try? GroupManifest(encoded: bytes) else { throw .corrupted(.manifest) }
        return manifest
    }
}

extension Milestone {
    /// How far the group of these keys has come with a manifest that was sealed as `sealed`.
    package init(_ keys: GroupKeys, sequence: UInt64, sealed: [UInt8]) {
        self.init(
            group: keys.group, epoch: keys.epoch, sequence: sequence,
            digest: BLAKE2b.hash(sealed, count: Self.digestCount))
    }
}

extension GroupManifest {
    /// The summary and the catalogue, padded, or the summary alone where there is no catalogue.
    func encoded() -> [UInt8] {
        guard let catalogue else { return summary }
        let content = summary + catalogue.encoded()
        return content + [0x80] + [UInt8](repeating: 0, count: Padding.paddedCount(content.count) - content.count - 1)
    }

    private var summary: [UInt8] {
        var writer = ByteWriter()
        writer.write(sequence)
        for count in counts { writer.write(count) }
        writer.write(digests)
        writer.write(root ?? LookupDigest(halves: (0, 0)))
        return writer.bytes
    }

    init(encoded bytes: [UInt8]) throws(ByteReader.Malformed) {
        var reader = ByteReader(bytes)
        self.init(sequence: try reader.read())
        for index in counts.indices { counts[index] = try reader.read() }
        digests = try reader.read(digests.count)
        let top: LookupDigest = try reader.readID()
        root = top.halves == (0, 0) ? nil : top
        catalogue = nil
        guard !reader.isAtEnd else { return }
        catalogue = try Catalogue(&reader)
        guard try reader.read(UInt8.self) == 0x80 else { throw ByteReader.Malformed() }
        var zeros = 0
        while !reader.isAtEnd {
            guard try reader.read(UInt8.self) == 0 else { throw ByteReader.Malformed() }
            zeros += 1
        }
        guard bytes.count == Padding.paddedCount(bytes.count - zeros - 1) else { throw ByteReader.Malformed() }
    }
}
