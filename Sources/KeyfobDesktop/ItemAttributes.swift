internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

/// The attributes of the items that hold a vault's records.
///
/// They are what `secret-tool search` and Seahorse show, and what Keyfob searches by. One of them, `record`, says what the
/// item is; the others only lead to it: whoever changes one can hide an item, and cannot pass it off as another.
enum ItemAttributes {
    /// The schema of the item with the vault's header.
    static let header = "io.keyfob.Vault"
    /// Of what a repair has put aside.
    static let aside = "io.keyfob.Aside"
    /// Of what the service wanted to ask about before it removed it, and nobody could be asked.
    static let emptied = "io.keyfob.Emptied"
    /// Of all records, in earlier versions, which had the kind in an attribute of its own.
    private static let earlier = "io.keyfob.Credential"

    /// The attributes of the item with a vault's header.
    static func header(of vault: VaultID) -> [String: String] {
        ["xdg:schema": header, "vault": "\(vault)"]
    }

    /// The attributes that every record of a vault has.
    static func every(_ vault: VaultID) -> [String: String] { ["keyfob": "\(vault)"] }

    /// The attributes that every record of a kind has.
    static func every(_ vault: VaultID, _ kind: RecordHeader.Kind) -> [String: String] {
        every(vault).merging(["xdg:schema": schema(kind)]) { $1 }
    }

    /// The attributes that every record had in earlier versions.
    static func everyEarlier(_ vault: VaultID) -> [String: String] {
        ["xdg:schema": earlier, "vault": "\(vault)"]
    }

    /// Whether an item with these attributes is a record of a vault.
    static func isRecord(_ attributes: [String: String], of vault: VaultID) -> Bool {
        [every(vault), everyEarlier(vault)].contains { wanted in
            wanted.allSatisfy { attributes[$0.key] == $0.value }
        }
    }

    /// The schema of the items of records of this kind.
    static func schema(_ kind: RecordHeader.Kind) -> String { "io.keyfob." + name(kind) }

    /// What an item is that does not open, and whose, as far as its attributes say: whoever wrote them.
    static func unopened(_ attributes: [String: String], _ item: String) -> RecordLoss {
        let kind = RecordHeader.Kind.allCases.first { schema($0) == attributes["xdg:schema"] }
        return RecordLoss(
            .unopened, kind.map { RecordLoss.Kind($0) }, account: attributes["account"].flatMap { AccountID($0) },
            clientID: attributes["client"].flatMap { Identifier.isAcceptable($0) ? $0 : nil }, file: item)
    }

    /// The attributes of an item that is put aside: nobody searches by them, and `of` says whose it was.
    static func putAside(_ attributes: [String: String], of vault: VaultID, _ why: String) -> [String: String] {
        var aside = nobodys(attributes)
        (aside["xdg:schema"], aside["aside"], aside["kind"]) = (Self.aside, "\(vault)", why)
        aside["of"] = attributes["account"]
        return aside
    }

    private static func name(_ kind: RecordHeader.Kind) -> String {
        switch kind {
        case .account: "Account"
        case .accessToken: "AccessToken"
        case .refreshToken: "RefreshToken"
        case .idToken: "IDToken"
        case .appMetadata: "Client"
        case .foreign: "Foreign"
        case .setting: "Setting"
        case .tombstone: "Deleted"
        case .clientSecret: "ClientSecret"
        case .journal: "Undo"
        }
    }

    /// Whether an item says that it is of this kind; one of an earlier version may be.
    static func isOf(_ kind: RecordHeader.Kind, _ attributes: [String: String]) -> Bool {
        [schema(kind), earlier].contains(attributes["xdg:schema"])
    }

    /// Whether an item may be that of an account, or of a token that tells of one: those have no client.
    static func mayTell(_ attributes: [String: String]) -> Bool {
        !isOf(.accessToken, attributes) || attributes["client"] == nil
    }

    /// The attributes to search by, besides the vault's.
    ///
    /// The items of an account are looked through for all that concerns it.
    static func search(_ subject: Lookup.Subject) -> [String: String] {
        switch subject {
        case .account(let id), .credential(let id, _, _, _): ["account": id]
        case .username(let name), .label(let name), .homeAccountID(let name): called(name)
        case .client(let id, let environment):
            ["xdg:schema": schema(.appMetadata), "client": id, "environment": environment]
        case .clientSecret(let id, let environment):
            ["xdg:schema": schema(.clientSecret), "client": id, "environment": environment]
        case .setting(let name): ["xdg:schema": schema(.setting), "name": name]
        case .foreign(let section, let key): ["xdg:schema": schema(.foreign), "name": name(section, key)]
        case .tombstone(let key): ["xdg:schema": schema(.tombstone), "name": name(key)]
        }
    }

    /// Attributes and label of an item for a record with this body, but for `record` and `encoding`, which `ItemParts` adds.
    ///
    /// A new attribute has to be in ``names`` as well: others are taken for another program's.
    ///
    /// - Parameter owner: What the account is called that has the credential, where that is known.
    static func describe(
        _ header: RecordHeader, _ body: FieldList, group: AccessGroup, owner: ItemOwner?
    ) throws(FieldList.Malformed) -> (attributes: [String: String], label: String) {
        var attributes = every(header.vault, header.kind)
        if group != .default { attributes["group"] = group.name }
        if header.kind == .journal {
            let what = "kept for an undo: \(try JournalBody.decode(body).content.key)"
            return (attributes.mapValues(text), labelPrefix(text(group.name)) + " " + text(what))
        }
        var what = ""
        let content = try ItemBody.decode(body, header.kind)
        switch content {
        case _ where header.kind == .tombstone:
            attributes["name"] = name(content.key)
            what = "something deleted"
        case .account(let account):
            attributes["account"] = account.id.canonical
            let owner = ItemOwner(account)
            (attributes["username"], attributes["label"]) = (owner.username, owner.label)
            attributes.merge(called(account)) { $1 }
            what = words([account.username.isEmpty ? "\(account.id)" : account.username, "account"])
        case .credential(let credential):
            attributes["account"] = credential.account.canonical
            attributes["client"] = credential.clientID == Credential.noClient ? nil : credential.clientID
            attributes["realm"] = Identifier.folded(credential.realm)
            if let account = credential.toldAccount { attributes.merge(called(account)) { $1 } }
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

    /// The attributes that have a value: without one, an attribute counts as not there.
    static func told(_ attributes: [String: String]) -> [String: String] { attributes.filter { !$0.value.isEmpty } }

    /// The attribute of the items of accounts that a text names, as user name, label or id at home, and of tokens that tell
    /// of such an account: no search asks for one of several attributes, so that each name is one.
    static func called(_ name: String) -> [String: String] { name.isEmpty ? [:] : [calledPrefix + text(name): "yes"] }

    /// The attributes for all of an account's names but its id, by which it is found anyway.
    private static func called(_ account: Account) -> [String: String] {
        [account.id.homeAccountID, account.username, account.label ?? ""].map(Identifier.foldedName)
            .filter { $0 != account.id.canonical }
            .reduce(into: [:]) { $0.merge(called($1)) { $1 } }
    }

    private static let calledPrefix = "called:"

    // Some are only in items of earlier versions.
    private static let names: Set<String> = [
        "xdg:schema", "keyfob", "vault", "aside", "group", "group-id", "kind", "account", "environment", "home-account",
        "username", "label", "client", "realm", "name", "record", "encoding", "of",
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
