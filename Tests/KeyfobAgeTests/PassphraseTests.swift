@testable import KeyfobAge
import KeyfobSodium
import Testing

@Suite("A file under a passphrase")
struct PassphraseTests {
    private static let salt = CraftedFile.scrypt.salt
    private static let body = CraftedFile.scrypt.body

    @Test("comes back with the passphrase, and with no other")
    func roundTrip() throws {
        let file = try written(
            [1, 2, 3], AgeEncryptor(passphrase: secret("correct horse"), encoding: .binary, workFactor: 10))
        #expect(Opening(file, passphrase: "correct horse") == Opening(plaintext: [1, 2, 3]))
        #expect(Opening(file, passphrase: "Correct horse") == Opening(error: .noMatch))
        #expect(Opening(file, passphrase: "") == Opening(error: .noMatch))
    }

    @Test("does not match an identity, nor an identity's file a passphrase")
    func kinds() throws {
        let identity = CraftedFile.identity()
        #expect(Opening(CraftedFile(CraftedFile.scryptStanza).bytes, with: identity).error == .noMatch)
        #expect(Opening(CraftedFile(CraftedFile.x25519Stanza).bytes, passphrase: "x").error == .noMatch)
    }

    static let cases: [HeaderTests.Case] = [
        .init("one scrypt stanza", CraftedFile.scryptStanza),
        .init(
            "two of them", CraftedFile.scryptStanza + CraftedFile.scryptStanza, .malformedHeader(.scryptNotAlone)),
        .init(
            "X25519 after it", CraftedFile.scryptStanza + CraftedFile.x25519Stanza, .malformedHeader(.scryptNotAlone)),
        .init(
            "X25519 before it", CraftedFile.x25519Stanza + CraftedFile.scryptStanza, .malformedHeader(.scryptNotAlone)),
        .init("an unknown stanza beside it", "-> x\n\n" + CraftedFile.scryptStanza, .malformedHeader(.scryptNotAlone)),
        .init("no work factor", "-> scrypt \(salt)\n\(body)\n", .malformedHeader(.scryptArguments)),
        .init("no salt", "-> scrypt 4\n\(body)\n", .malformedHeader(.scryptArguments)),
        .init("one argument more", "-> scrypt \(salt) 4 4\n\(body)\n", .malformedHeader(.scryptArguments)),
        .init("a salt with padding", "-> scrypt \(salt)== 4\n\(body)\n", .malformedHeader(.scryptArguments)),
        .init("a salt of 15 bytes", "-> scrypt \(salt.dropLast(2)) 4\n\(body)\n", .malformedHeader(.scryptArguments)),
        .init(
            "a salt of 18 bytes", "-> scrypt \(salt.dropLast(2))AAAA 4\n\(body)\n", .malformedHeader(.scryptArguments)),
        .init(
            "a salt that is not canonical", "-> scrypt \(salt.dropLast())x 4\n\(body)\n",
            .malformedHeader(.scryptArguments)),
        .init("a wrapped key of 33 bytes", "-> scrypt \(salt) 4\n\(body)A\n", .malformedHeader(.wrappedKeySize)),
        .init("another work factor", "-> scrypt \(salt) 5\n\(body)\n", .noMatch),
        .init("a work factor of 21", "-> scrypt \(salt) 21\n\(body)\n", .workFactorTooHigh(given: 21, limit: 20)),
        .init("a work factor of 40", "-> scrypt \(salt) 40\n\(body)\n", .workFactorTooHigh(given: 40, limit: 20)),
        .init(
            "a work factor of 30 digits", "-> scrypt \(salt) \(String(repeating: "9", count: 30))\n\(body)\n",
            .workFactorTooHigh(given: .max, limit: 20)),
    ]

    @Test("is accepted or refused for the right reason", arguments: cases)
    func outcome(of header: HeaderTests.Case) {
        let opening = Opening(CraftedFile(header.stanzas).bytes, passphrase: CraftedFile.passphrase)
        #expect(opening.error == header.error)
    }

    @Test(
        "has a work factor that is a decimal number without leading zeros",
        arguments: ["0", "04", "+4", "-4", "0x4", "4a", "a4", "4.0", "٤"])
    func workFactor(text: String) {
        let file = CraftedFile("-> scrypt \(Self.salt) \(text)\n\(Self.body)\n")
        #expect(Opening(file.bytes, passphrase: CraftedFile.passphrase).vectorClass == "header failure")
    }
}
