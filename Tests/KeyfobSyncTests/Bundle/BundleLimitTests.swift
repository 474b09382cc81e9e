import KeyfobAge
import KeyfobModel
import KeyfobSodium
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("The limits of a bundle")
struct BundleLimitTests {
    private static let item = Bundled(.setting(name: "a", value: "b"))

    /// The header of an age file with these stanzas, and a MAC that is not looked at before they are.
    private static func header(_ stanzas: String) -> [UInt8] {
        Array("age-encryption.org/v1\n\(stanzas)--- \(String(repeating: "A", count: 43))\n".utf8)
    }

    @Test("a file is refused as soon as it is too long")
    func fileSize() throws {
        let file = try BundleSample.file([Self.item])
        #expect(BundleSample.flaw(file, pieces: 1, limits: BundleLimits(size: file.count)) == nil)
        let limit = BundleLimits(size: file.count - 1)
        #expect(BundleSample.flaw(file, pieces: 1, limits: limit) == .limitExceeded(.fileSize(file.count - 1)))
        #expect(BundleLimits().size == 16 << 30)
    }

    @Test("a line that never ends stops at its limit, and so does the source")
    func endlessLine() throws {
        var encryptor = try AgeEncryptor(recipients: [BundleSample.identity().recipient])
        var given = 0
        let spaces = [UInt8](repeating: UInt8(ascii: " "), count: 65_536)
        // One that gives a gigabyte, if it is let.
        let error = failure(of: BundleError.self) {
            _ = try BundleReader.verify(BundleSample.key(), for: [.backup]) {
                guard given < 1 << 30 else { return [] }
                given += spaces.count
                return spaces.withBytes { encryptor.update($0) }
            }
        }
        let limit = BundleLimits().line
        #expect(error == .limitExceeded(.line(limit, number: 1)))
        #expect(given < 2 * limit)
    }

    @Test("a line of exactly the limit is read, one byte more is not", arguments: [0, 1])
    func lineLength(more: Int) throws {
        let limits = BundleLimits(line: 70_000)
        let padding = String(repeating: "x", count: limits.line - CraftedBundle.setting.utf8.count + more)
        let line = CraftedBundle.setting.replacing(#":"b""#, with: #":"b\#(padding)""#)
        let flaw = BundleSample.flaw(try CraftedBundle(line).file(), limits: limits)
        #expect(flaw == (more == 0 ? nil : .limitExceeded(.line(limits.line, number: 2))))
    }

    @Test("the writer refuses a line that the reader would, and goes on with the next")
    func writtenLine() throws {
        var writer = try BundleWriter(
            BundleSample.manifest(counts: [.setting: 1]), recipients: [BundleSample.identity().recipient])
        var file: [UInt8] = []
        let limit = BundleLimits().line
        let long = Sample.record(.setting(name: "long", value: String(repeating: "x", count: limit)))
        let error = BundleError.limitExceeded(.line(limit, number: 2))
        #expect(failure { try writer.write(long) { file.append(contentsOf: $0) } } == error)
        let token = Sample.record(.credential(Sample.refreshToken()))
        // A control character takes six bytes.
        let secret = secret([UInt8](repeating: 7, count: limit / 6))
        #expect(failure { try writer.write(token, secret: secret) { file.append(contentsOf: $0) } } == error)
        try writer.write(Self.item.record) { file.append(contentsOf: $0) }
        _ = try writer.finish { file.append(contentsOf: $0) }
        #expect(try BundleSample.items(file) == [Self.item])
    }

    @Test("more records than the limit are refused, by the manifest and by their number")
    func records() throws {
        let items = (0..<4).map { Bundled(.setting(name: "\($0)", value: nil)) }
        let file = try BundleSample.file(items)
        #expect(BundleSample.flaw(file, limits: BundleLimits(records: 4)) == nil)
        #expect(BundleSample.flaw(file, limits: BundleLimits(records: 3)) == .limitExceeded(.records(3)))
        let lines = [3, 1, 2, 0].map { CraftedBundle.setting.replacing(#""a""#, with: #""\#($0)""#) }
        var bundle = CraftedBundle()
        bundle.lines += lines
        #expect(BundleSample.flaw(try bundle.file(), limits: BundleLimits(records: 3)) == .limitExceeded(.records(3)))
        #expect(BundleLimits().records == 16_000_000)
    }

    @Test("JSON that is too deep, or has too many values, is refused")
    func json() throws {
        func flaw(_ json: String) throws -> BundleError? {
            let line = CraftedBundle.setting.replacing(#""setting":{"#, with: #""new":\#(json),"setting":{"#)
            return BundleSample.flaw(try CraftedBundle(line).file())
        }
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try flaw(nested(71)) == nil)
        #expect(try flaw(nested(72)) == .limitExceeded(.depth(72, line: 2)))
        #expect(try flaw(nested(400_000)) == .limitExceeded(.depth(72, line: 2)))
        let many = "[" + String(repeating: "1,", count: 131_072) + "1]"
        #expect(try flaw(many) == .limitExceeded(.values(131_072, line: 2)))
    }

    @Test("a header of 10,000 recipients, an endless one, and a work factor that takes for ever are refused unworked")
    func headers() {
        let share = String(repeating: "A", count: 42) + "E"
        let stanza = "-> X25519 \(share)\n\(String(repeating: "A", count: 43))\n"
        let many = Self.header(String(repeating: stanza, count: 10_000))
        #expect(BundleSample.flaw(many) == .limitExceeded(.recipients(64)))
        let long = Self.header("-> other \(String(repeating: "a", count: 140_000))\n\n")
        #expect(BundleSample.flaw(long) == .limitExceeded(.header(131_072)))
        for workFactor in ["21", "40", "999999999999999999999"] {
            let file = Self.header("-> scrypt \(String(repeating: "A", count: 22)) \(workFactor)\n\(share)\n")
            let error = failure(of: BundleError.self) {
                _ = try BundleReader.verify(.passphrase(secret("p")), for: [.backup], from: Pieces(file).next)
            }
            #expect(error == .limitExceeded(.workFactor(20)))
        }
    }

    @Test("the writer holds to the limits of recipients and to its own counts")
    func writer() throws {
        let manifest = BundleSample.manifest(counts: [.setting: 1])
        let recipient = BundleSample.identity().recipient
        #expect(failure { _ = try BundleWriter(manifest, recipients: []) } == BundleError.noRecipients)
        let many = Array(repeating: recipient, count: 65)
        #expect(
            failure { _ = try BundleWriter(manifest, recipients: many) } == BundleError.limitExceeded(.recipients(64)))
        func flaw(_ items: [Bundled]) -> BundleError? {
            failure(of: BundleError.self) {
                _ = try BundleSample.file(items, try BundleWriter(manifest, recipients: [recipient]))
            }
        }
        var other = Self.item
        other.record.group = Sample.group("work")
        #expect(flaw([Self.item]) == nil)
        #expect(flaw([]) == .wrongCounts)
        #expect(flaw([Self.item, Self.item]) == .repeatedRecord(line: 3))
        #expect(flaw([other]) == .unlistedGroup(line: 2))
    }
}
