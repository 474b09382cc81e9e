import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("A record in the open")
struct OpenRecordTests {
    private let keys: GroupKeys
    private let record: SealedRecord
    private let body: FieldList
    /// All but the secret, which is "token".
    private let bytes: [UInt8]

    init() throws {
        keys = try .sample()
        body = NamedValueBody.encode("name", "value")
        var header = try keys.header()
        header.flags = 0x8001
        record = try keys.seal(header, attributes: body, secret: secret("token"))
        bytes = try OpenRecord.encode(record, keys).rest
    }

    /// Why bytes are no record; nil when they are one.
    private func refusal(_ bytes: [UInt8], _ keys: GroupKeys? = nil) -> VaultError? {
        failure { _ = try OpenRecord(bytes, keys ?? self.keys) }
    }

    /// Whether a record takes a secret for its own.
    private func accepts(_ open: OpenRecord, _ text: String) -> Bool { open.accepts(secret(text)) }

    private func accepts(_ commitment: [UInt8], _ text: String) -> Bool {
        OpenRecord.accepts(secret(text), commitment)
    }

    /// The bytes with the checksum that belongs to them.
    private func checked(_ bytes: [UInt8]) -> [UInt8] {
        let content = Array(bytes.dropLast(16))
        return content + BLAKE2b.hash(content, count: 16)
    }

    @Test("header and attributes come back, and the secret stands by itself")
    func roundTrip() throws {
        let open = try OpenRecord(bytes, keys)
        let header = open.header
        #expect(header == record.header && open.content == .token)
        #expect(try open.attributes() == body)
        let parts = try OpenRecord.encode(record, keys)
        let isToken = parts.secret?.isEqual(to: secret("token"))
        #expect(isToken == true)
        #expect(OpenRecord.group(of: bytes, in: keys.vault) == keys.group)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("token"))
    }

    @Test("the secret that belongs to it is told from every other")
    func secrets() throws {
        let open = try OpenRecord(bytes, keys)
        #expect(accepts(open, "token"))
        for other in ["", "t", "tokem", "token ", "Token", String(repeating: "token", count: 100)] {
            #expect(!accepts(open, other))
        }
        // The same token in another version of the record is told by something else.
        var header = record.header
        header.flags = 1
        let again = try keys.seal(header, attributes: body, secret: secret("token"))
        let other = try OpenRecord(OpenRecord.encode(again, keys).rest, keys)
        let commitment = try #require(open.secretCommitment)
        #expect(accepts(commitment, "token"))
        #expect(accepts(other, "token") && other.secretCommitment != commitment)
        #expect(!accepts([], "token"))
        #expect(!accepts(Array(commitment.dropLast()), "token"))
    }

    @Test("a record without a secret is told from one with an empty secret, and a setting's body is its secret")
    func noSecret() throws {
        let none = try keys.seal(try keys.header(.account), attributes: body)
        let empty = try keys.seal(try keys.header(), attributes: body, secret: secret(""))
        let setting = try keys.seal(try keys.header(.setting), attributes: body)
        func content(_ record: SealedRecord) throws -> OpenRecord.Content {
            let parts = try OpenRecord.encode(record, keys)
            let open = try OpenRecord(parts.rest, keys)
            switch parts.secret {
            case .some(let secret):
                let isOwn = open.accepts(secret)
                #expect(isOwn)
            case .none: #expect(!accepts(open, "") && open.secretCommitment == nil)
            }
            return open.content
        }
        #expect(try content(none) == .nothing)
        #expect(try content(empty) == .token)
        #expect(try content(setting) == .body)
        let parts = try OpenRecord.encode(setting, keys)
        #expect(!String(decoding: parts.rest, as: UTF8.self).contains("value"))
        let attributes: FieldList? =
            switch parts.secret {
            case .some(let secret): try OpenRecord.attributes(in: secret)
            case .none: nil
            }
        #expect(attributes == body)
    }

    @Test("the longest secret is accepted")
    func longest() throws {
        let token = String(repeating: "a", count: SealedRecord.maximumCount)
        let long = try keys.seal(try keys.header(), attributes: body, secret: secret(token))
        let open = try OpenRecord(OpenRecord.encode(long, keys).rest, keys)
        #expect(accepts(open, token))
        #expect(!accepts(open, String(token.dropLast())))
    }

    @Test("every truncation is noticed")
    func truncations() {
        for count in 0..<bytes.count { #expect(refusal(Array(bytes.prefix(count))) == .corrupted(.record)) }
        for count in 1..<bytes.count { #expect(refusal(Array(bytes.dropFirst(count))) == .corrupted(.record)) }
    }

    @Test("every truncation with a right checksum is refused, and so is what stands behind it")
    func checkedTruncations() {
        for count in 16..<bytes.count - 16 {
            let short = checked(Array(bytes.prefix(count)) + [UInt8](repeating: 0, count: 16))
            #expect(refusal(short) == .corrupted(.record), "\(count)")
        }
        #expect(refusal(checked(bytes.dropLast(16) + [0] + [UInt8](repeating: 0, count: 16))) == .corrupted(.record))
    }

    @Test("every flipped bit is noticed")
    func flips() {
        for offset in bytes.indices {
            for bit in 0..<8 {
                #expect(refusal(bytes.flipping(1 << UInt8(bit), at: offset)) == .corrupted(.record))
            }
        }
    }

    @Test("every flipped bit with a right checksum is refused, or does not take the secret for its own")
    func checkedFlips() throws {
        for offset in 0..<bytes.count - 16 {
            for bit in 0..<8 {
                let changed = checked(bytes.flipping(1 << UInt8(bit), at: offset))
                let error = refusal(changed)
                switch offset {
                case 0..<4: #expect(error == .corrupted(.record))
                case 4..<36: #expect(error == .notGranted)
                // The kind has other values, and the rest is what its writer says; a body length that is a lie is not.
                case 72..<76: #expect(error == .corrupted(.record))
                default: #expect(error == nil || error == .corrupted(.record))
                }
                if error == nil { #expect(try !accepts(OpenRecord(changed, keys), "token")) }
            }
        }
    }

    @Test("a record of another group or vault is not this one's")
    func others() throws {
        let other = try GroupKeys.sample(1, group: 2)
        #expect(refusal(bytes, other) == .notGranted)
        #expect(OpenRecord.group(of: bytes, in: try #require(VaultID([UInt8](repeating: 1, count: 16)))) == nil)
        for count in 0..<bytes.count {
            #expect(OpenRecord.group(of: Array(bytes.prefix(count)), in: keys.vault) == nil)
        }
    }

    @Test("other keys of the same group read it, as their own")
    func newKeys() throws {
        let open = try OpenRecord(bytes, try GroupKeys.sample(9, epoch: 4))
        let header = open.header
        #expect(header.epoch == 4 && header.record == record.header.record)
    }
}
