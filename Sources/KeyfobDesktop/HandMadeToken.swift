package import KeyfobModel
internal import KeyfobRecords
package import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

/// An access token that somebody has put into the Secret Service by hand: an item with the documented attributes that is no
/// vault's.
///
/// An item of Keyfob's becomes one where another program stores its own in the place of it, as `secret-tool store` does with
/// what it finds by the same attributes: then what Keyfob knew of the token is gone, and the token is still the account's.
///
/// Whoever can write into the keyring can make one. So it gives a token for the account that it names, as `keyfob add` would,
/// and nothing else: neither a name or a label, nor a client, a tenant or a way to renew it.
package struct HandMadeToken: Sendable {
    /// The item.
    package let item: SecretService.ItemPath
    /// Whose it is.
    package let account: AccountID
    /// The group that it is for.
    package let group: AccessGroup
    /// What it is for, as far as its maker has said so.
    package let scopes: ScopeSet
    /// When it ends; nil where nobody has said so.
    package let expiresOn: Timestamp?
    private let modified: UInt64

    /// The token that these attributes tell of; nil where they tell of none, or of something else.
    init?(_ item: SecretService.ItemPath, _ details: SecretService.Details) {
        let attributes = ItemAttributes.told(details.attributes)
        guard Self.isCandidate(attributes), let account = attributes["account"].flatMap(AccountID.init),
            // By that it is searched for.
            attributes["account"] == account.canonical,
            let group = try? attributes["group"].map(AccessGroup.init) ?? .default
        else { return nil }
        if let text = attributes["expires"] {
            guard let date = CivilDate(rfc3339: text) else { return nil }
            expiresOn = date.time
        } else {
            expiresOn = nil
        }
        self.item = item
        self.account = account
        self.group = group
        scopes = ScopeSet(spaceSeparated: attributes["scope"] ?? "")
        modified = details.modified ?? 0
    }

    /// Whether attributes may be such a token's: Keyfob gives all of its items a vault.
    static func isCandidate(_ attributes: [String: String]) -> Bool {
        search().allSatisfy { attributes[$0.key] == $0.value } && attributes["keyfob"] == nil
            && attributes["vault"] == nil && attributes["record"] == nil && (attributes["by"] ?? "hand") == "hand"
    }

    /// What to search such tokens by, which leads to Keyfob's own tokens too.
    static func search(_ account: String? = nil) -> [String: String] {
        var attributes = ["xdg:schema": ItemAttributes.schema(.accessToken)]
        attributes["account"] = account
        return attributes
    }

    /// The same for those alone that say that they were made by hand, which nothing of Keyfob's does.
    static func marked(_ account: String? = nil) -> [String: String] { search(account).merging(["by": "hand"]) { $1 } }

    /// The attributes of such a token for a group of this name; without those that a service adds of its own, which nobody may
    /// write.
    static func renamed(_ attributes: [String: String], _ group: AccessGroup) -> [String: String] {
        attributes.filter { !["Uuid", "Path"].contains($0.key) }.merging(["group": group.name]) { $1 }
    }
}

extension HandMadeToken {
    /// What is wrong with the text in an item; nil where that is nothing.
    static func fault(of text: borrowing SecretBytes) -> HandMadeTokenFault? {
        if ItemSecret.isEmptied(text) { return .empty }
        let secret = ItemSecret.secret(in: text, as: .plain)
        switch secret {
        case .some(let secret): return secret.isHeaderValue ? nil : .controlCharacters
        case nil: return .empty
        }
    }

    /// The token as a record of the group: it never leaves this device.
    func opened(_ keys: GroupKeys) throws -> OpenedItem {
        let content = ItemContent.credential(
            Credential(
                kind: .accessToken, account: account, clientID: Credential.noClient, scopes: scopes,
                expiresOn: expiresOn))
        let (kind, body) = ItemBody.encode(content)
        guard let record = RecordID(BLAKE2b.hash(Array("\(keys.group) \(item.path)".utf8), count: 16)) else {
            throw OpenedItem.damaged(item)
        }
        var header = RecordHeader(
            vault: keys.vault, group: keys.group, epoch: keys.epoch, record: record, kind: kind,
            stamp: Stamp(milliseconds: Int64(clamping: modified) * 1_000, after: nil), device: 0,
            index: try body.index(kind: kind, keys: keys))
        header.isThisDeviceOnly = true
        let sealed = try keys.seal(header, attributes: body)
        return OpenedItem(
            header: header, attributes: sealed.attributes, commitment: StoredRecord.madeByHand, secret: nil)
    }
}
