internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

/// What an item of a record consists of.
struct ItemParts: ~Copyable {
    let attributes: [String: String]
    let label: String
    /// The secret as it is written.
    let secret: SecretBytes

    /// - Parameter owner: What the account is called to which the record belongs, where that is known.
    init(_ record: SealedRecord, _ keys: GroupKeys, group: AccessGroup, owner: ItemOwner?) throws {
        let body = try keys.openAttributes(record.header, record.attributes)
        var (attributes, label) = try ItemAttributes.describe(record.header, body, group: group, owner: owner)
        let parts = try OpenRecord.encode(record, keys)
        attributes["record"] = Base64.url.text(parts.rest)
        switch parts.secret {
        case .some(let secret):
            let encoding = ItemSecret.encoding(of: secret)
            if encoding != .plain { attributes["encoding"] = encoding.rawValue }
            self.secret = ItemSecret.text(of: secret, encoding)
        case .none:
            self.secret = ItemSecret.ofNothing()
        }
        self.attributes = attributes
        self.label = label
    }
}

/// What an account is called, as the items of its tokens tell it too.
struct ItemOwner: Equatable {
    /// Folded to lower case; empty where there is none, and where the account's id says it.
    let username: String
    let label: String

    init(_ account: Account) {
        username = account.isKnownByName ? "" : Identifier.foldedName(account.username)
        label = account.label.map(Identifier.foldedName) ?? ""
    }

    /// As the record of an account has it.
    ///
    /// - Throws: as ``StoredRecord/decode(_:_:)``.
    init(_ record: StoredRecord, _ keys: GroupKeys) throws {
        self.init(try record.decode(keys, AccountBody.decode))
    }

    /// As the attributes of an item have it.
    init(_ attributes: [String: String]) {
        username = attributes["username"] ?? ""
        label = attributes["label"] ?? ""
    }
}
