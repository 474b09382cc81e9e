import KeyfobAge
import KeyfobSodium
import Testing

@Suite("A file that is written and read back")
struct RoundTripTests {
    static let sizes = [0, 1, 47, 48, 65_535, 65_536, 65_537, 131_072, 1_048_576]

    @Test("every size comes back, whatever the pieces", arguments: sizes, [Age.Encoding.binary, .armored])
    func pieces(size: Int, encoding: Age.Encoding) throws {
        let identity = AgeIdentity.generate()
        let message = pattern(size)
        let file = try written(
            message, AgeEncryptor(recipients: [identity.recipient], encoding: encoding), pieces: 10_007)
        #expect(Opening(file, with: identity, pieces: 4_093) == Opening(plaintext: message))
        #expect(Opening(file, with: identity, encoding: encoding) == Opening(plaintext: message))
    }

    @Test("one byte at a time is enough", arguments: [Age.Encoding.binary, .armored])
    func singleBytes(encoding: Age.Encoding) throws {
        let identity = AgeIdentity.generate()
        let message = pattern(300)
        let file = try written(
            message, AgeEncryptor(recipients: [identity.recipient], encoding: encoding), pieces: 1)
        #expect(Opening(file, with: identity, pieces: 1) == Opening(plaintext: message))
    }

    @Test("each of 64 recipients can open the file, and nobody else")
    func manyRecipients() throws {
        let first = AgeIdentity.generate()
        let last = AgeIdentity.generate()
        let others = (0..<62).map { _ in AgeIdentity.generate().recipient }
        let recipients = [first.recipient] + others + [last.recipient]
        let file = try [1, 2, 3].withBytes { bytes throws(AgeError) in try Age.seal(bytes, to: recipients) }
        #expect(Opening(file, with: first).plaintext == [1, 2, 3])
        #expect(Opening(file, with: last).plaintext == [1, 2, 3])
        #expect(Opening(file, with: AgeIdentity.generate()) == Opening(error: .noMatch))
    }

    @Test("65 recipients are refused, and none too")
    func recipientCounts() {
        let recipients = (0..<65).map { _ in AgeIdentity.generate().recipient }
        #expect(throws: AgeError.tooManyRecipients(limit: 64)) { _ = try AgeEncryptor(recipients: recipients).finish() }
        #expect(throws: AgeError.noRecipients) { _ = try AgeEncryptor(recipients: []).finish() }
    }

    @Test("a key of 32 bytes is sealed and opened in one call", arguments: [Age.Encoding.binary, .armored])
    func oneShot(encoding: Age.Encoding) throws {
        let identity = AgeIdentity.generate()
        let key = SecretBytes.random(count: 32)
        let recipients = [identity.recipient]
        let file = try key.withBytes { bytes throws(AgeError) in
            try Age.seal(bytes, to: recipients, encoding: encoding)
        }
        let opened = try file.withBytes { bytes throws(AgeError) in try Age.open(bytes, with: identity) }
        let isSame = opened.isEqual(to: key)
        #expect(isSame)
    }

    @Test("a message past the caller's limit is refused, at the limit it is not")
    func limit() throws {
        let identity = AgeIdentity.generate()
        let recipients = [identity.recipient]
        let file = try pattern(70_000).withBytes { bytes throws(AgeError) in try Age.seal(bytes, to: recipients) }
        func open(limit: Int) throws -> Int {
            try file.withBytes { bytes throws(AgeError) in try Age.open(bytes, with: identity, limit: limit).count }
        }
        #expect(try open(limit: 70_000) == 70_000)
        #expect(throws: AgeError.plaintextTooLarge(limit: 69_999)) { try open(limit: 69_999) }
        #expect(throws: AgeError.plaintextTooLarge(limit: 10)) { try open(limit: 10) }
    }

    @Test("a closure that stops the decryptor stops it for good")
    func stopping() throws {
        let identity = AgeIdentity.generate()
        let recipients = [identity.recipient]
        let file = try pattern(200_000).withBytes { bytes throws(AgeError) in try Age.seal(bytes, to: recipients) }
        var decryptor = AgeDecryptor(identity: identity)
        var calls = 0
        var errors: [AgeError] = []
        for _ in 0..<2 {
            do throws(AgeError) {
                try file.withBytes { bytes throws(AgeError) in
                    try decryptor.update(bytes) { _ throws(AgeError) in
                        calls += 1
                        throw .stopped
                    }
                }
            } catch {
                errors.append(error)
            }
        }
        do throws(AgeError) {
            try decryptor.finish { _ in calls += 1 }
        } catch {
            errors.append(error)
        }
        #expect(calls == 1)
        #expect(errors == [.stopped, .stopped, .stopped])
    }

    @Test("two files with the same content share nothing")
    func freshness() throws {
        let recipients = [AgeIdentity.generate().recipient]
        func lines() throws -> [String] {
            let file = try [UInt8]().withBytes { bytes throws(AgeError) in
                try Age.seal(bytes, to: recipients, encoding: .armored)
            }
            return String(decoding: file, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        let one = try lines()
        let other = try lines()
        // The first armored line is the version line and the start of the first stanza.
        #expect(one[0...1].dropLast() == other[0...1].dropLast())
        #expect(Set(one.dropFirst(2).dropLast()).isDisjoint(with: other.dropFirst(2).dropLast()))
    }
}

extension Opening {
    init(plaintext: [UInt8] = [], error: AgeError? = nil) {
        self.plaintext = plaintext
        self.error = error
    }
}
