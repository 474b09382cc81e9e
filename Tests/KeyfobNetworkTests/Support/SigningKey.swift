internal import Foundation
internal import KeyfobOAuth
internal import KeyfobSodium
internal import KeyfobTestSupport

/// A private key made by openssl, which signs tokens with it: another implementation than the one under test.
final class SigningKey: Sendable {
    let type: String
    /// The members of the public JWK that hold the key.
    let members: [String: String]
    private let folder: ScratchFolder

    private var file: String { folder.path + "/key.pem" }

    static let rsa = Result { try SigningKey("RSA", ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]) }
    static let otherRSA = Result { try SigningKey("RSA", ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]) }
    static let smallRSA = Result { try SigningKey("RSA", ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2040"]) }
    static let p256 = Result { try SigningKey("EC", ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]) }
    static let p384 = Result { try SigningKey("EC", ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]) }
    static let p521 = Result { try SigningKey("EC", ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"]) }
    static let ed25519 = Result { try SigningKey("OKP", ["-algorithm", "ED25519"]) }

    /// The key for an algorithm.
    static func key(for algorithm: String) throws -> SigningKey {
        switch algorithm {
        case "ES256": try p256.get()
        case "ES384": try p384.get()
        case "ES512": try p521.get()
        case "EdDSA", "Ed25519": try ed25519.get()
        default: try rsa.get()
        }
    }

    private init(_ type: String, _ parameters: [String]) throws {
        let folder = try ScratchFolder()
        let file = folder.path + "/key.pem"
        try Program.openssl(["genpkey", "-quiet"] + parameters + ["-out", file])
        let key = try Program.openssl(["pkey", "-in", file, "-pubout", "-outform", "DER"])
        switch type {
        case "RSA":
            let text = String(
                decoding: try Program.openssl(["rsa", "-in", file, "-noout", "-modulus"]), as: UTF8.self)
            let digits = Array(text.split(separator: "=")[1].prefix { $0.isHexDigit })
            let bytes = stride(from: 0, to: digits.count, by: 2).map {
                UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
            }
            members = ["n": Base64.url.text(bytes), "e": "AQAB"]
        case "EC":
            let (name, count) = key.count < 100 ? ("P-256", 32) : key.count < 130 ? ("P-384", 48) : ("P-521", 66)
            let point = Array(key.suffix(2 * count))
            members = [
                "crv": name, "x": Base64.url.text(Array(point[..<count])),
                "y": Base64.url.text(Array(point[count...])),
            ]
        default: members = ["crv": "Ed25519", "x": Base64.url.text(Array(key.suffix(32)))]
        }
        self.type = type
        self.folder = folder
    }

    /// The public key in PEM.
    func publicPEM() throws -> [UInt8] { try Program.openssl(["pkey", "-in", file, "-pubout"]) }

    /// The private key in PEM.
    func privatePEM() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: file))) }

    /// The public key as a JWK.
    func jwk(_ extra: [String: Any] = ["kid": "one", "use": "sig"]) -> [String: Any] {
        extra.merging(members) { given, _ in given }.merging(["kty": type]) { given, _ in given }
    }

    /// A token with this header and good claims.
    func token(_ header: String, algorithm: String, claims: String = SigningKey.claims) throws -> String {
        let signed = Base64.url.text(Array(header.utf8)) + "." + Base64.url.text(Array(claims.utf8))
        return signed + "." + Base64.url.text(try signature(of: Array(signed.utf8), algorithm))
    }

    /// Claims that can be read.
    static let claims = #"{"iss":"https://id.example","sub":"1","aud":"app","exp":2000000000,"iat":1900000000}"#

    private func signature(of bytes: [UInt8], _ algorithm: String) throws -> [UInt8] {
        if type == "OKP" {
            let message = try folder.file(UUID().uuidString, bytes)
            return try Program.openssl(["pkeyutl", "-sign", "-inkey", file, "-rawin", "-in", message])
        }
        var arguments = ["dgst", "-sha\(algorithm.suffix(3))", "-sign", file]
        if algorithm.hasPrefix("PS") {
            arguments += ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"]
        }
        let signature = try Program.openssl(arguments, input: bytes)
        return type == "EC"
            ? Self.joined(signature, count: algorithm == "ES512" ? 66 : (Int(algorithm.suffix(3)) ?? 0) / 8) : signature
    }

    /// Both numbers of an ECDSA signature in DER, side by side (RFC 7518, section 3.4).
    private static func joined(_ der: [UInt8], count: Int) -> [UInt8] {
        var rest = der[(der[1] & 0x80 == 0 ? 2 : 3)...]
        var joined: [UInt8] = []
        for _ in 0..<2 {
            let length = Int(rest[rest.startIndex + 1])
            let number = rest.dropFirst(2).prefix(length).drop { $0 == 0 }
            joined += [UInt8](repeating: 0, count: count - number.count) + number
            rest = rest.dropFirst(2 + length)
        }
        return joined
    }
}

/// A JWKS document.
func keySet(_ keys: [[String: Any]]) throws -> SecretBytes {
    secret(try JSONSerialization.data(withJSONObject: ["keys": keys], options: [.sortedKeys]))
}

/// Bytes as a secret.
func secret(_ bytes: some Sequence<UInt8>) -> SecretBytes {
    Array(bytes).withBytes { SecretBytes(copying: $0) }
}

/// A text as a secret.
func secret(_ text: String) -> SecretBytes { secret(text.utf8) }

/// The text that a secret is.
func text(_ secret: borrowing SecretBytes) -> String {
    secret.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
}
