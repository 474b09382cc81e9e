internal import Keyfob

/// `Schemas/sign-out.schema.json`.
struct SignOutDocument: JSONDocument {
    let formatVersion = 1
    let account: String
    let group: String
    let clients: [String]
    let revoked: Int
    let notes: [String]
    let tokens: [Token]
    let revocationPage: String?
    let undo: Undo?
    let endSessionURL: String?

    /// A token that went, and whether the provider still takes it.
    struct Token: Encodable {
        let kind: String
        let clientID: String?
        let scopes: [String]
        let expiresOn: String?
        let fate: String
    }

    /// How what went comes back.
    struct Undo: Encodable {
        let id: String
        let until: String
        let displaced: Int
        let end: Timestamp

        enum CodingKeys: CodingKey { case id, until, displaced }

        init(_ offer: UndoOffer) {
            (id, displaced, end) = (offer.id, offer.displaced, offer.until)
            until = end.rfc3339
        }
    }

    init(_ report: SignOutReport, _ group: AccessGroup) {
        account = report.account.id.description
        self.group = group.name
        clients = report.clients
        revoked = report.revoked
        notes = report.notes.map(\.text)
        tokens = report.tokens.map {
            Token(
                kind: $0.kind.rawValue, clientID: $0.clientID, scopes: $0.scopes.scopes,
                expiresOn: $0.expiresOn.map(\.rfc3339), fate: $0.fate.rawValue)
        }
        revocationPage = report.revocationPage
        undo = report.undo.map(Undo.init)
        endSessionURL = report.endSessionURL
    }
}

/// `Schemas/sign-out-all.schema.json`.
struct SignOutAllDocument: JSONDocument {
    let formatVersion = 1
    let accounts: [SignOutDocument]
    let failures: [Failure]

    /// An account that was not signed out, and why.
    struct Failure: Encodable {
        let account: String
        let group: String
        let code: String
        let message: String
        let hint: String?

        init(_ candidate: Candidate, _ error: KeyringError) {
            account = candidate.account.id.description
            group = candidate.group.name
            (code, message, hint) = (error.code.rawValue, error.message, error.hint)
        }
    }
}
