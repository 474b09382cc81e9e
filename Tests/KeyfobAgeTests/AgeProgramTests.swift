import Foundation
import KeyfobAge
import KeyfobAgeHybrid
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("The age program and Keyfob read each other's files", .requiresAge)
struct AgeProgramTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
    }

    @Test("age opens what Keyfob writes", arguments: [0, 1, 65_536, 65_537, 300_000], [Age.Encoding.binary, .armored])
    func ageOpens(size: Int, encoding: Age.Encoding) throws {
        let identity = AgeIdentity.generate()
        let message = pattern(size)
        try folder.write(
            "file.age", written(message, AgeEncryptor(recipients: [identity.recipient], encoding: encoding)))
        try folder.write("key.txt", identity.text().withBytes { [UInt8]($0) })
        // With -o, age 1.1.1 makes no file for an empty message.
        #expect(try folder.run("/bin/sh", "-c", "age -d -i key.txt file.age > message") == 0)
        #expect(try folder.read("message") == message)
    }

    @Test("age passes over a remark, and opens the file")
    func remark() throws {
        let identity = AgeIdentity.generate()
        let remark = AgeRemark("keyfob-test", ["1", "a=b"], body: [UInt8](repeating: 7, count: AgeRemark.bodyLimit))
        let message = pattern(1_000)
        let file = written(message, try AgeEncryptor(recipients: [identity.recipient], remark: remark))
        #expect(AgeRemark("keyfob-test", atStartOf: file) == remark)
        #expect(AgeRemark("keyfob-other", atStartOf: file) == nil)
        #expect(Opening(file, with: identity, pieces: 1_000) == Opening(plaintext: message))
        try folder.write("file.age", file)
        try folder.write("key.txt", identity.text().withBytes { [UInt8]($0) })
        #expect(try folder.run("/usr/bin/age", "-d", "-i", "key.txt", "-o", "message", "file.age") == 0)
        #expect(try folder.read("message") == message)
        let recipients = [AgeRecipient](repeating: identity.recipient, count: Age.recipientLimit)
        #expect(throws: AgeError.tooManyRecipients(limit: 63)) {
            _ = try AgeEncryptor(recipients: recipients, remark: remark)
        }
    }

    @Test("Keyfob opens what age writes", arguments: [0, 1, 65_536, 65_537, 300_000], [Age.Encoding.binary, .armored])
    func keyfobOpens(size: Int, encoding: Age.Encoding) throws {
        let identity = AgeIdentity.generate()
        let other = AgeIdentity.generate()
        let message = pattern(size)
        try folder.write("message", message)
        let options = encoding == .armored ? ["-a"] : []
        let arguments =
            options + [
                "-r", other.recipient.text, "-r", identity.recipient.text, "-o", "file.age", "message",
            ]
        #expect(try folder.run("/usr/bin/age", arguments) == 0)
        #expect(try Opening(folder.read("file.age"), with: identity, pieces: 1_000) == Opening(plaintext: message))
    }

    @Test("an identity of age-keygen is read, and has the recipient that age-keygen says")
    func keygen() throws {
        #expect(try folder.run("/usr/bin/age-keygen", "-o", "key.txt") == 0)
        #expect(try folder.run("/usr/bin/age-keygen", "-y", "-o", "recipient.txt", "key.txt") == 0)
        let text = try folder.read("key.txt")
        let identities = try text.withBytes { bytes throws(AgeError) in try AgeIdentityFile(parsing: bytes) }
        let recipients = identities.recipients
        let recipient = String(decoding: try folder.read("recipient.txt"), as: UTF8.self)
        #expect(recipients.map(\.text) == [recipient.trimmingCharacters(in: .newlines)])
    }

    @Test("age opens with a passphrase what Keyfob writes", arguments: [Age.Encoding.binary, .armored])
    func ageOpensPassphrase(encoding: Age.Encoding) throws {
        let message = pattern(1_000)
        try folder.write(
            "file.age",
            written(message, AgeEncryptor(passphrase: secret("correct horse"), encoding: encoding, workFactor: 12)))
        #expect(try folder.typePassphrase("correct horse", "/usr/bin/age", "-d", "-o", "message", "file.age") == 0)
        #expect(try folder.read("message") == message)
        #expect(try folder.typePassphrase("wrong horse", "/usr/bin/age", "-d", "-o", "other", "file.age") != 0)
    }

    @Test("Keyfob opens with a passphrase what age writes", arguments: [Age.Encoding.binary, .armored])
    func keyfobOpensPassphrase(encoding: Age.Encoding) throws {
        let message = pattern(1_000)
        try folder.write("message", message)
        let options = encoding == .armored ? ["-a"] : []
        #expect(
            try folder.typePassphrase(
                "correct horse", ["/usr/bin/age", "-p"] + options + ["-o", "file.age", "message"]) == 0)
        let file = try folder.read("file.age")
        #expect(Opening(file, passphrase: "correct horse") == Opening(plaintext: message))
        // Each of them takes a second.
        if encoding == .binary { #expect(Opening(file, passphrase: "wrong horse") == Opening(error: .noMatch)) }
    }

    @Test("age opens what Keyfob writes with the standard work factor")
    func standardWorkFactor() throws {
        let passphrase = secret("correct horse")
        let file = try [1, 2, 3].withBytes { bytes throws(AgeError) in try Age.seal(bytes, passphrase: passphrase) }
        #expect(String(decoding: file.prefix(60), as: UTF8.self).contains(" 18\n"))
        try folder.write("file.age", file)
        #expect(try folder.typePassphrase("correct horse", "/usr/bin/age", "-d", "-o", "message", "file.age") == 0)
        #expect(try folder.read("message") == [1, 2, 3])
        let opened = try file.withBytes { bytes throws(AgeError) in try Age.open(bytes, passphrase: passphrase) }
        let message = opened.withBytes { [UInt8]($0) }
        #expect(message == [1, 2, 3])
    }
}

extension Trait where Self == ConditionTrait {
    static var requiresAge: Self {
        enabled("This test requires the programs age, age-keygen and python3.") {
            ["age", "age-keygen"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
        }
    }
}
