internal import Foundation
internal import KeyfobOAuth
internal import KeyfobSodium
internal import Testing

@testable internal import KeyfobNetwork

/// Tokens that jwcrypto and cryptography for Python signed, and many that only look so.
@Suite("Signed tokens by Python")
struct SignedTokenTests {
    /// What `Support/signed-tokens.py` makes, by `KEYFOB_PYTHON` or the project's `.venv/bin/python3`.
    private static func rows() throws -> [[String: Any]] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let python =
            ProcessInfo.processInfo.environment["KEYFOB_PYTHON"]
            ?? folder.appending(path: "../../.venv/bin/python3").standardized.path
        let (process, written) = (Process(), Pipe())
        process.executableURL = URL(filePath: python)
        process.arguments = [folder.appending(path: "Support/signed-tokens.py").path]
        process.standardOutput = written
        try process.run()
        let text = try written.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try #require(JSONSerialization.jsonObject(with: text) as? [[String: Any]])
    }

    @Test("Each is good, or has the flaw that it was given")
    func all() throws {
        var good: [String] = []
        var flawed: [String: Int] = [:]
        for row in try Self.rows() {
            let title = try #require(row["title"] as? String)
            let token = try #require(row["token"] as? String)
            let keys = try keySet(try #require(row["keys"] as? [[String: Any]]))
            let flaw = SignatureCheck().flaw(of: secret(token), keys: keys)
            #expect(flaw.map { Self.name(of: $0) } == row["flaw"] as? String, "\(title)")
            if let flaw = row["flaw"] as? String { flawed[flaw, default: 0] += 1 } else { good.append(title) }
        }
        for algorithm in SignatureAlgorithm.allCases.map(\.rawValue) { #expect(good.contains(algorithm)) }
        #expect(good.count >= 40)
        #expect(flawed["badSignature"] ?? 0 >= 2_000 && flawed["unknownKey"] ?? 0 >= 150, "\(flawed)")
    }

    private static func name(of flaw: IDTokenFlaw) -> String {
        switch flaw {
        case .badSignature: "badSignature"
        case .unknownKey: "unknownKey"
        case .algorithmRefused: "algorithmRefused"
        default: "\(flaw)"
        }
    }
}

@Suite("Public key of RSA")
struct RSAPublicKeyTests {
    /// A modulus of so many bits, whose last byte is given.
    private func modulus(_ bits: Int, last: UInt8 = 1) -> [UInt8] {
        [UInt8(1 << ((bits - 1) % 8))] + [UInt8](repeating: 0, count: (bits - 1) / 8 - 1) + [last]
    }

    /// Whether both make a key; an error does not print all the bytes.
    private func isKey(_ modulus: [UInt8], _ exponent: [UInt8] = [1, 0, 1]) -> Bool {
        RSAPublicKey(modulus: modulus, exponent: exponent) != nil
    }

    @Test(
        "It has from 2048 to 8192 bits, and is odd",
        arguments: [
            (512, false), (2_047, false), (2_048, true), (2_049, true), (4_096, true), (8_192, true), (8_193, false),
        ])
    func bits(bits: Int, isGood: Bool) {
        #expect(isKey(modulus(bits)) == isGood)
        #expect(isKey([0, 0] + modulus(bits), [0, 1, 0, 1]) == isGood)
        #expect(!isKey(modulus(bits, last: 2)))
    }

    @Test(
        "Its exponent is odd, 3 or more, and has no more than 32 bits",
        arguments: [
            ([], false), ([0], false), ([1], false), ([2], false), ([3], true), ([4], false), ([17], true),
            ([1, 0, 0], false), ([255, 255, 255, 255], true), ([1, 0, 0, 0, 1], false),
        ] as [([UInt8], Bool)])
    func exponent(exponent: [UInt8], isGood: Bool) {
        #expect(isKey(modulus(2_048), exponent) == isGood)
    }
}
