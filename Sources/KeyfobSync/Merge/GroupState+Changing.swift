package import KeyfobModel

// What a device does to its own items, so that a merge understands it.

extension GroupState {
    /// Deletes an account and its tokens and signs its grants out; each keeps its epoch.
    package mutating func deleteAccount(_ id: AccountID, _ version: Version) {
        items[.account(id), default: FieldItem()].delete(version)
        for key in items.keys where key.kind != .account && key.account == id.canonical {
            items[key]?.delete(version)
        }
        for key in grants.keys where key.account == id.canonical { signOut(key, version) }
    }

    /// Deletes an item; a grant is signed out instead.
    package mutating func delete(_ key: ItemKey, _ version: Version) {
        if key.kind == .grant { return signOut(key, version) }
        items[key, default: FieldItem()].delete(version)
    }

    /// Signs a grant out, if there is one that is not.
    package mutating func signOut(_ key: ItemKey, _ version: Version) {
        guard let grant = grants[key], grant.grant.state != .signedOut else { return }
        grants[key] = grant.signedOut(version)
    }

    /// Writes the label of an account; nil takes it away.
    package mutating func setLabel(_ label: String?, of id: AccountID, _ version: Version) {
        items[.account(id), default: FieldItem()].set(.label, Register(label.map(FieldValue.text), version))
        accountIDs[.account(id)] = accountIDs[.account(id)] ?? id
    }

    /// Writes a setting; nil takes it away.
    package mutating func set(_ name: String, to value: String?, _ version: Version) {
        items[.setting(name), default: FieldItem()].set(.content, Register(value.map(FieldValue.text), version))
    }
}
