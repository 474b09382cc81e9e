import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("The manifest of a group")
struct GroupManifestTests {
    private let keys: GroupKeys
    private let elements: [GroupManifest.Element]

    init() throws {
        let keys = try GroupKeys.sample()
        self.keys = keys
        elements = try (1...20).map { number in
            let kind = RecordHeader.Kind.allCases[number % RecordHeader.Kind.allCases.count]
            let record = try keys.seal(keys.header(kind, record: UInt8(number)), attributes: FieldList())
            return keys.element(record)
        }
    }

    private func manifest(_ elements: some Sequence<GroupManifest.Element>) -> GroupManifest {
        var manifest = GroupManifest()
        for element in elements { manifest.insert(element) }
        return manifest
    }

    @Test("it does not depend on the order of the records", arguments: 1...5 as ClosedRange<UInt64>)
    func order(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        #expect(manifest(elements.shuffled(using: &generator)) == manifest(elements))
    }

    @Test("removing undoes inserting")
    func inverse() {
        for index in elements.indices {
            var changed = manifest(elements)
            changed.remove(elements[index])
            #expect(!changed.describesSameRecords(as: manifest(elements)))
            let rest = elements[..<index] + elements[(index + 1)...]
            #expect(changed.describesSameRecords(as: manifest(rest)))
            changed.insert(elements[index])
            #expect(changed == manifest(elements))
        }
    }

    @Test("a record that is there twice is noticed, although the digest cancels out")
    func duplicates() {
        #expect(!manifest(elements + [elements[0], elements[0]]).describesSameRecords(as: manifest(elements)))
    }

    @Test("each kind has a digest of its own")
    func kinds() throws {
        var changed = manifest(elements)
        changed.remove(elements[0])
        for kind in RecordHeader.Kind.allCases {
            #expect(changed.describesSameRecords(as: manifest(elements), of: kind) == (kind != elements[0].kind))
        }
    }

    @Test("it counts each kind")
    func counts() {
        let manifest = manifest(elements)
        #expect(manifest.count == 20)
        #expect(RecordHeader.Kind.allCases.map { manifest.count(of: $0) }.reduce(0, +) == 20)
        #expect(manifest.count(of: .account) == 2)
    }

    @Test("a record's share depends on its header and on both seals")
    func shares() throws {
        let header = try keys.header()
        let (one, two) = ([UInt8](repeating: 1, count: 48), [UInt8](repeating: 2, count: 48))
        var later = header
        later.stamp = Stamp(value: header.stamp.value + 1)
        let hashes = [
            keys.element(header, attributesSeal: one, secretSeal: one),
            keys.element(header, attributesSeal: one, secretSeal: nil),
            keys.element(header, attributesSeal: one, secretSeal: two),
            keys.element(header, attributesSeal: two, secretSeal: one),
            keys.element(later, attributesSeal: one, secretSeal: one),
            try GroupKeys.sample(2).element(header, attributesSeal: one, secretSeal: one),
        ].map(\.hash)
        #expect(Set(hashes).count == hashes.count)
    }

    @Test("it opens again under its own group and epoch only")
    func sealing() throws {
        var original = manifest(elements)
        original.advance()
        let box = keys.seal(original)
        #expect(try keys.openManifest(box) == original)
        for other in [try GroupKeys.sample(2), try GroupKeys.sample(1, group: 2), try GroupKeys.sample(epoch: 2)] {
            #expect(failure(of: VaultError.self) { _ = try other.openManifest(box) } == .corrupted(.manifest))
        }
        for offset in box.ciphertext.indices {
            var altered = box
            altered.ciphertext[offset] ^= 1
            #expect(failure(of: VaultError.self) { _ = try keys.openManifest(altered) } == .corrupted(.manifest))
        }
    }

    @Test("bytes of another length are no manifest")
    func truncations() {
        let bytes = manifest(elements).encoded()
        #expect(bytes.count == 512)
        for count in [0, 8, 72, 343] {
            #expect(
                failure(of: ByteReader.Malformed.self) { _ = try GroupManifest(encoded: Array(bytes.prefix(count))) }
                    != nil)
        }
        #expect(failure(of: ByteReader.Malformed.self) { _ = try GroupManifest(encoded: bytes + [0]) } != nil)
    }
}
