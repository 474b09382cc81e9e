internal import KeyfobAge
internal import KeyfobAgeHybrid
internal import KeyfobSodium

/// A vector of the C2SP testkit for age: lines `key: value`, an empty line, the age file.
struct TestVector {
    /// Why a file is no vector.
    enum Flaw: Error {
        case noHeader, badLine(Int), unknownKey(String), noExpectation, badHash, badCompression
    }

    /// What came of it.
    struct Result {
        let expected: String
        let got: String

        var isExpected: Bool { expected == got }

        func line(_ name: String) -> String {
            isExpected ? "ok \(name)" : "FAIL \(name) expected \(expected) got \(got)"
        }
    }

    private let expected: String
    /// Of the plaintext, also of the part that comes before a failure; hexadecimal.
    private var payloadHash: String?
    private var identities: [String] = []
    private var passphrases: [String] = []
    private var isArmored = false
    private let file: [UInt8]

    init(parsing bytes: [UInt8]) throws(Flaw) {
        var rest = bytes[...]
        var expected: String?
        var isCompressed = false
        var number = 0
        while true {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { throw .noHeader }
            let text = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            number += 1
            if text.isEmpty { break }
            guard let colon = text.firstRange(of: ": ") else { throw .badLine(number) }
            let value = String(text[colon.upperBound...])
            switch text[..<colon.lowerBound] {
            case "expect": expected = value
            case "payload":
                guard value.utf8.count == 64, value.allSatisfy({ $0.isHexDigit }) else { throw .badHash }
                payloadHash = value
            case "identity": identities.append(value)
            case "passphrase": passphrases.append(value)
            case "armored": isArmored = value == "yes"
            case "compressed":
                guard value == "zlib" else { throw .badCompression }
                isCompressed = true
            case "file key", "comment": break
            case let key: throw .unknownKey(String(key))
            }
        }
        guard let expected else { throw .noExpectation }
        self.expected = expected
        guard isCompressed else {
            file = Array(rest)
            return
        }
        guard let inflated = ZlibStream.inflated(Array(rest)) else { throw .badCompression }
        file = inflated
    }

    /// Opens the file with each key in turn until one matches.
    func run() -> Result {
        var opening = Opening(of: file, with: identityKey, encoding: isArmored ? .armored : .binary)
        for passphrase in passphrases where identities.isEmpty || opening.failure == .noMatch {
            let key = Array(passphrase.utf8).withBytes { SecretBytes(copying: $0) }
            opening = Opening(of: file, with: .passphrase(key), encoding: isArmored ? .armored : .binary)
            if opening.failure != .noMatch { break }
        }
        let got = opening.failure?.vectorClass ?? "success"
        if got == expected, let payloadHash, SHA256.hexadecimal(opening.plaintext) != payloadHash.lowercased() {
            return Result(expected: "\(expected) with payload \(payloadHash)", got: "another payload")
        }
        return Result(expected: expected, got: got)
    }

    /// The identities; one that matches nothing where there is none that can be read.
    private var identityKey: Opening.Key {
        let text = Array(identities.joined(separator: "\n").utf8)
        let parsed = text.withBytes { bytes in try? AgeIdentityFile(parsing: bytes) }
        if let parsed { return .identities(parsed) }
        let nobody = AgeIdentity.generate().text().withBytes { bytes in try? AgeIdentityFile(parsing: bytes) }
        guard let nobody else { preconditionFailure("an identity's own text can be read") }
        return .identities(nobody)
    }
}
