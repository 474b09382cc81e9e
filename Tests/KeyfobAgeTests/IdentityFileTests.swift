import KeyfobAge
import KeyfobAgeHybrid
import KeyfobSodium
import Testing

@Suite("A file of identities")
struct IdentityFileTests {
    /// The text of an identity that opens nothing here.
    private let otherText = AgeIdentity.generate().text().withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }

    private func parsed(_ text: String) throws -> AgeIdentityFile {
        try [UInt8](text.utf8).withBytes { bytes throws(AgeError) in try AgeIdentityFile(parsing: bytes) }
    }

    @Test(
        "may have comments, empty lines, CRLF and no last line feed",
        arguments: [
            "IDENTITY", "IDENTITY\n", "IDENTITY\r\n", "# created: today\n# public key: age1…\nIDENTITY\n",
            "\n\nIDENTITY\n\n#", "\r\nIDENTITY\r\n\r\n",
        ])
    func forms(text: String) throws {
        let recipients = try parsed(text.replacing("IDENTITY", with: CraftedFile.identityText)).recipients
        #expect(recipients.map(\.text) == [CraftedFile.recipientText])
    }

    @Test("opens a file with the first identity that matches")
    func severalIdentities() throws {
        let identities = try parsed("\(otherText)\n# the second\n\(CraftedFile.identityText)\n")
        let file = CraftedFile(CraftedFile.x25519Stanza).bytes
        let message = try file.withBytes { bytes throws(AgeError) in
            try Age.open(bytes, withAnyOf: identities).withBytes { [UInt8]($0) }
        }
        #expect(message == [UInt8]("message".utf8))
        let stranger = try parsed(otherText)
        #expect(Opening(file, AgeDecryptor(identities: stranger)).error == .noMatch)
    }

    @Test("is refused with the number of the line that is wrong")
    func wrongLines() {
        let good = CraftedFile.identityText
        let cases = [
            ("", 0), ("# nothing\n\n", 0), (" \(good)\n", 1), ("\(good) \n", 1), ("\(good)\n\(good.lowercased())\n", 2),
            ("#\n\n\(good)\nAGE-PLUGINX-1QQQ\n", 4), ("\(good)\n age1\n", 2), ("\(good)\r\r\n", 1),
        ]
        for (text, line) in cases {
            #expect(throws: AgeError.malformedIdentity(line: line), "\(text)") { _ = try parsed(text).recipients }
        }
    }

    @Test("is used as far as it can be, and the rest is named by line and kind")
    func unusable() throws {
        let good = CraftedFile.identityText
        let text = """
            # of several programs
            AGE-PLUGIN-YUBIKEY-1QQQ
            -----BEGIN OPENSSH PRIVATE KEY-----
            b3BlbnNzaA==
            -----END OPENSSH PRIVATE KEY-----
            \(good)
            -----BEGIN AGE ENCRYPTED FILE-----
            YWdlLWVuY3J5cHRpb24ub3JnL3Yx
            -----END AGE ENCRYPTED FILE-----
            \(otherText)

            """
        let file = try parsed(text)
        let (recipients, unusable) = (file.recipients, file.unusable)
        #expect(recipients.count == 2 && recipients.first?.text == CraftedFile.recipientText)
        #expect(unusable.map(\.line) == [2, 3, 7] && unusable.map(\.kind) == [.plugin, .ssh, .encrypted])
        let rest = text.replacing(good, with: "#").replacing(otherText, with: "")
        #expect(throws: AgeError.noUsableIdentity(unusable)) { _ = try parsed(rest).recipients }
    }

    @Test(
        "holds nothing past what has no end",
        arguments: ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n", "age-encryption.org/v1\n-> scrypt x 1\n"])
    func unended(block: String) throws {
        let identities = try parsed("\(CraftedFile.identityText)\n\(block)\(otherText)\n")
        let (count, lines) = (identities.recipients.count, identities.unusable.map(\.line))
        #expect(count == 1 && lines == [2])
    }

    @Test("is refused with more identities than the limit")
    func tooMany() {
        let text = String(repeating: CraftedFile.identityText + "\n", count: 1_025)
        #expect(throws: AgeError.tooManyIdentities(limit: 1_024)) { _ = try parsed(text).recipients }
    }
}
