import Foundation
import Keyfob
import KeyfobTestSupport

/// A folder for vaults beside a session of its own that has a Secret Service.
struct SecretServiceHome {
    let session: SecretServiceSession
    let folder: ScratchFolder
    let location: KeyringLocation

    init(_ service: SecretServiceSession.Service = .keyring) throws {
        session = try SecretServiceSession(service)
        folder = try ScratchFolder()
        location = KeyringLocation(vault: folder.path + "/vault", state: folder.path + "/state")
    }

    /// How to reach the service; nobody is asked.
    var options: SecretServiceOptions {
        SecretServiceOptions(environment: session.environment, deadline: .seconds(60))
    }

    /// The same where somebody may be asked.
    var asking: SecretServiceOptions {
        SecretServiceOptions(environment: session.environment, mayPrompt: true, deadline: .seconds(60))
    }

    /// A vault beside the first.
    func location(_ name: String) -> KeyringLocation {
        KeyringLocation(vault: folder.path + "/" + name, state: location.state)
    }

    /// Makes the vault, with the service alone.
    @discardableResult
    func create() throws -> Keyring { try Keyring.create(at: location, slot: .secretService(options)).keyring }

    /// Makes the vault, with key file 1 and the service.
    @discardableResult
    func createWithKeyFile() throws -> Keyring {
        try Keyring.create(at: location, slot: .keyFile(keyFile(1)), secretService: options).keyring
    }

    /// Opens the vault by the service.
    func opened() throws -> Keyring { try LockedKeyring(at: location).unlock(with: .secretService(options)) }

    /// Why the service does not open the vault; nil when it does.
    func refusal(_ options: SecretServiceOptions? = nil) -> KeyringError? {
        failure(of: KeyringError.self) {
            _ = try LockedKeyring(at: location).unlock(with: .secretService(options ?? self.options))
        }
    }

    /// What the service has for the vault.
    func items(_ options: SecretServiceOptions? = nil) throws -> [SecretServiceItem] {
        try LockedKeyring(at: location).secretServiceItems(options ?? self.options)
    }

    /// The items of all vaults, as another program gets hold of them.
    func kept() throws -> KeptItems { try KeptItems(in: session) }
}
