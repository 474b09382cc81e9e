package import KeyfobFiles
package import KeyfobModel
internal import KeyfobSodium
package import KeyfobVault

/// Whose an entry is that Keyfob keeps as it is.
struct ForeignOwner {
    /// The account.
    let account: AccountID
    /// The client, where one is named.
    let clientID: String?
    /// The family of clients, where one is named.
    let familyID: String?

    /// Reads an entry; nil where it names no account.
    init?(reading bytes: RawSpan) {
        guard let tape = try? JSONTape(reading: bytes) else { return nil }
        func text(_ name: String) -> String? {
            tape.member(name, of: tape.root, in: bytes).flatMap { tape.string(of: $0, in: bytes) }
        }
        guard
            let account = AccountID(
                homeAccountID: text("home_account_id") ?? "", environment: text("environment") ?? "")
        else { return nil }
        self.account = account
        clientID = text("client_id")
        familyID = text("family_id")
    }
}

extension VaultReading {
    /// The clients of the entries about an account that another program's file held.
    package func foreignClients(of account: AccountID, in keys: GroupKeys) throws(StorageFailure) -> Set<String> {
        var clients: Set<String> = []
        for item in try foreignEntities(in: keys).items {
            let owner = try secret(of: item.record, in: keys).withBytes { ForeignOwner(reading: $0) }
            if let owner, owner.account == account, let client = owner.clientID { clients.insert(client) }
        }
        return clients
    }
}
