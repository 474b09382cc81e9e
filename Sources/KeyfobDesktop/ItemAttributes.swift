internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

/// The attributes of the items that hold a vault's records.
///
/// They are what `secret-tool search` and Seahorse show, and what Keyfob searches by. One of them, `record`, says what the
/// item is; the others only lead to it: whoever changes one can hide an item, and cannot pass it off as another.
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
    static func kind(_ kind: RecordHeader.Kind) -> String {
        switch kind {
        case .account: "account"
        case .accessToken: "access-token"
        case .refreshToken: "refresh-token"
        case .idToken: "id-token"
        case .appMetadata: "client"
        case .foreign: "foreign"
        case .setting: "setting"
        case .tombstone: "deleted"
        case .clientSecret: "client-secret"
        }
    }

    /// The attributes to search by.
    ///
    /// A field that the subject leaves empty is no condition: a search by attributes can't ask for one that is missing.
    static func search(_ subject: Lookup.Subject) -> [String: String] {
        let attributes: [String: String]
        switch subject {
        case .account(let id): attributes = ["account": id]
        case .credential(let account, let kind, let clientID, let realm):
            attributes = [
                "account": account, "kind": Self.kind(RecordHeader.Kind(kind)), "client": clientID,
                "realm": realm,
            ]
        case .username(let name), .label(let name), .homeAccountID(let name):
            attributes = called(name).merging(["kind": kind(.account)]) { $1 }
        case .client(let id, let environment):
            attributes = ["kind": kind(.appMetadata), "client": id, "environment": environment]
        case .clientSecret(let id, let environment):
            attributes = ["kind": kind(.clientSecret), "client": id, "environment": environment]
        case .setting(let name): attributes = ["kind": kind(.setting), "name": name]
        case .foreign(let section, let key): attributes = ["kind": kind(.foreign), "name": name(section, key)]
        case .tombstone(let key): attributes = ["kind": kind(.tombstone), "name": name(key)]
        }
        return attributes.filter { !$0.value.isEmpty }
    }

    /// Attributes and label of an item for a record with this body, but for `record` and `encoding`, which `ItemParts` adds.
    ///
    /// A new attribute has to be in ``names`` as well: others are taken for another program's.
    ///
    /// - Parameter owner: What the account is called that has the credential, where that is known.
    static func describe(
        _ header: RecordHeader, _ body: FieldList, group: AccessGroup, owner: ItemOwner?
    ) throws(FieldList.Malformed) -> (attributes: [String: String], label: String) {
        var attributes = every(header.vault, header.group)
        attributes["group"] = group.name
        attributes["kind"] = kind(header.kind)
        var what = ""
        let content = try ItemBody.decode(body, header.kind)
        switch content {
        case _ where header.kind == .tombstone:
            attributes["name"] = name(content.key)
            what = "something deleted"
        case .account(let account):
            attributes["account"] = account.id.canonical
            attributes["environment"] = EnvironmentAliases.canonicalName(of: account.id.environment)
            attributes["home-account"] = Identifier.folded(account.id.homeAccountID)
            let owner = ItemOwner(account)
            (attributes["username"], attributes["label"]) = (owner.username, owner.label)
            for name in [account.id.canonical, attributes["home-account"] ?? "", owner.username, owner.label] {
                attributes.merge(called(name)) { $1 }
            }
            what = words([account.username.isEmpty ? "\(account.id)" : account.username, "account"])
        case .credential(let credential):
            attributes["account"] = credential.account.canonical
            attributes["environment"] = EnvironmentAliases.canonicalName(of: credential.account.environment)
            attributes["client"] = credential.clientID
            attributes["realm"] = Identifier.folded(credential.realm)
            (attributes["username"], attributes["label"]) = (owner?.username, owner?.label)
            what = words(credential, owner)
        case .appMetadata(let metadata):
            attributes["client"] = metadata.clientID
            attributes["environment"] = EnvironmentAliases.canonicalName(of: metadata.environment)
            what = "client \(metadata.clientID)"
        case .clientSecret(let clientID, let environment):
            attributes["client"] = clientID
            attributes["environment"] = EnvironmentAliases.canonicalName(of: environment)
            what = "secret of client \(clientID)"
        case .foreign(let section, let key):
            attributes["name"] = name(section, key)
            what = "\(section) of another program's file"
        case .setting(let name, _):
            attributes["name"] = name
            what = "setting \(name)"
        case .tombstone: break
        }
        // D-Bus carries no zero bytes in texts.
        let texts = attributes.mapValues(text).filter { !$0.value.isEmpty }
        return (texts, labelPrefix(text(group.name)) + " " + text(what))
    }

    /// The attributes by which an item for a record with this body is found, whatever its group is called.
    static func filing(_ header: RecordHeader, _ body: FieldList) throws(FieldList.Malformed) -> [String: String] {
        try describe(header, body, group: .default, owner: nil).attributes.filter { $0.key != "group" }
    }

    /// The attributes of an item that are Keyfob's: some services add their own, which nobody may write.
    static func own(_ attributes: [String: String]) -> [String: String] {
        attributes.filter { names.contains($0.key) || $0.key.hasPrefix(calledPrefix) }
    }

    /// The attribute of the items of accounts that a text names, as id, user name or label: no search asks for one of
    /// several attributes, so that each name is an attribute too.
    static func called(_ name: String) -> [String: String] { name.isEmpty ? [:] : [calledPrefix + text(name): "yes"] }

    private static let calledPrefix = "called:"

    /// What a lookup calls an account, as ``called(_:)`` takes it; nil for one of something else.
    static func name(_ lookup: Lookup) -> String? {
        switch lookup.subject {
        case .account(let name), .homeAccountID(let name), .username(let name), .label(let name): name
        default: nil
        }
    }

    private static let names: Set<String> = [
        "xdg:schema", "vault", "aside", "group", "group-id", "kind", "account", "environment", "home-account",
        "username", "label", "client", "realm", "name", "record", "encoding",
    ]

    /// What the label of a group's items begins with.
    static func labelPrefix(_ group: String) -> String {
        group == AccessGroup.default.name ? "Keyfob:" : "Keyfob \(group):"
    }

    /// The same attributes with values that no search asks for: some services keep an attribute that a change leaves out.
    static func nobodys(_ attributes: [String: String]) -> [String: String] {
        own(attributes).filter { !$0.key.hasPrefix("xdg:") }.mapValues { _ in "-" }
    }

    /// The text in a form that D-Bus takes.
    static func text(_ text: String) -> String {
        text.contains("\u{0}")
            ? text.split(separator: "\u{0}", omittingEmptySubsequences: false).joined(separator: "/")
            : text
    }

    /// Whose token it is, from where and for what.
    private static func words(_ credential: Credential, _ owner: ItemOwner?) -> String {
        let name = owner?.username ?? ""
        let what =
            switch credential.kind {
            case .refreshToken: "refresh token"
            case .idToken: "ID token"
            case .accessToken: scopes(credential.scopes)
            }
        return words([name.isEmpty ? "\(credential.account)" : name, credential.realm, what])
    }

    private static func scopes(_ scopes: ScopeSet) -> String {
        let all = scopes.scopes
        guard !all.isEmpty else { return "access token" }
        return all.prefix(scopeLimit).joined(separator: " ") + (all.count > scopeLimit ? " …" : "")
    }

    /// How many scopes a label names.
    private static let scopeLimit = 3

    private static func words(_ parts: [String]) -> String {
        parts.filter { !$0.isEmpty }.joined(separator: " · ")
    }

    private static func name(_ section: String, _ key: String) -> String { section + "/" + key }

    private static func name(_ key: ItemKey) -> String {
        key.kind.rawValue + key.parts.map { ":\($0.utf8.count):\($0)" }.joined()
    }
}
