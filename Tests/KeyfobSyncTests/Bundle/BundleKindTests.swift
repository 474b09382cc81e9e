import KeyfobAge
import KeyfobSodium
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("What a file is, by its first bytes")
struct BundleKindTests {
    @Test("an age file is told by its encoding and by what opens it", arguments: [Age.Encoding.binary, .armored])
    func age(encoding: Age.Encoding) throws {
        let recipients = try [1].withBytes {
            try Age.seal($0, to: [BundleSample.identity().recipient], encoding: encoding)
        }
        #expect(BundleKind.recognise(prefix: recipients) == .age(encoding, isForPassphrase: false))
        var encryptor = try AgeEncryptor(passphrase: secret("p"), encoding: encoding, workFactor: 1)
        let start = [1].withBytes { encryptor.update($0) }
        let passphrase = start + encryptor.finish()
        #expect(BundleKind.recognise(prefix: passphrase) == .age(encoding, isForPassphrase: true))
        #expect(BundleKind.recognise(prefix: Array(passphrase.prefix(200))) == .age(encoding, isForPassphrase: true))
    }

    @Test(
        "other files are told by their first character",
        arguments: [
            ("{", .jsonObject), ("\n\t {\"a\":1}", .jsonObject), ("\u{FEFF}{}", .jsonObject), ("", .unknown),
            ("[]", .unknown), ("age-encryption.org/v2\n", .unknown), ("age-encryption.org/v1", .unknown),
            ("-----BEGIN PGP MESSAGE-----", .unknown), ("\0{", .unknown),
            ("\n-----BEGIN AGE ENCRYPTED FILE-----\r\n", .age(.armored, isForPassphrase: false)),
        ] as [(String, BundleKind)])
    func others(text: String, expected: BundleKind) {
        #expect(BundleKind.recognise(prefix: Array(text.utf8)) == expected)
    }
}
