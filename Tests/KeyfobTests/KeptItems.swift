import KeyfobSecretService
import KeyfobSodium
import KeyfobTestSupport

/// The items that keep the keys of vaults in the keyring of a session, as another program gets hold of them.
struct KeptItems {
    let service: SecretService

    init(in session: SecretServiceSession) throws {
        service = try SecretService.connect(
            SecretServiceAccess(environment: session.environment, mayPrompt: false, deadline: .seconds(60)))
    }

    /// Where they are.
    func paths() throws -> [SecretService.ItemPath] {
        try service.search(["xdg:schema": "io.keyfob.Slot"], in: nil).items
    }

    /// What they are called, in alphabetical order.
    func labels() throws -> [String] {
        try paths().map { try service.label(of: $0) }.sorted()
    }

    /// Deletes all of them.
    func delete() throws {
        for item in try paths() { try service.delete(item) }
    }

    /// Replaces the secret of each.
    func replaceSecrets(with secret: borrowing SecretBytes) throws {
        for item in try paths() { try service.setSecret(of: item, to: secret) }
    }

    /// Puts a copy beside each.
    func double() throws {
        let items = try paths()
        try service.secrets(of: items) { item, result in
            switch consume result {
            case .success(let secret): try add(secret, like: item)
            case .failure(let error): throw error
            }
        }
    }

    /// Puts an item beside the first that has the same attributes, and `secret` in it.
    func addForeign(_ secret: borrowing SecretBytes) throws {
        if let item = try paths().first { try add(secret, like: item) }
    }

    private func add(_ secret: borrowing SecretBytes, like item: SecretService.ItemPath) throws {
        _ = try service.create(
            label: try service.label(of: item), attributes: try service.attributes(of: item), secret: secret,
            in: try service.defaultCollection().path)
    }
}
