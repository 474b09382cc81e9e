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

    /// How far a group's audit has come, as somebody with its key noted last.
    package func auditHead(of group: AccessGroup) throws(KeyringError) -> String? {
        try withState { state in
            let found = try database.settings(prefixes: [Self.auditHeadSetting], in: state.group(group).keys)
            return found.items.first?.value.value
        }
    }

    /// Notes how far a group's audit has come: what is cut from its end then can be told.
    ///
    /// - Parameter head: Nil for one that begins anew.
    package func noteAuditHead(_ head: String?, of group: AccessGroup) throws(KeyringError) {
        guard !keyring.isReadOnly else { return }
        try withState { state in
            try change(&state, state.group(group)) { writer in
                try writer.setSetting(Self.auditHeadSetting, to: head, isThisDeviceOnly: true)
            }
        }
    }

    static let auditHeadSetting = "audit:head"
    /// It is about the file that a group of this vault has here: no bundle has it, and none takes its place.
    static let auditHeadItem = ItemKey.setting(auditHeadSetting)
}
