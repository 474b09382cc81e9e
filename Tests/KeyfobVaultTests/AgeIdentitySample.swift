import KeyfobAge
import KeyfobAgeHybrid
import KeyfobSodium
import KeyfobTestSupport

/// Identities that are the same each time.
enum AgeIdentitySample {
    static func one() -> AgeIdentity { identity(0x11) }
    static func another() -> AgeIdentity { identity(0x22) }

    static func hybrid() -> AgeIdentity {
        guard let identity = AgeIdentity(seed: keyFile(0x33), hybrid: .swiftCrypto) else {
            preconditionFailure("a seed has 32 bytes")
        }
        return identity
    }

    /// An identity file that holds one identity.
    static func file(_ identity: borrowing AgeIdentity) throws -> AgeIdentityFile {
        try identity.text().withBytes { try AgeIdentityFile(parsing: $0) }
    }

    private static func identity(_ byte: UInt8) -> AgeIdentity {
        guard let identity = AgeIdentity(secret: keyFile(byte)) else { preconditionFailure("a scalar has 32 bytes") }
        return identity
    }
}
