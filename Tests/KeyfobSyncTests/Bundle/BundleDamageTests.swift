import KeyfobAge
import KeyfobModel
import KeyfobSodium
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("A bundle that was cut or altered")
struct BundleDamageTests {
    private static let items = [
        Bundled(.account(Sample.account("ada"))), Bundled(.credential(Sample.refreshToken()), secret: "rt"),
    ].inOrder

    /// Of so many places one is tried, another one for each bit.
    private static let share = TestLength.rounds(3, full: 1)

    @Test("no truncation is accepted", arguments: [Age.Encoding.binary, .armored])
    func truncation(encoding: Age.Encoding) throws {
        let file = try BundleSample.file(Self.items, encoding: encoding)
        // The last line feed of an armor is not part of it.
        let end = encoding == .armored ? file.count - 1 : file.count
        let accepted = stride(from: 0, to: end, by: Self.share).filter {
            BundleSample.flaw(Array(file.prefix($0))) == nil
        }
        #expect(accepted == [])
        #expect(BundleSample.flaw([]) == .damagedFile(.truncated))
        #expect(BundleSample.flaw(file) == nil)
    }

    @Test("no flipped bit is accepted", arguments: 0..<8)
    func flips(bit: Int) throws {
        let file = try BundleSample.file(Self.items)
        let accepted = stride(from: bit % Self.share, to: file.count, by: Self.share).filter { offset in
            var altered = file
            altered[offset] ^= 1 << bit
            return BundleSample.flaw(altered) == nil
        }
        #expect(accepted == [])
    }

    @Test("no extension is accepted", arguments: ["\n", "x", "{}"])
    func longer(tail: String) throws {
        let file = try BundleSample.file(Self.items)
        #expect(BundleSample.flaw(file + Array(tail.utf8)) == .damagedFile(.payload))
    }

    @Test("within the age file, no truncation of the lines is accepted, and each has an error")
    func truncatedLines() throws {
        let plaintext = CraftedBundle(CraftedBundle.setting).plaintext
        for count in plaintext.indices {
            let file = try plaintext.withBytes {
                try Age.seal($0.extracting(0..<count), to: [BundleSample.identity().recipient])
            }
            let manifestEnd = CraftedBundle.manifest.utf8.count + 1
            #expect(BundleSample.flaw(file) == (count < manifestEnd ? .noManifest : .noEnd), "\(count)")
        }
    }

    @Test("within the age file, no flipped bit of the lines is accepted", arguments: 0..<8)
    func flippedLines(bit: Int) throws {
        let plaintext = CraftedBundle(CraftedBundle.setting).plaintext
        var accepted: [Int] = []
        for offset in stride(from: bit % Self.share, to: plaintext.count, by: Self.share) {
            var altered = plaintext
            altered[offset] ^= 1 << bit
            let file = try altered.withBytes { try Age.seal($0, to: [BundleSample.identity().recipient]) }
            if BundleSample.flaw(file) == nil { accepted.append(offset) }
        }
        #expect(accepted == [])
    }

    @Test("a wrong passphrase, a wrong identity and the wrong sort of key are said to be that")
    func wrongKeys() throws {
        let file = try BundleSample.file(Self.items)
        func flaw(_ file: [UInt8], _ key: consuming BundleKey) -> BundleError? {
            do {
                _ = try BundleReader.verify(key, for: [.backup], from: Pieces(file).next)
                return nil
            } catch {
                return error as? BundleError
            }
        }
        #expect(flaw(file, .identity(BundleSample.identity(0x43))) == .wrongIdentity)
        #expect(flaw(file, .passphrase(secret("correct horse"))) == .wrongPassphrase)
        let locked = try [1].withBytes {
            var encryptor = try AgeEncryptor(passphrase: secret("correct horse"), encoding: .binary, workFactor: 2)
            let start = encryptor.update($0)
            return start + encryptor.finish()
        }
        #expect(flaw(locked, .passphrase(secret("wrong horse"))) == .wrongPassphrase)
        #expect(flaw(locked, BundleSample.key()) == .wrongIdentity)
        #expect(flaw(locked, .passphrase(secret("correct horse"))) == .noManifest)
    }

    @Test("another bundle in the place of the one that was verified is noticed")
    func swapped() throws {
        let key = BundleSample.key()
        let file = try BundleSample.file(Self.items)
        let other = try BundleSample.file([Self.items[0]])
        let bundle = try BundleReader.verify(key, for: [.backup], from: Pieces(file).next)
        var count = 0
        let error = failure(of: BundleError.self) {
            try BundleReader.read(bundle, key, from: Pieces(other).next) { _, _ in count += 1 }
        }
        #expect(error == .changedSinceVerified)
        #expect(count == 1)
    }

    @Test("the key of a file that was verified opens that file and no other")
    func fileKey() throws {
        let file = try BundleSample.file(Self.items)
        var fileKey: SecretBytes?
        let verified = try BundleReader.verify(
            BundleSample.key(), for: [.backup], keeping: &fileKey, from: Pieces(file).next)
        guard let fileKey = fileKey.take() else { fatalError("a file that was verified has a key") }
        let key = BundleKey.fileKey(fileKey)
        var count = 0
        try BundleReader.read(verified, key, from: Pieces(file).next) { _, _ in count += 1 }
        #expect(count == Self.items.count)
        // The same records for the same identity.
        let other = try BundleSample.file(Self.items)
        let error = failure(of: BundleError.self) {
            try BundleReader.read(verified, key, from: Pieces(other).next) { _, _ in count += 1 }
        }
        #expect(error == .damagedFile(.headerMAC))
        #expect(count == Self.items.count)
    }

    @Test("records that are not in order are refused, by the reader and by the writer")
    func order() throws {
        let groups = [AccessGroup.default, Sample.group("work")]
        var other = Self.items[0]
        other.record.group = groups[1]
        for items in [[Self.items[1], Self.items[0]], [other, Self.items[0]]] {
            let manifest = BundleSample.manifest(counts: BundleSample.counts(items), groups: groups)
            let wrong = failure(of: BundleError.self) {
                _ = try BundleSample.file(
                    items, try BundleWriter(manifest, recipients: [BundleSample.identity().recipient]))
            }
            #expect(wrong == .wrongOrder(line: 3))
        }
    }

    @Test("what the caller throws comes out, and nothing is read after it")
    func callerStops() throws {
        struct Enough: Error {}
        let key = BundleSample.key()
        let file = try BundleSample.file(Self.items)
        let bundle = try BundleReader.verify(key, for: [.backup], from: Pieces(file).next)
        var count = 0
        #expect(throws: Enough.self) {
            try BundleReader.read(bundle, key, from: Pieces(file).next) { _, _ in
                count += 1
                throw Enough()
            }
        }
        #expect(count == 1)
        #expect(throws: Enough.self) {
            _ = try BundleReader.verify(key, for: [.backup]) { throw Enough() }
        }
    }
}
