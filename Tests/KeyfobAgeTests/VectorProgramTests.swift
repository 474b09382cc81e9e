import Foundation
import KeyfobAge
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("The program for vectors")
final class VectorProgramTests {
    private static let program: String = {
        let bundle = URL(filePath: CommandLine.arguments.first ?? ".").resolvingSymlinksInPath()
        var folder = bundle.deletingLastPathComponent()
        while folder.path.count > 1 {
            let candidate = folder.appending(path: "KeyfobAgeVectors").path
            let isProgram = try? URL(filePath: candidate).resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
            if isProgram == true { return candidate }
            folder.deleteLastPathComponent()
        }
        return "KeyfobAgeVectors"
    }()

    private let folder: ScratchFolder
    private let identity = AgeIdentity.generate()

    init() throws {
        folder = try ScratchFolder()
    }

    /// What a line of the shell prints in which `vectors` is the program: standard error last, then the status.
    private func output(_ line: String) throws -> String {
        let script =
            "vectors() { '\(Self.program)' \"$@\"; }\n{ \(line)\n} > out 2> err; echo $? > status; cat out err status > all"
        #expect(try folder.run("/bin/sh", "-c", script) == 0)
        return String(decoding: try folder.read("all"), as: UTF8.self)
    }

    private func file(_ message: [UInt8], armored: Bool = false) throws -> [UInt8] {
        try message.withBytes { try Age.seal($0, to: [identity.recipient], encoding: armored ? .armored : .binary) }
    }

    private var identityText: String { identity.text().withBytes { String(decoding: [UInt8]($0), as: UTF8.self) } }

    /// Writes a vector; `hash` is what sha256sum says of `payload`.
    private func vector(
        _ expected: String, payload: [UInt8]? = nil, lines: String = "", identity: String? = nil, _ file: [UInt8]
    ) throws {
        var text = "expect: \(expected)\n"
        if let payload {
            try folder.write("payload", payload)
            let hash = try output("sha256sum payload").prefix(64)
            text += "payload: \(hash)\n"
        }
        text += "identity: \(identity ?? identityText)\n\(lines)comment: written here\n\n"
        try folder.write("vector", Array(text.utf8) + file)
    }

    @Test("it opens a file, binary or armored", arguments: [false, true])
    func opening(armored: Bool) throws {
        try folder.write("file", try file(Array("hello".utf8), armored: armored))
        try folder.write("key", Array((identityText + "\n").utf8))
        #expect(try output("vectors file -i key") == "hello0\n")
    }

    @Test("a passphrase comes from a file, whose line end is none of it", arguments: ["pass word", "pass word\n"])
    func passphrase(text: String) throws {
        var encryptor = try AgeEncryptor(passphrase: secret("pass word"), encoding: .binary, workFactor: 10)
        let start = Array("hello".utf8).withBytes { encryptor.update($0) }
        try folder.write("file", start + encryptor.finish())
        try folder.write("passphrase", Array(text.utf8))
        try folder.write("wrong", Array("password".utf8))
        #expect(try output("vectors file -p passphrase") == "hello0\n")
        #expect(try output("vectors file -p wrong") == "no match\n1\n")
    }

    /// What is done to a file of three chunks, and how the failure is called.
    enum Damage: String, CaseIterable {
        case otherIdentity = "no match"
        case greaseAdded = "HMAC failure"
        case versionLine = "header failure"
        case armorLine = "armor failure"
        case lastByte = "payload failure"

        var isArmored: Bool { self == .armorLine }

        func applied(to file: [UInt8]) -> [UInt8] {
            switch self {
            case .otherIdentity: return file
            case .greaseAdded:
                guard let end = file.firstRange(of: Array("\n--- ".utf8)) else { return [] }
                return file[..<end.lowerBound] + Array("\n-> grease x\n".utf8) + file[end.lowerBound...]
            case .versionLine: return Array("x".utf8) + file
            case .armorLine: return Array(file.dropLast(4))
            case .lastByte: return file.dropLast() + [(file.last ?? 0) ^ 1]
            }
        }
    }

    @Test("a failure has one of five names", arguments: Damage.allCases)
    func failures(damage: Damage) throws {
        let message = pattern(150_000)
        let spoilt = damage.applied(to: try file(message, armored: damage.isArmored))
        let other = AgeIdentity.generate().text().withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
        let key = damage == .otherIdentity ? other : identityText
        try folder.write("file", spoilt)
        try folder.write("key", Array(key.utf8))
        #expect(try output("vectors file -i key > /dev/null") == damage.rawValue + "\n1\n")
        try vector(
            damage.rawValue, payload: damage == .lastByte ? Array(message[..<131_072]) : nil,
            lines: damage.isArmored ? "armored: yes\n" : "", identity: key, spoilt)
        #expect(try output("vectors --vector vector vector") == "ok vector\nok vector\n0\n")
        try vector("success", lines: damage.isArmored ? "armored: yes\n" : "", identity: key, spoilt)
        #expect(try output("vectors --vector vector") == "FAIL vector expected success got \(damage.rawValue)\n1\n")
    }

    @Test("a vector has the hash of its plaintext", arguments: [0, 1, 55, 56, 63, 64, 65, 1_000, 150_000])
    func hashes(size: Int) throws {
        let message = pattern(size)
        try vector("success", payload: message, try file(message))
        #expect(try output("vectors --vector vector") == "ok vector\n0\n")
        try vector("success", payload: message + [0], try file(message))
        #expect(try output("vectors --vector vector").contains("got another payload\n1\n"))
    }

    @Test("a file that is not armored is no armored file, and the other way round", arguments: [false, true])
    func encoding(armored: Bool) throws {
        try vector(
            armored ? "header failure" : "armor failure", lines: armored ? "" : "armored: yes\n",
            try file([1, 2, 3], armored: armored))
        #expect(try output("vectors --vector vector") == "ok vector\n0\n")
    }

    @Test(
        "a compressed vector is inflated", arguments: ["0", "1", "9"], ["DEFAULT_STRATEGY", "FIXED", "HUFFMAN_ONLY"])
    func compression(level: String, strategy: String) throws {
        // Text repeats and random bytes do not: copies near and far, and all kinds of blocks.
        let message = Array(String(repeating: "a line that comes again\n", count: 4_000).utf8) + pattern(40_000)
        let armored = try file(message, armored: true)
        try folder.write("plain", armored + armored)
        let script =
            "import sys, zlib; c = zlib.compressobj(\(level), zlib.DEFLATED, 15, 9, zlib.Z_\(strategy)); "
            + "d = open('plain', 'rb').read(); open('packed', 'wb').write(c.compress(d[:len(d) // 2]) + c.flush())"
        #expect(try folder.run("/usr/bin/env", ["python3", "-c", script]) == 0)
        let packed = try folder.read("packed")
        try vector("success", payload: message, lines: "armored: yes\ncompressed: zlib\n", packed)
        #expect(try output("vectors --vector vector") == "ok vector\n0\n")
        try vector("success", lines: "compressed: zlib\n", packed.dropLast() + [(packed.last ?? 0) ^ 1])
        #expect(try output("vectors --vector vector") == "FAIL vector is no vector: badCompression\n1\n")
    }

    @Test(
        "what is no vector is told",
        arguments: [
            "", "expect: success", "expect success\n\n", "payload: 00\n\n", "colour: red\n\n", "comment: x\n\n",
        ])
    func noVector(text: String) throws {
        try folder.write("vector", Array(text.utf8))
        let told = try output("vectors --vector vector")
        #expect(told.hasPrefix("FAIL vector is no vector: ") && told.hasSuffix("\n1\n"), "\(told)")
    }

    @Test(
        "words that make no sense are told",
        arguments: ["vectors", "vectors --vector", "vectors file", "vectors file -x y"])
    func usage(line: String) throws {
        #expect(try output(line).hasSuffix("\n64\n"))
        #expect(try output("vectors nowhere -i nowhere").hasSuffix("\n66\n"))
    }
}
