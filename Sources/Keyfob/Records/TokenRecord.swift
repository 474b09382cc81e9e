package import KeyfobModel

/// What doors show of a token besides its secret.
package enum TokenRecord {
    /// The fields, by one name at every door.
    package static let fields: [Record.Field<Keyring.FoundToken>] = [
        .text("tokenType") { $0.credential.shownTokenType },
        .time("expiresOn") { $0.credential.expiresOn },
        .texts("scopes") { $0.credential.scopes.scopes },
        .text("account", "the account's id") { $0.account.id.description },
        .text("username") { $0.account.username },
        .text("group") { $0.group.name },
        .text("clientID") { $0.credential.clientID },
        .optional("tenant") { $0.credential.realm.isEmpty ? nil : $0.credential.realm },
        .text("source", "stored, extended (past its end, while the provider is down) or provider") {
            $0.origin.rawValue
        },
    ]
}

extension Record {
    /// What is shown of a token.
    package init(_ found: Keyring.FoundToken) { self.init(found, TokenRecord.fields) }
}

extension Credential {
    /// The type of an access token as it was stored, `Bearer` where none is.
    package var shownTokenType: String { tokenType ?? "Bearer" }
}
