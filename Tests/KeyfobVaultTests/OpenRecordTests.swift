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
    private let bytes: [UInt8]

    init() throws {
        keys = try .sample()
        body = NamedValueBody.encode("name", "value")
        var header = try keys.header()
        header.flags = 0x8001
        record = try keys.seal(header, attributes: body, secret: secret("token"))
        bytes = contents(of: try OpenRecord.encode(record, keys))
    }

    /// Why bytes are no record; nil when they are one.
    private func refusal(_ bytes: [UInt8], _ keys: GroupKeys? = nil) -> VaultError? {
        failure { _ = try OpenRecord(secret(bytes), keys ?? self.keys) }
    }

    /// The bytes with the checksum that belongs to them.
    private func checked(_ bytes: [UInt8]) -> [UInt8] {
        let content = Array(bytes.dropLast(16))
        return content + BLAKE2b.hash(content, count: 16)
    }

    @Test("header, attributes and secret come back")
    func roundTrip() throws {
        let open = try OpenRecord(secret(bytes), keys)
        let (header, body, isToken) = (open.header, open.body, open.secret?.isEqual(to: secret("token")))
        #expect(header == record.header && body == self.body && isToken == true)
        let sealed = try open.sealed(header, keys)
        #expect(contents(of: try OpenRecord.encode(sealed, keys)) == bytes)
        #expect(OpenRecord.group(of: secret(bytes), in: keys.vault) == keys.group)
    }

    @Test("a record without a secret is told from one with an empty secret")
    func noSecret() throws {
        let none = try keys.seal(try keys.header(.setting), attributes: body)
        let empty = try keys.seal(try keys.header(), attributes: body, secret: secret(""))
        func hasSecret(_ record: SealedRecord) throws -> Bool {
            let open = try OpenRecord(OpenRecord.encode(record, keys), keys)
            return try open.sealed(open.header, keys).secret != nil
        }
        #expect(try !hasSecret(none))
        #expect(try hasSecret(empty))
    }

    @Test("the longest secret comes back, and what is longer cannot be sealed")
    func longest() throws {
        let token = [UInt8](repeating: 0x61, count: SealedRecord.maximumCount)
        let long = try keys.seal(try keys.header(), attributes: body, secret: secret(token))
        let isSame = try OpenRecord(OpenRecord.encode(long, keys), keys).secret?.isEqual(to: secret(token))
        #expect(isSame == true)
        // Nothing that Keyfob made; it must not be taken for a record either.
        var longer = bytes
        longer.insert(contentsOf: [UInt8](repeating: 0x61, count: SealedRecord.maximumCount), at: bytes.count - 16)
        let error: VaultError? = failure {
            let open = try OpenRecord(secret(checked(longer)), keys)
            _ = try open.sealed(open.header, keys)
        }
        #expect(error == .tooLarge(limit: SealedRecord.maximumCount))
    }

    @Test("every truncation is noticed")
    func truncations() {
        for count in 0..<bytes.count { #expect(refusal(Array(bytes.prefix(count))) == .corrupted(.record)) }
        for count in 1..<bytes.count { #expect(refusal(Array(bytes.dropFirst(count))) == .corrupted(.record)) }
    }

    @Test("every truncation with a right checksum is refused or is a record that Keyfob could have made")
    func checkedTruncations() throws {
        for count in 16..<bytes.count - 16 {
            let short = checked(Array(bytes.prefix(count)) + [UInt8](repeating: 0, count: 16))
            // What is left of the secret's end is a shorter secret: whoever may write to the store may write that.
            let isWholeBody = count >= bytes.count - 16 - 5
            #expect((refusal(short) == nil) == isWholeBody, "\(count)")
        }
    }

    @Test("every flipped bit is noticed")
    func flips() {
        for offset in bytes.indices {
            for bit in 0..<8 {
                #expect(refusal(bytes.flipping(1 << UInt8(bit), at: offset)) == .corrupted(.record))
            }
        }
    }

    @Test("every flipped bit with a right checksum is refused, or is read without harm")
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
                if error == nil {
                    let open = try OpenRecord(secret(changed), keys)
                    #expect(contents(of: try OpenRecord.encode(try open.sealed(open.header, keys), keys)) == changed)
                }
            }
        }
    }

    @Test("a record of another group or vault is not this one's")
    func others() throws {
        let other = try GroupKeys.sample(1, group: 2)
        #expect(refusal(bytes, other) == .notGranted)
        #expect(OpenRecord.group(of: secret(bytes), in: try #require(VaultID([UInt8](repeating: 1, count: 16)))) == nil)
        for count in 0..<bytes.count {
            #expect(OpenRecord.group(of: secret(Array(bytes.prefix(count))), in: keys.vault) == nil)
        }
    }

    @Test("other keys of the same group read it, as their own")
    func newKeys() throws {
        let open = try OpenRecord(secret(bytes), try GroupKeys.sample(9, epoch: 4))
        let header = open.header
        #expect(header.epoch == 4 && header.record == record.header.record)
    }
}
