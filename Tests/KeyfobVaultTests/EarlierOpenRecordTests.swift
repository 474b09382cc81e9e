import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("A record in the open, as earlier versions kept it")
struct EarlierOpenRecordTests {
    private let keys: GroupKeys
    private let record: SealedRecord
    private let body: FieldList

    init() throws {
        keys = try .sample()
        body = NamedValueBody.encode("name", "value")
        record = try keys.seal(keys.header(), attributes: body, secret: secret("token"))
    }

    /// The bytes before the checksum, made of today's.
    private func content(_ token: String?) throws -> [UInt8] {
        let bytes = try OpenRecord.encode(record, keys).rest
        var content = Array("KFI1".utf8)
        content += bytes[4..<53]
        content.append(token == nil ? 0 : 1)
        content += bytes[54..<(bytes.count - 20)]
        content += Array((token ?? "").utf8)
        return content
    }

    private func checked(_ bytes: [UInt8]) -> [UInt8] { bytes + BLAKE2b.hash(bytes, count: 16) }

    private func refusal(_ bytes: [UInt8], _ keys: GroupKeys? = nil) -> VaultError? {
        failure { _ = try EarlierOpenRecord(secret(bytes), keys ?? self.keys) }
    }

    @Test("comes back with its token, or without one", arguments: ["token", "", nil])
    func read(token: String?) throws {
        let earlier = try EarlierOpenRecord(secret(checked(content(token))), keys)
        let header = earlier.header
        #expect(header == record.header)
        let found = earlier.body
        #expect(found == body)
        let text: String? =
            switch earlier.secret {
            case .some(let secret): String(decoding: contents(of: secret), as: UTF8.self)
            case .none: nil
            }
        #expect(text == token)
    }

    @Test("whatever else is refused: each truncation, each changed bit, lies about lengths, and others' records")
    func refused() throws {
        let bytes = checked(try content("token"))
        for count in 0..<bytes.count { #expect(refusal(Array(bytes[..<count])) == .corrupted(.record)) }
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << bit
                #expect(refusal(changed) == .corrupted(.record))
            }
        }
        for count in [1, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32] {
            var lying = try content("token")
            for index in 0..<4 { lying[72 + index] = UInt8(truncatingIfNeeded: count >> (8 * UInt32(index))) }
            #expect(refusal(checked(lying)) == .corrupted(.record))
        }
        var silent = try content("token")
        silent[53] = 0
        #expect(refusal(checked(silent)) == .corrupted(.record))
        #expect(refusal(bytes, try .sample(group: 9)) == .notGranted)
        #expect(refusal(try OpenRecord.encode(record, keys).rest) == .corrupted(.record))
    }
}
