import Foundation
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

    /// A file of up to a gigabyte as a secret.
    static func secret(_ path: String) throws -> SecretBytes {
        let bytes = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        return SecretBytes(copying: bytes.bytes)
    }
}
