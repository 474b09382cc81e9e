package import KeyfobModel
package import KeyfobSodium

/// What a group should hold: how many records of each kind, and a keyed digest of all of them.
///
/// The digest is the exclusive or of one keyed hash per record, so that a write changes it in
/// constant time. It is stored sealed: whoever could read it could learn the hashes from two
/// versions of it and make other records fit.
package struct GroupManifest: Equatable, Sendable {
    /// Grows with every change of the group.
    package private(set) var sequence: UInt64
    private var counts: [UInt32]
    private var digest: [UInt8]
    /// Which few records have something in common; nil where nobody knows, as after a record came whose body was not read.
    package private(set) var catalogue: Catalogue? = Catalogue()

    private static let kinds = 16
    private static let digestCount = 32

    /// The manifest of an empty group.
    package init(sequence: UInt64 = 0) {
        self.sequence = sequence
        self.counts = [UInt32](repeating: 0, count: Self.kinds)
        self.digest = [UInt8](repeating: 0, count: Self.digestCount)
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
        counts == other.counts && digest == other.digest
    }

    /// The same for the same records, and worth nothing to whoever has not the group's key.
    package var fingerprint: [UInt8] { BLAKE2b.hash(summary, count: Self.digestCount) }

    private mutating func combine(_ element: Element) {
        for index in digest.indices { digest[index] ^= element.hash[index] }
    }

    /// One record's share of the digest.
    package struct Element: Sendable {
        let kind: RecordHeader.Kind
        let hash: [UInt8]
        let record: RecordID
        /// Nil where the record's body was not read.
        package var traits: [Catalogue.Trait]?
    }
}

extension GroupKeys {
    /// A record's share of the digest: a keyed hash of its clear header and both commitments.
    package func element(
        _ header: RecordHeader, attributesCommitment: [UInt8], secretCommitment: [UInt8]?
    ) -> GroupManifest.Element {
        let absent = [UInt8](repeating: 0, count: CommittingAEAD.commitmentCount)
        let message = header.encoded(.attributes) + attributesCommitment + (secretCommitment ?? absent)
        let hash = withManifestKey { BLAKE2b.mac(message, key: $0, count: 32) }
        return GroupManifest.Element(kind: header.kind, hash: hash, record: header.record)
    }

    /// A sealed record's share of the digest.
    package func element(_ record: SealedRecord) -> GroupManifest.Element {
        var element = element(
            record.header, attributesCommitment: record.attributes.commitment,
            secretCommitment: record.secret?.commitment)
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
    /// How far a group has come with a manifest that was sealed as `sealed`.
    package init(group: GroupID, sequence: UInt64, sealed: [UInt8]) {
        self.init(group: group, sequence: sequence, digest: BLAKE2b.hash(sealed, count: Self.digestCount))
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
        writer.write(digest)
        return writer.bytes
    }

    init(encoded bytes: [UInt8]) throws(ByteReader.Malformed) {
        var reader = ByteReader(bytes)
        self.init(sequence: try reader.read())
        for index in counts.indices { counts[index] = try reader.read() }
        digest = try reader.read(Self.digestCount)
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
