import KeyfobAge
import KeyfobAgeHybrid
import KeyfobSodium
import Testing

/// Files written with given randomness, so that a change of the format shows.
@Suite("A file written with given randomness")
struct PinnedFileTests {
    private func randomness(recipients: Int) -> AgeRandomness {
        AgeRandomness(
            fileKey: filled(0x46, 16), payloadNonce: [UInt8](repeating: 0x4E, count: 16),
            ephemeralSecrets: filled(0x45, 32 * recipients), salt: [UInt8](repeating: 0x53, count: 16))
    }

    private func filled(_ byte: UInt8, _ count: Int) -> SecretBytes {
        [UInt8](repeating: byte, count: count).withBytes { SecretBytes(copying: $0) }
    }

    @Test("for a recipient is always the same")
    func x25519() throws {
        let recipient = try #require(AgeRecipient(parsing: CraftedFile.recipientText))
        let file = try written(
            [UInt8]("message".utf8),
            AgeEncryptor(recipients: [recipient], encoding: .armored, randomness: randomness(recipients: 1)))
        #expect(String(decoding: file, as: UTF8.self) == Self.x25519File)
    }

    @Test("for a passphrase is always the same")
    func scrypt() throws {
        let file = try written(
            [UInt8]("message".utf8),
            AgeEncryptor(
                passphrase: secret("correct horse"), encoding: .armored, workFactor: 4,
                randomness: randomness(recipients: 0)))
        #expect(String(decoding: file, as: UTF8.self) == Self.scryptFile)
    }

    /// Opened by age 1.1.1 with the identity of ``CraftedFile/identityText``.
    private static let x25519File = """
        -----BEGIN AGE ENCRYPTED FILE-----
        YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBNb2FKVE5LRVdtMjJvbysv
        Qm5kZ1g0RGxwaU9GdjA0UXA1Q3VYOTQyYzJzCjhhb3J5WFlCSjFlZTc3Z0E5VWEx
        WjU0ZlRXYU9veGtGZlhNWTdycXBueEEKLS0tIE1MekRTVTF2TlFVVjUxT2RybjA2
        b3o0Yzh3WmRWdFE1c0plV0JGU1VzcEUKTk5OTk5OTk5OTk5OTk5OTjhnIf9pHppH
        WBoB92tpHRDMA1TvDey1
        -----END AGE ENCRYPTED FILE-----

        """

    /// Opened by age 1.1.1 with the passphrase `correct horse`.
    private static let scryptFile = """
        -----BEGIN AGE ENCRYPTED FILE-----
        YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBVMU5UVTFOVFUxTlRVMU5U
        VTFOVFV3IDQKUGVFWUpSUmVLNXV2VjNMK2VxcVJweVBybldtaXMrNGZ3QUlpeTAx
        Njh0bwotLS0gWWU3WVhDbUJPUlZ5aGluSUhKZDNXbXlFc0U5c0lwYmFFRDNtMkdo
        OER2bwpOTk5OTk5OTk5OTk5OTk5OOGch/2kemkdYGgH3a2kdEMwDVO8N7LU=
        -----END AGE ENCRYPTED FILE-----

        """
}
