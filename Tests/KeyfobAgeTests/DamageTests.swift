import KeyfobAge
import Testing

@Suite("A file that was cut or altered")
struct DamageTests {
    /// A file for two recipients, of whom the second opens it: 302 bytes of header, 16 of nonce, one chunk.
    private let file: [UInt8]
    private let armored: [UInt8]
    private let payloadStart: Int

    init() throws {
        let other = AgeIdentity.generate()
        let recipients = [other.recipient, CraftedFile.identity().recipient]
        let message = [UInt8]("message".utf8)
        file = try written(message, AgeEncryptor(recipients: recipients))
        armored = try written(message, AgeEncryptor(recipients: recipients, encoding: .armored))
        payloadStart = file.count - message.count - 16 - 16
    }

    @Test("no truncation is accepted, and each says where the file ends")
    func truncation() throws {
        let identity = CraftedFile.identity()
        for count in 0..<file.count {
            let opening = Opening(Array(file.prefix(count)), with: identity)
            let isBeforeChunks = count < payloadStart + 16
            #expect(opening.vectorClass == (isBeforeChunks ? "header failure" : "payload failure"), "\(count) bytes")
            #expect(opening.plaintext.isEmpty)
        }
    }

    @Test("no flipped bit is accepted, and none is blamed on another part", arguments: 0..<8)
    func flips(bit: Int) throws {
        let identity = CraftedFile.identity()
        for offset in file.indices {
            var altered = file
            altered[offset] ^= 1 << bit
            let opening = Opening(altered, with: identity, encoding: .binary)
            let expected =
                offset < payloadStart ? ["header failure", "no match", "HMAC failure"] : ["payload failure"]
            #expect(expected.contains(opening.vectorClass), "byte \(offset): \(opening.vectorClass)")
            #expect(opening.plaintext.isEmpty)
        }
    }

    @Test("no truncation of an armored file is accepted, but for its last line feed")
    func armoredTruncation() throws {
        let identity = CraftedFile.identity()
        for count in 0..<armored.count - 1 {
            let opening = Opening(Array(armored.prefix(count)), with: identity, encoding: .armored)
            #expect(opening.vectorClass == "armor failure", "\(count) bytes: \(opening)")
            #expect(opening.plaintext.isEmpty)
        }
        #expect(Opening(Array(armored.dropLast()), with: identity).vectorClass == "success")
    }

    @Test("no flipped bit of an armored file is accepted", arguments: 0..<8)
    func armoredFlips(bit: Int) throws {
        let identity = CraftedFile.identity()
        for offset in armored.indices {
            var altered = armored
            altered[offset] ^= 1 << bit
            let opening = Opening(altered, with: identity, encoding: .armored)
            #expect(opening.error != nil, "byte \(offset)")
            #expect(opening.plaintext.isEmpty)
        }
    }

    @Test("no byte can be inserted or removed")
    func shifts() throws {
        let identity = CraftedFile.identity()
        for offset in file.indices {
            var longer = file
            longer.insert(0x41, at: offset)
            var shorter = file
            shorter.remove(at: offset)
            #expect(Opening(longer, with: identity, encoding: .binary).error != nil, "inserted at \(offset)")
            #expect(Opening(shorter, with: identity, encoding: .binary).error != nil, "removed at \(offset)")
        }
    }
}
