@testable import KeyfobAge
import Testing

@Suite("A header")
struct HeaderTests {
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let stanzas: String
        var error: AgeError?

        init(_ testDescription: String, _ stanzas: String, _ error: AgeError? = nil) {
            self.testDescription = testDescription
            self.stanzas = stanzas
            self.error = error
        }
    }

    private static let good = CraftedFile.x25519Stanza
    private static let share = CraftedFile.x25519.share
    private static let body = CraftedFile.x25519.body
    private static let full = String(repeating: "A", count: 64)
    private static let zeros = CraftedFile.text([UInt8](repeating: 0, count: 32))
    private static let unknown = "-> example.com/enigma !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\n"

    static let cases: [Case] = [
        Case("one X25519 stanza", good),
        Case("an unknown stanza before it", unknown + "AAAA\n" + good),
        Case("an unknown stanza after it", good + "-> x\n\n"),
        Case("an unknown stanza of two full lines and an empty one", "-> x\n\(full)\n\(full)\n\n" + good),
        Case("a type in lower case is another type", good.replacing("X25519", with: "x25519"), .noMatch),
        Case("a stanza for somebody else", "-> X25519 \(share)\n\(zeros)\n", .noMatch),
        Case("somebody else's stanza before it", "-> X25519 \(share)\n\(zeros)\n" + good),
        Case("only unknown stanzas", "-> x\n\n", .noMatch),
        Case("no stanza at all", "", .malformedHeader(.noStanza)),
        Case("no space after the arrow", "->x\n\n" + good, .malformedHeader(.stanzaLine)),
        Case("no argument", "-> \n\n" + good, .malformedHeader(.stanzaLine)),
        Case("no argument and no space", "->\n\n" + good, .malformedHeader(.stanzaLine)),
        Case("two spaces", "-> x  y\n\n" + good, .malformedHeader(.stanzaLine)),
        Case("a space at the end", "-> x \n\n" + good, .malformedHeader(.stanzaLine)),
        Case("a tab", "-> x\ty\n\n" + good, .malformedHeader(.stanzaLine)),
        Case("a carriage return", "-> x\r\n\n" + good, .malformedHeader(.stanzaLine)),
        Case("a letter beyond ASCII", "-> ü\n\n" + good, .malformedHeader(.stanzaLine)),
        Case("a stanza without a body line", "-> x\n" + good, .malformedHeader(.stanzaBody)),
        Case("a body that ends with a full line", "-> x\n\(full)\n" + good, .malformedHeader(.stanzaBody)),
        Case("a body line of 65 columns", "-> x\n\(full)A\n\n" + good, .malformedHeader(.stanzaBody)),
        Case("a body line of 68 columns", "-> x\n\(full)AAAA\n\n" + good, .malformedHeader(.stanzaBody)),
        Case("two short body lines", "-> x\nAAAA\nAAAA\n" + good, .malformedHeader(.stanzaLine)),
        Case("a body with padding", "-> x\nAA==\n" + good, .malformedHeader(.stanzaBody)),
        Case("a body that is not canonical", "-> x\nAB\n" + good, .malformedHeader(.stanzaBody)),
        Case("a body of one column", "-> x\nA\n" + good, .malformedHeader(.stanzaBody)),
        Case("a body with a carriage return", "-> x\nAAAA\r\n" + good, .malformedHeader(.stanzaBody)),
        Case("base64 for addresses", "-> x\nAA-_\n" + good, .malformedHeader(.stanzaBody)),
        Case("X25519 without a share", "-> X25519\n\(body)\n", .malformedHeader(.x25519Arguments)),
        Case("X25519 with two shares", "-> X25519 \(share) \(share)\n\(body)\n", .malformedHeader(.x25519Arguments)),
        Case("a share with padding", "-> X25519 \(share)=\n\(body)\n", .malformedHeader(.x25519Arguments)),
        Case("a share of 31 bytes", "-> X25519 \(zeros.dropLast(2))A\n\(body)\n", .malformedHeader(.x25519Arguments)),
        Case("a share of 33 bytes", "-> X25519 \(zeros)A\n\(body)\n", .malformedHeader(.x25519Arguments)),
        Case(
            "a share that is not canonical", "-> X25519 \(zeros.dropLast())B\n\(body)\n",
            .malformedHeader(.x25519Arguments)),
        Case("a share of zeros", "-> X25519 \(zeros)\n\(body)\n", .malformedHeader(.lowOrderShare)),
        Case(
            "a share of order two",
            "-> X25519 \(CraftedFile.text([236] + [UInt8](repeating: 255, count: 30) + [127]))\n\(body)\n",
            .malformedHeader(.lowOrderShare)),
        Case("a wrapped key of 33 bytes", "-> X25519 \(share)\n\(zeros)A\n", .malformedHeader(.wrappedKeySize)),
        Case(
            "a wrapped key of 30 bytes", "-> X25519 \(share)\n\(zeros.dropLast(3))\n", .malformedHeader(.wrappedKeySize)
        ),
        Case("a malformed X25519 stanza after a good one", good + "-> X25519\n\n", .malformedHeader(.x25519Arguments)),
        Case("64 stanzas", String(repeating: "-> x\n\n", count: 63) + good),
        Case("65 stanzas", String(repeating: "-> x\n\n", count: 64) + good, .tooManyRecipients(limit: 64)),
        Case("128 KiB of arguments", "-> \(String(repeating: "x", count: 131_072))\n", .headerTooLarge(limit: 131_072)),
        Case(
            "128 KiB of body", "-> x\n" + String(repeating: full + "\n", count: 2_200), .headerTooLarge(limit: 131_072)),
    ]

    @Test("is accepted or refused for the right reason", arguments: cases)
    func outcome(of header: Case) throws {
        let identity = CraftedFile.identity()
        let opening = Opening(CraftedFile(header.stanzas).bytes, with: identity)
        #expect(opening.error == header.error)
        #expect(opening.plaintext == (header.error == nil ? [UInt8]("message".utf8) : []))
    }

    @Test(
        "starts with exactly the version line",
        arguments: ["age-encryption.org/v2\n", "age-encryption.org/v1 \n", "age-encryption.org/v1\r\n", "\n", "age\n"])
    func version(line: String) throws {
        var file = CraftedFile(Self.good)
        file.lines = line + Self.good
        let identity = CraftedFile.identity()
        #expect(Opening(file.bytes, with: identity, encoding: .binary).error == .malformedHeader(.versionLine))
    }

    @Test("ends with exactly the line of its MAC")
    func macLine() throws {
        let identity = CraftedFile.identity()
        let mac = CraftedFile.text(CraftedFile(Self.good).mac)
        let other = CraftedFile.text([UInt8](repeating: 7, count: 32))
        let cases: [(String, AgeError?)] = [
            ("--- \(mac)", nil),
            ("--- \(other)", .headerMACMismatch),
            ("---", .malformedHeader(.macLine)),
            ("--- ", .malformedHeader(.macLine)),
            ("---\(mac)", .malformedHeader(.macLine)),
            ("---  \(mac)", .malformedHeader(.macLine)),
            ("--- \(mac) ", .malformedHeader(.macLine)),
            ("--- \(mac)\r", .malformedHeader(.macLine)),
            ("--- \(mac)=", .malformedHeader(.macLine)),
            ("--- \(mac) \(mac)", .malformedHeader(.macLine)),
            ("--- \(mac.dropLast())", .malformedHeader(.macLine)),
            ("--- \(other.dropLast())d", .malformedHeader(.macLine)),
        ]
        for (line, error) in cases {
            var file = CraftedFile(Self.good)
            file.macLine = line
            #expect(Opening(file.bytes, with: identity).error == error, "\(line)")
        }
    }

    @Test("is written as it is read")
    func serialisation() throws {
        for count in [0, 1, 32, 47, 48, 49, 95, 96, 97] {
            let stanza = Stanza(["type", "argument"], body: pattern(count))
            let lines = String(decoding: stanza.serialised, as: UTF8.self)
            let identity = CraftedFile.identity()
            #expect(Opening(CraftedFile(lines + Self.good).bytes, with: identity).error == nil, "\(count) bytes")
            #expect(lines.split(separator: "\n", omittingEmptySubsequences: false).allSatisfy { $0.utf8.count <= 64 })
        }
    }
}
