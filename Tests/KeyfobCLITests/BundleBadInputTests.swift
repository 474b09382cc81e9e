import Foundation
import KeyfobTestSupport
import Testing

/// Most tests share a home, in which nothing may change; so one runs after the other.
@Suite("Bundles that make no sense", .serialized, .waitsForPrograms)
struct BundleBadInputTests {
    /// A command that reads a bundle, and what opens the good one.
    enum Command: String, CaseIterable {
        case merge = "import FILE --bundle-identity id.txt"
        case dryRun = "import FILE --bundle-identity id.txt --dry-run"
        case replace = "import FILE --bundle-identity id.txt --replace --force"
        case restore = "restore FILE --bundle-identity both --force"
        case restoreNew = "restore FILE --bundle-identity both --vault data/new"
        case verify = "backup --verify FILE --bundle-identity both"

        /// What it reads where all is well.
        var good: String { rawValue.hasPrefix("import") ? "good.age" : "backup.age" }

        func line(_ file: String) -> String { "keyfob " + rawValue.replacing("FILE", with: file) }
    }

    /// What is wrong with a file.
    enum Flaw: String, CaseIterable {
        case empty, onlyMagic, halfHeader, noPayload, cutInPayload, oneByteShort
        case flippedInHeader, flippedInPayload, flippedAtEnd, extended, twice, armorCut, armorSpoilt
        case workFactor, manyRecipients, newerVersion, noManifest, noLastLine, otherPayload

        /// Words of the message.
        var words: String {
            switch self {
            case .workFactor: "work factor"
            case .manyRecipients: "more than 64 recipients"
            case .newerVersion: "newer format version 2.0"
            default: "bad"
            }
        }

        func applied(to good: Data) -> Data? {
            let header = good.firstRange(of: Data("\n---".utf8))?.lowerBound ?? 0
            switch self {
            case .empty: return Data()
            case .onlyMagic: return good.prefix(21)
            case .halfHeader: return good.prefix(header / 2)
            case .noPayload: return good.prefix(header + 49)
            case .cutInPayload: return good.prefix((header + good.count) / 2)
            case .oneByteShort: return good.dropLast()
            case .flippedInHeader: return flipped(good, header + 10)
            case .flippedInPayload: return flipped(good, (header + good.count) / 2)
            case .flippedAtEnd: return flipped(good, good.count - 1)
            case .extended: return good + Data([0])
            case .twice: return good + good
            case .manyRecipients:
                let stanza = "-> X25519 " + base64(32) + "\n" + base64(32) + "\n"
                return Data((magic + String(repeating: stanza, count: 10_000) + "--- " + base64(32) + "\n").utf8)
                    + noise
            case .workFactor:
                return Data(
                    (magic + "-> scrypt " + base64(16) + " 40\n" + base64(32) + "\n--- " + base64(32) + "\n").utf8)
                    + noise
            case .armorCut, .armorSpoilt, .newerVersion, .noManifest, .noLastLine, .otherPayload: return nil
            }
        }

        /// How a shell makes it of the file that $1 names, which $2 opens and is for $3.
        var script: String {
            switch self {
            case .armorCut: "{ echo '-----BEGIN AGE ENCRYPTED FILE-----'; base64 -w 64 $1 | head -n 5; }"
            case .armorSpoilt:
                "{ echo '-----BEGIN AGE ENCRYPTED FILE-----'; base64 -w 64 $1 | sed '3s/./*/'; echo '-----END AGE ENCRYPTED FILE-----'; }"
            case .newerVersion: "age -d -i $2 $1 | sed '1s/\"formatVersion\":1/\"formatVersion\":2/' | age -r $3"
            case .noManifest: "age -d -i $2 $1 | tail -n +2 | age -r $3"
            case .noLastLine: "age -d -i $2 $1 | sed '$d' | age -r $3"
            default: "head -c 5000 /dev/urandom | age -r $3"
            }
        }

        private var magic: String { "age-encryption.org/v1\n" }
        private var noise: Data { Data((0..<500).map { _ in UInt8.random(in: 0...255) }) }

        private func base64(_ count: Int) -> String {
            Data((0..<count).map { UInt8(truncatingIfNeeded: 7 * $0 + 1) }).base64EncodedString().replacing(
                "=", with: "")
        }

        private func flipped(_ good: Data, _ offset: Int) -> Data {
            var bad = good
            bad[offset] ^= 1
            return bad
        }
    }

    /// The backup is for an X25519 identity, because the age program here knows no post-quantum ones; whose it is shows the
    /// recovery key, which lies in one file with that.
    private static func place() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: 2).json())
        try place.run(
            """
            set -e; umask 077; age-keygen -o id.txt 2>/dev/null; age-keygen -y id.txt > for-id
            cat recovery id.txt > both; age-keygen -o stranger.txt 2>/dev/null
            keyfob import --quiet cache.json > /dev/null; keyfob export --quiet --to $(cat for-id) good.age
            keyfob backup --quiet --recipient $(cat for-id) --to backup.age > /dev/null; keyfob account remove --quiet person0 --force
            """
        ).expectSuccess()
        return place
    }

    private static let shared = Result { try place() }

    @Test("one line tells what is wrong, and nothing is changed", arguments: Command.allCases, Flaw.allCases)
    func flaw(command: Command, flaw: Flaw) throws {
        let place = try Self.shared.get()
        if let bad = flaw.applied(to: try place.read(command.good)) {
            try place.write("bad", bad)
        } else {
            try place.run("set -- \(command.good) id.txt $(cat for-id); \(flaw.script) > bad").expectSuccess()
        }
        let before = try place.contents(of: "data")
        // A passphrase opens the one, an identity the others.
        let isForPassphrase = flaw == .workFactor
        let line = command.line("bad").replacing(
            /--bundle-identity [a-z.]+/,
            with: isForPassphrase
                ? "--bundle-passphrase-fd 0" : "--bundle-identity \(command.good == "good.age" ? "id.txt" : "both")"
        )
        try place.run(isForPassphrase ? "echo secret | \(line)" : line).expectError(65, "bad", flaw.words)
        #expect(try place.contents(of: "data") == before)
    }

    @Test("the wrong key opens nothing and changes nothing", arguments: Command.allCases)
    func wrongKey(command: Command) throws {
        let place = try Self.place()
        let before = try place.contents(of: "data")
        let other = "stranger.txt"
        let line = command.line(command.good).replacing(/--bundle-identity [a-z.]+/, with: "--bundle-identity \(other)")
        try place.run(line).expectError(77, command.good, "the identity does not open")
        let typed = line.replacing("--bundle-identity \(other)", with: "--bundle-passphrase-fd 0")
        try place.run("echo secret | \(typed)").expectError(77, command.good, "not encrypted with a passphrase")
        try place.run(line.replacing("--bundle-identity \(other)", with: "")).expectError(12, command.good)
        try place.run("chmod go+r \(other)").expectSuccess()
        try place.run(line).expectError(78, other, "open to other users")
        try place.run("echo nothing > none; chmod 600 none").expectSuccess()
        try place.run(line.replacing(other, with: "none")).expectError(65, "not an age identity")
        try place.run(command.line("nowhere")).expectError(66, "nowhere")
        try place.run(command.line("data")).expectError(78, "data")
        #expect(try place.contents(of: "data") == before)
    }

    @Test("a wrong passphrase opens nothing")
    func wrongPassphrase() throws {
        let place = try Self.place()
        try place.run("echo right | keyfob export --quiet --bundle-passphrase-fd 0 typed.age").expectSuccess()
        let before = try place.contents(of: "data")
        try place.run("echo wrong | keyfob import --bundle-passphrase-fd 0 typed.age")
            .expectError(77, "typed.age: the passphrase does not open")
        try place.run("keyfob import --bundle-identity id.txt typed.age").expectError(77, "is for a passphrase")
        try place.run("keyfob import --bundle-passphrase-fd 9 typed.age").expectError(64, "descriptor 9")
        try place.run("keyfob import --bundle-passphrase-fd 0 typed.age < /dev/null").expectError(64, "is empty")
        #expect(try place.contents(of: "data") == before)
    }

    @Test(
        "a pipe without an end is given up",
        arguments: Command.allCases.map { ($0, "cat GOOD /dev/zero") } + [
            (.merge, "cat /dev/zero"), (.restore, "cat /dev/zero"),
            (.merge, "{ echo '-----BEGIN AGE ENCRYPTED FILE-----'; yes AAAA; }"),
        ])
    func endless(command: Command, source: String) throws {
        let place = try Self.shared.get()
        let before = try place.contents(of: "data")
        try place.run("\(source.replacing("GOOD", with: command.good)) 2>/dev/null | \(command.line("-"))")
            .expectError(65, "standard input", "bytes, the most that is")
        #expect(try place.contents(of: "data") == before)
    }

    @Test(
        "options that contradict one another are usage",
        arguments: [
            "backup --to - --if-changed", "backup --to - --keep 2", "backup --list --to x", "backup --list --verify x",
            "backup --verify x --recipient age1x",
            "backup --group a",
            "backup --bundle-identity x", "backup --recipient age1x",
            "export --format msal --armor x",
            "restore x --bundle-identity a --bundle-passphrase-fd 0", "import x --merge --replace", "export", "restore",
            "export x --to age1x --bundle-passphrase-fd 0", "export x --bundle-passphrase-fd -1", "export x --to ''",
            "restore backup.age --bundle-identity both --vault data/new --kdf-memory 5",
            "restore backup.age --bundle-identity both --vault data/new --identity recovery",
            "import good.age --bundle-identity id.txt --no-labels", "import cache.json --bundle-identity id.txt",
            "import cache.json --replace",
        ])
    func usage(command: String) throws {
        let place = try Self.shared.get()
        let before = try place.contents(of: "data")
        try place.run("keyfob \(command)").expectError(64)
        #expect(try place.contents(of: "data") == before)
    }
}
