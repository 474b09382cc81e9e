internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobVault

// What an audit of a group needs of its keys. Where the audit lies, and what is in it, is not the keyring's business.

extension Keyring.Programs {
    /// What names a group's audit, whatever the group is called: the ids of the vault and the group, hexadecimal digits.
    package func auditName(of group: AccessGroup) throws(KeyringError) -> (vault: String, group: String) {
        try withState { state in
            let keys = try state.group(group).keys
            return (keys.vault.description, keys.group.description)
        }
    }

    /// What shows that somebody with the group's key has written this, BLAKE2b, 32 bytes, and by which key: 16 hexadecimal digits.
    ///
    /// - Parameter key: The key; nil for the one of now.
    /// - Returns: Nil where that key is not at hand any more.
    /// - Throws: `groupNotGranted`, `noSuchGroup`.
    package func auditCode(
        of content: [UInt8], in group: AccessGroup, by key: String? = nil
    ) throws(KeyringError) -> (code: [UInt8], key: String)? {
        try withState { state in
            let keys = try state.group(group).keys
            let own = Hexadecimal.text(keys.auditCode(of: []).prefix(8))
            guard key ?? own == own else { return nil }
            return (keys.auditCode(of: content), own)
        }
    }

    /// How far each part of a group's audit has come, as somebody with the group's key noted last, by the names of the parts.
    package func auditHeads(of group: AccessGroup) throws(KeyringError) -> [String: String] {
        try withState { state in
            let found = try database.settings(prefixes: [Self.auditHeadSetting], in: state.group(group).keys)
            return Dictionary(
                found.items.compactMap { item in
                    Self.auditPart(ofSetting: item.value.name).map { ($0, item.value.value) }
                }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Notes how far a part of a group's audit has come: what is cut from its end then can be told.
    ///
    /// - Parameters:
    ///   - head: Nil for one that begins anew.
    ///   - part: The name of the part; empty for the one that programs share.
    package func noteAuditHead(_ head: String?, of group: AccessGroup, part: String = "") throws(KeyringError) {
        try noteAuditHead(of: group, part: part) { _ in head }
    }

    /// The same by what is noted until then; nobody else notes anything meanwhile.
    package func noteAuditHead(
        of group: AccessGroup, part: String, _ head: (_ noted: String?) -> String?
    ) throws(KeyringError) {
        guard !keyring.isReadOnly else { return }
        let name = Self.auditHeadSetting + (part.isEmpty ? "" : ":" + part)
        try withState { state in
            try change(&state, state.group(group)) { writer in
                try writer.setSetting(name, to: head(try writer.setting(name)), isThisDeviceOnly: true)
            }
        }
    }

    private static let auditHeadSetting = "audit:head"

    /// The part of an audit that a setting is about; nil where the setting is another.
    private static func auditPart(ofSetting name: String) -> String? {
        guard name.hasPrefix(auditHeadSetting) else { return nil }
        let rest = name.dropFirst(auditHeadSetting.count)
        return rest.isEmpty ? "" : rest.first == ":" ? String(rest.dropFirst()) : nil
    }

    /// Whether a setting of this name is about the files that a group of this vault has here: no bundle has it, and none takes its
    /// place.
    static func isAuditHead(_ name: String) -> Bool { auditPart(ofSetting: name) != nil }

    /// The same of an item.
    static func isAuditHead(_ key: ItemKey) -> Bool { key.kind == .setting && key.parts.first.map(isAuditHead) == true }
}
