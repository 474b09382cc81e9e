import ArgumentParser
import Glibc
import Keyfob

/// A folder with a vault of sample accounts and the cache it was made from.
struct SampleVault {
    let folder: String

    var cache: String { folder + "/msal_token_cache.json" }
    var keyFile: String { folder + "/key" }
    var location: KeyringLocation { KeyringLocation(vault: folder + "/vault", state: folder + "/state") }

    /// The content of the key file.
    func key() throws -> SecretBytes { try Self.secret(keyFile) }

    /// Opens and unlocks the vault.
    func open() throws -> Keyring {
        try LockedKeyring(at: location).unlock(with: .keyFile(try key()))
    }

    /// What the benchmark asks for: the access token that the account numbered `number` has in its home tenant.
    static func request(_ number: Int) -> TokenRequest {
        let digits = String(number)
        let name = "person" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
        return TokenRequest(account: name + "@contoso.example", scopes: ["https://graph.microsoft.com/.default"])
    }

    /// A file as a secret.
    static func secret(_ path: String) throws -> SecretBytes {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ValidationError("\(path) cannot be opened: error \(errno)") }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        guard count == bytes.count else { throw ValidationError("\(path) cannot be read") }
        return unsafe SecretBytes(copying: bytes.span.bytes)
    }
}
