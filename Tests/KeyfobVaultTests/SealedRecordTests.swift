import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("A sealed record")
struct SealedRecordTests {
    private let keys: GroupKeys
    private let record: SealedRecord
    private let body: FieldList

    init() throws {
        keys = try .sample()
        body = NamedValueBody.encode("name", "value")
        let index = RecordIndex(
            account: keys.blind(label: "1").value, credential: keys.blind(label: "2").value,
            username: keys.blind(label: "3").value, label: keys.blind(label: "4").value)
        record = try keys.seal(keys.header(index: index), attributes: body, secret: secret("token"))
    }

    /// What becomes of both parts under a header: nil where a part opens.
    private func failures(
        _ header: RecordHeader, _ keys: GroupKeys? = nil
    ) throws -> [VaultError?] {
        let keys = keys ?? self.keys
        let sealed = try #require(record.secret)
        return [
            failure { _ = try keys.openAttributes(header, record.attributes) },
            failure { _ = try keys.openSecret(header, sealed) },
        ]
    }

    @Test("both parts open again")
    func roundTrip() throws {
        #expect(try keys.openAttributes(record.header, record.attributes) == body)
        let opened = text(of: try keys.openSecret(record.header, try #require(record.secret)))
        #expect(opened == "token")
    }

    @Test("two versions of the same content have nothing in common")
    func freshNonces() throws {
        let again = try keys.seal(record.header, attributes: body, secret: secret("token"))
        #expect(again.attributes.nonce != record.attributes.nonce)
        #expect(again.attributes.commitment != record.attributes.commitment)
        #expect(again.secret?.ciphertext != record.secret?.ciphertext)
        #expect(record.attributes.nonce != record.secret?.nonce)
    }

    @Test("a changed kind, part, flag, stamp, device or id is noticed")
    func headerFields() throws {
        let other = [UInt8](repeating: 0xEE, count: 16)
        let changes: [(inout RecordHeader) -> Void] = [
            { $0.kind = .refreshToken }, { $0.flags ^= 1 }, { $0.flags ^= 0x8000 },
            { $0.stamp = Stamp(value: $0.stamp.value + 1) }, { $0.device ^= 1 },
            { $0.record = RecordID(other) ?? $0.record }, { $0.vault = VaultID(other) ?? $0.vault },
            { $0.epoch += 1 },
            { $0.index.account = nil }, { $0.index.credential = nil }, { $0.index.username = nil },
            { $0.index.label = nil }, { $0.index.label = $0.index.username },
            { swap(&$0.index.account, &$0.index.credential) },
        ]
        for (number, change) in changes.enumerated() {
            var header = record.header
            change(&header)
            #expect(header != record.header, "change \(number)")
            #expect(try failures(header) == [.corrupted(.record), .corrupted(.record)], "change \(number)")
        }
    }

    @Test("another group's record is not granted, and its bytes stay sealed")
    func otherGroup() throws {
        let other = try GroupKeys.sample(2, group: 2)
        #expect(try failures(record.header, other) == [.notGranted, .notGranted])
        var claimed = record.header
        claimed.group = other.group
        #expect(try failures(claimed, other) == [.corrupted(.record), .corrupted(.record)])
    }

    @Test("another key of the same group opens nothing")
    func otherKey() throws {
        #expect(try failures(record.header, .sample(2)) == [.corrupted(.record), .corrupted(.record)])
    }

    @Test("attributes and secret cannot stand in for each other")
    func swappedParts() throws {
        let sealed = try #require(record.secret)
        let attributes = failure(of: VaultError.self) { _ = try keys.openAttributes(record.header, sealed) }
        let secret = failure(of: VaultError.self) { _ = try keys.openSecret(record.header, record.attributes) }
        #expect([attributes, secret] == [.corrupted(.record), .corrupted(.record)])
    }

    @Test("a secret that belongs to another record is refused")
    func swappedSecrets() throws {
        let other = try keys.seal(keys.header(record: 2), attributes: body, secret: secret("token"))
        let stolen = try #require(other.secret)
        let error = failure(of: VaultError.self) { _ = try keys.openSecret(record.header, stolen) }
        #expect(error == .corrupted(.record))
    }

    @Test("every flipped byte of a sealed part is noticed", arguments: [0x01, 0x80] as [UInt8])
    func flips(mask: UInt8) throws {
        let box = try #require(record.secret)
        for offset in 0..<box.nonce.count + box.commitment.count + box.ciphertext.count {
            var altered = box
            switch offset {
            case ..<24: altered.nonce[offset] ^= mask
            case ..<56: altered.commitment[offset - 24] ^= mask
            default: altered.ciphertext[offset - 56] ^= mask
            }
            let error = failure(of: VaultError.self) { _ = try keys.openSecret(record.header, altered) }
            #expect(error == .corrupted(.record), "offset \(offset)")
        }
    }

    @Test("parts of a wrong length are refused")
    func lengths() throws {
        let box = try #require(record.secret)
        let altered = [
            CommittingAEAD.Box(nonce: [], commitment: box.commitment, ciphertext: box.ciphertext),
            CommittingAEAD.Box(nonce: box.nonce, commitment: [], ciphertext: box.ciphertext),
            CommittingAEAD.Box(nonce: box.nonce, commitment: box.commitment, ciphertext: []),
            CommittingAEAD.Box(
                nonce: box.nonce, commitment: box.commitment, ciphertext: Array(box.ciphertext.prefix(16))),
            CommittingAEAD.Box(nonce: box.nonce, commitment: box.commitment, ciphertext: box.ciphertext + [0]),
        ]
        for box in altered {
            let error = failure(of: VaultError.self) { _ = try keys.openSecret(record.header, box) }
            #expect(error == .corrupted(.record))
        }
    }

    @Test("the length of a token shows only in steps", arguments: [(1, 511), (512, 1_023), (4_000, 4_095)])
    func padding(range: (Int, Int)) throws {
        let counts = try [range.0, range.1].map { count in
            try keys.seal(keys.header(), attributes: body, secret: .random(count: count)).secret?.ciphertext.count
        }
        #expect(counts[0] == counts[1])
    }

    @Test("a token of 1 MiB is sealed, and one byte more is refused")
    func limit() throws {
        let limit = 1 << 20
        let largest = try keys.seal(keys.header(), attributes: body, secret: .random(count: limit))
        let count = try keys.openSecret(largest.header, try #require(largest.secret)).count
        #expect(count == limit)
        let error = failure(of: VaultError.self) {
            _ = try keys.seal(keys.header(), attributes: body, secret: .random(count: limit + 1))
        }
        #expect(error == .tooLarge(limit: limit))
    }

    @Test("an empty secret is a secret")
    func emptySecret() throws {
        let sealed = try keys.seal(keys.header(), attributes: FieldList(), secret: secret(""))
        let count = try keys.openSecret(sealed.header, try #require(sealed.secret)).count
        #expect(count == 0)
        #expect(try keys.openAttributes(sealed.header, sealed.attributes) == FieldList())
    }

    @Test("the clear header takes 144 bytes, whatever is in it")
    func headerCount() throws {
        #expect(record.header.encoded(.attributes).count == RecordHeader.count)
        #expect(try keys.header(.account).encoded(.secret).count == RecordHeader.count)
    }
}

@Suite("The stamp of a record")
struct StampTests {
    @Test("it grows although the clock stands or runs back", arguments: [0, -5_000, 1] as [Int64])
    func grows(step: Int64) {
        let first = Stamp(milliseconds: 1_700_000_000_000, after: nil)
        let second = Stamp(milliseconds: 1_700_000_000_000 + step, after: first)
        #expect(second > first)
        #expect(first.milliseconds == 1_700_000_000_000)
    }

    @Test("a time that does not fit is held at the ends", arguments: [Int64.min, -1, .max])
    func clamps(milliseconds: Int64) {
        let stamp = Stamp(milliseconds: milliseconds, after: nil)
        #expect(stamp.milliseconds == (milliseconds < 0 ? 0 : 1 << 48 - 1))
    }
}
