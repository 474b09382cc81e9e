internal import KeyfobModel
internal import KeyfobSodium

/// What a token that is a JWT says of itself; nothing for another.
///
/// The signature is not looked at: nothing is granted by it.
struct JWTClaims {
    /// Until when it is valid.
    private(set) var expiry: Timestamp?
    /// Whose it is at its issuer.
    private(set) var subject: String?
    /// What people call whose it is.
    private(set) var username: String?

    init(_ token: borrowing SecretBytes) {
        let payload = token.withBytes { bytes -> SecretBytes? in
            guard let first = bytes.first(of: ".", in: 0..<bytes.byteCount),
                let second = bytes.first(of: ".", in: (first + 1)..<bytes.byteCount)
            else { return nil }
            return Base64.url.decodeSecret(bytes.extracting((first + 1)..<second))
        }
        if let payload { payload.withBytes { read($0) } }
    }

    private mutating func read(_ bytes: RawSpan) {
        guard let tape = try? JSONTape(reading: bytes, limits: JSONLimits(size: 65_536, depth: 16)) else { return }
        func text(_ name: String) -> String? {
            let value = tape.member(name, of: tape.root, in: bytes).flatMap { tape.string(of: $0, in: bytes) }
            return value.flatMap { Identifier.isAcceptable($0) ? $0 : nil }
        }
        expiry = tape.member("exp", of: tape.root, in: bytes).flatMap {
            MSALTime.timestamp(of: $0, on: tape, in: bytes)
        }
        subject = text("sub")
        username = text("email") ?? text("preferred_username") ?? text("upn")
    }
}
