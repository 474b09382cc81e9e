internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

/// The attributes of the items that hold a vault's records.
///
/// They are what `secret-tool search` and Seahorse show, and what Keyfob searches by. What is in the item counts: an
/// attribute that was changed behind Keyfob's back can hide an item, and can give none for another.
enum ItemAttributes {
    /// The schema of the items with records, and of the one with the vault's header.
    static let record = "io.keyfob.Credential"
    static let header = "io.keyfob.Vault"

    /// The attributes of the item with a vault's header.
    static func header(of vault: VaultID) -> [String: String] {
        ["xdg:schema": header, "vault": "\(vault)"]
    }

    /// The attributes that every record of a vault has.
    static func every(_ vault: VaultID) -> [String: String] {
        ["xdg:schema": record, "vault": "\(vault)"]
    }

    /// The attributes that every record of a group has.
    static func every(_ vault: VaultID, _ group: GroupID) -> [String: String] {
        every(vault).merging(["group-id": "\(group)"]) { $1 }
    }

    /// What items of records of this kind say of it.
    static func kind(_ kind: RecordHeader.Kind, isTombstone: Bool) -> String {
        switch kind {
        case .account: "account"
        case .accessToken: "access-token"
        case .refreshToken: "refresh-token"
        case .idToken: "id-token"
        case .appMetadata: "client"
        case .foreign: "foreign"
        case .setting: isTombstone ? "deleted" : "setting"
        }
    }

    /// The attributes to search by; an empty text stands for no attribute, which every item lacks or has.
    static func search(_ subject: Lookup.Subject) -> [String: String] {
        let attributes: [String: String]
        switch subject {
        case .account(let id): attributes = ["account": id]
        case .credential(let account, let kind, let clientID, let realm):
            attributes = [
                "account": account, "kind": Self.kind(kind.record, isTombstone: false), "client": clientID,
                "realm": realm,
            ]
        case .username(let name): attributes = ["kind": "account", "username": name]
        case .label(let text): attributes = ["kind": "account", "label": text]
        case .homeAccountID(let id): attributes = ["kind": "account", "home-account": id]
        case .client(let id, let environment): attributes = ["client": id, "environment": environment]
        case .setting(let name): attributes = ["name": name]
        }
        return attributes.filter { !$0.value.isEmpty }
    }

    /// Attributes and label of an item for a record with this body.
    static func describe(
        _ header: RecordHeader, _ body: FieldList, group: AccessGroup
    ) throws(FieldList.Malformed) -> (attributes: [String: String], label: String) {
        let isTombstone = header.kind == .setting && header.flags & TombstoneBody.flag != 0
        var attributes = every(header.vault, header.group)
        attributes["group"] = group.name
        attributes["kind"] = kind(header.kind, isTombstone: isTombstone)
        var what = ""
        switch header.kind {
        case .account:
            let account = try AccountBody.decode(body)
            attributes["account"] = account.id.canonical
            attributes["environment"] = EnvironmentAliases.canonicalName(of: account.id.environment)
            attributes["home-account"] = Identifier.folded(account.id.homeAccountID)
            attributes["username"] = Identifier.folded(account.username)
            attributes["label"] = account.label.map(Identifier.folded)
            what = "account \(account.name)"
        case .accessToken, .refreshToken, .idToken:
            let (kind, words) = credentialKind(header.kind)
            let credential = try CredentialBody.decode(body, kind: kind)
            attributes["account"] = credential.account.canonical
            attributes["environment"] = EnvironmentAliases.canonicalName(of: credential.account.environment)
            attributes["client"] = credential.clientID
            attributes["realm"] = Identifier.folded(credential.realm)
            what = "\(words) of \(credential.account)" + (credential.clientID.isEmpty ? "" : ", \(credential.clientID)")
        case .appMetadata:
            let metadata = try AppMetadataBody.decode(body)
            attributes["client"] = metadata.clientID
            attributes["environment"] = EnvironmentAliases.canonicalName(of: metadata.environment)
            what = "client \(metadata.clientID)"
        case .foreign:
            let (section, key) = try NamedValueBody.decode(body)
            attributes["name"] = "foreign\u{0}" + section + "\u{0}" + key
            what = "\(section) of another program's file"
        case .setting where isTombstone:
            attributes["name"] = TombstoneBody.name(of: try TombstoneBody.decode(body).key)
            what = "something deleted"
        case .setting:
            let name = try NamedValueBody.decode(body).first
            attributes["name"] = name
            what = "setting \(name)"
        }
        // D-Bus carries no zero bytes in texts.
        let texts = attributes.mapValues(text).filter { !$0.value.isEmpty }
        return (texts, labelPrefix(text(group.name)) + " " + text(what))
    }

    /// What the label of a group's items begins with.
    static func labelPrefix(_ group: String) -> String { "Keyfob \(group):" }

    /// The same attributes with values by which nobody looks for an item; a service may keep those that are left out.
    static func nobodys(_ attributes: [String: String]) -> [String: String] {
        attributes.filter { !$0.key.hasPrefix("xdg:") }.mapValues { _ in "-" }
    }

    /// The text in a form that D-Bus takes.
    static func text(_ text: String) -> String {
        text.contains("\u{0}")
            ? text.split(separator: "\u{0}", omittingEmptySubsequences: false).joined(separator: "/")
            : text
    }

    private static func credentialKind(_ kind: RecordHeader.Kind) -> (Credential.Kind, String) {
        switch kind {
        case .refreshToken: (.refreshToken, "refresh token")
        case .idToken: (.idToken, "ID token")
        default: (.accessToken, "access token")
        }
    }
}
