/// What names an item within its group: its kind, and the parts of its identity in the one spelling in which they
/// are compared.
///
/// Two keys are equal when their bytes are; texts that Unicode calls equivalent are not the same key.
package struct ItemKey: Sendable {
    /// What it names.
    package let kind: ItemKind
    /// The identity, as the constructors list it.
    package let parts: [String]
    /// Kind and parts with their lengths: what is compared.
    package let encoded: [UInt8]
    /// What dictionaries ask for again and again.
    private let hash: Int

    /// The key with these parts.
    package init(_ kind: ItemKind, _ parts: [String]) {
        var bytes = CanonicalBytes(capacity: parts.reduce(32) { $0 + 8 + $1.utf8.count })
        bytes.append(kind.rawValue)
        for part in parts { bytes.append(part) }
        self.kind = kind
        self.parts = parts
        self.encoded = bytes.bytes
        var hasher = Hasher()
        for part in parts { hasher.combine(part) }
        hash = hasher.finalize()
    }

    /// The key of an account: its canonical id.
    package static func account(_ id: AccountID) -> ItemKey {
        ItemKey(.account, [id.canonical])
    }

    /// The key of a credential.
    ///
    /// Of a grant: account, client, family and partition. Of an ID token: account, client, realm and partition. Of
    /// an access token also its scopes, type and key. Realms, scopes and types are folded.
    package init(_ credential: Credential) {
        let partition = CanonicalBytes.text(of: credential.partition)
        let start = [credential.account.canonical, credential.clientID]
        switch credential.kind {
        case .refreshToken: self.init(.grant, start + [credential.familyID.map { "=" + $0 } ?? "", partition])
        case .idToken: self.init(.idToken, start + [Identifier.folded(credential.realm), partition])
        case .accessToken:
            let scopes = credential.scopes.scopes.map(Identifier.folded).sorted {
                $0.utf8.lexicographicallyPrecedes($1.utf8)
            }
            self.init(
                .accessToken,
                start + [
                    Identifier.folded(credential.realm), scopes.joined(separator: " "), credential.effectiveTokenType,
                    credential.keyID.map { "=" + $0 } ?? "", partition,
                ])
        }
    }

    /// The key of what is known of a client: client and environment.
    package static func appMetadata(clientID: String, environment: String) -> ItemKey {
        ItemKey(.appMetadata, [clientID, EnvironmentAliases.canonicalName(of: environment)])
    }

    /// The key of a client's secret: client and environment.
    package static func clientSecret(clientID: String, environment: String) -> ItemKey {
        ItemKey(.clientSecret, [clientID, EnvironmentAliases.canonicalName(of: environment)])
    }

    /// The key of a setting: its name.
    package static func setting(_ name: String) -> ItemKey {
        ItemKey(.setting, [name])
    }

    /// The key of a foreign entity: section and key.
    package static func foreign(section: String, key: String) -> ItemKey {
        ItemKey(.foreign, [section, key])
    }

    /// The canonical id of the account that the item is or belongs to; nil for other kinds.
    package var account: String? {
        switch kind {
        case .account, .grant, .idToken, .accessToken: parts.first
        case .appMetadata, .clientSecret, .setting, .foreign: nil
        }
    }

    /// The parts that people may see.
    package var namingParts: ArraySlice<String> {
        switch kind {
        case .foreign: parts.prefix(1)
        case .account, .grant, .idToken, .accessToken, .appMetadata, .clientSecret, .setting: parts.prefix(2)
        }
    }

    /// How many parts a key of a kind has.
    package static func partCount(of kind: ItemKind) -> Int {
        switch kind {
        case .account, .setting: 1
        case .appMetadata, .clientSecret, .foreign: 2
        case .grant, .idToken: 4
        case .accessToken: 7
        }
    }
}

extension ItemKey: Hashable, Comparable, CustomStringConvertible {
    /// Whether both name the same item.
    package static func == (left: ItemKey, right: ItemKey) -> Bool {
        left.hash == right.hash && left.encoded == right.encoded
    }

    /// Hashes what the bytes are made of.
    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// Orders by kind, then by the bytes.
    package static func < (left: ItemKey, right: ItemKey) -> Bool {
        left.kind == right.kind ? left.encoded.lexicographicallyPrecedes(right.encoded) : left.kind < right.kind
    }

    /// What people may read; a foreign entity's key may name a person and is left out.
    package var description: String {
        func part(_ index: Int) -> String { index < parts.count ? parts[index] : "" }
        switch kind {
        case .account: return "account \(part(0))"
        case .grant: return "sign-in of \(part(0)) with client \(part(1))"
        case .idToken: return "ID token of \(part(0)) with client \(part(1))"
        case .accessToken: return "access token of \(part(0)) with client \(part(1))"
        case .appMetadata: return "client \(part(0)) at \(part(1))"
        case .clientSecret: return "secret of client \(part(0)) at \(part(1))"
        case .setting: return SettingWords.of(part(0))
        case .foreign: return part(0).isEmpty ? "an unknown entry" : "an unknown entry in \(part(0))"
        }
    }
}

/// An item in a group.
package struct ItemPlace: Hashable, Comparable, Sendable {
    /// The group.
    package let group: AccessGroup
    /// The item.
    package let key: ItemKey

    /// A place.
    package init(_ group: AccessGroup, _ key: ItemKey) {
        self.group = group
        self.key = key
    }

    /// Orders by group, then by key.
    package static func < (left: ItemPlace, right: ItemPlace) -> Bool {
        left.group == right.group ? left.key < right.key : left.group < right.group
    }
}
