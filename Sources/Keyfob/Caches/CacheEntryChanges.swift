internal import KeyfobInterop
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring.Caches {
    /// Puts entries into the keyring, and removes others, as MSAL changes its token cache: each entry by its key, and no
    /// other.
    ///
    /// A refresh token that goes, and an account whose last entry goes, can be brought back by ``Keyring/undo``. What the
    /// keyring has no records for, such as an application's own token, it keeps as it is.
    ///
    /// - Parameters:
    ///   - change: `{"put": {SECTION: {KEY: ENTRY}}, "remove": {SECTION: {KEY: ENTRY}}}`, as text of JSON.
    ///   - groups: The groups where entries are; what is new goes to the first; nil for all within reach, and `default`.
    /// - Throws: `damaged` when the bytes are no such change, or `limitExceeded`: nothing is changed then; and what writing
    ///   can throw. What goes is one step and what comes another: where the second fails, the first is done.
    public func changeEntries(
        _ change: borrowing SecretBytes, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) {
        try change.withBytes { (bytes) throws(KeyringError) in
            let parsed: MSALChange
            do throws(MSALCacheError) {
                parsed = try MSALChange(reading: bytes)
            } catch {
                throw KeyringError(error)
            }
            let command = keyring.undo.command("sign-out by a program")
            try withState { state in
                if let part = parsed.remove {
                    let remover = EntryRemover(part: part)
                    try self.change(&state, state.groups(groups)) { writers in
                        for writer in writers { try remover.run(writer, command) }
                    }
                }
                if let part = parsed.put {
                    let targets = try targets(of: part, &state, groups)
                    try self.change(&state, targets.map(\.group)) { writers in
                        for (writer, target) in zip(writers, targets) {
                            try EntryPutter(part: part, owners: target.owners, takesRest: target.takesRest).run(
                                writer, bytes.extracting(part.range))
                        }
                    }
                }
            }
        }
    }

    /// Which entries go to which group: an account's to where the account is, all else to where new items go.
    private func targets(
        of part: MSALChange.Part, _ state: inout State, _ names: [AccessGroup]?
    ) throws -> [EntryTarget] {
        let usual = try state.groupForNewItems(names)
        var targets = [EntryTarget(group: usual, takesRest: true)]
        for account in part.cache.accounts {
            let home = try state.groups(names).first { try database.account(account.id, in: $0.keys) != nil } ?? usual
            if let index = targets.firstIndex(where: { $0.group.name == home.name }) {
                targets[index].owners.insert(account.id)
            } else {
                targets.append(EntryTarget(group: home, owners: [account.id]))
            }
        }
        return targets
    }
}

/// A group, and whose entries go there.
private struct EntryTarget {
    let group: UnlockedVault.Group
    var owners: Set<AccountID> = []
    /// Whether what belongs to no account goes there.
    var takesRest = false
}

/// Puts the entries of a change into one group.
private struct EntryPutter {
    let part: MSALChange.Part
    let owners: Set<AccountID>
    let takesRest: Bool

    func run(_ writer: GroupWriter, _ bytes: RawSpan) throws {
        let cache = part.cache
        for account in cache.accounts where owners.contains(account.id) {
            // Without an entry of its own it may be there already, with more to tell.
            let isNamed = !account.tenantProfiles.isEmpty
            if try isNamed || !writer.hasAccount(account.id) { _ = try writer.save(account, from: .file) }
        }
        for token in cache.credentials where owners.contains(token.credential.account) {
            let key = part.key(of: token)
            let secret = token.secret.secret(in: bytes)
            let isSame = { (other: Credential) in MSALEntityKey.key(of: other) == key }
            if token.credential.kind == .refreshToken {
                try writer.putRefreshToken(token.credential, secret: secret, replacing: isSame) { former, secret in
                    try keep(former, secret, writer)
                }
            } else {
                try writer.put(token.credential, secret: secret, replacing: isSame)
            }
            try writer.removeForeign(section: MSALSection(token.credential.kind).rawValue, key: key)
        }
        guard takesRest else { return }
        for metadata in cache.appMetadata { _ = try writer.save(metadata) }
        for entity in part.foreign {
            let json = SecretBytes(copying: bytes.extracting(entity.range), placement: .recycled)
            _ = try writer.saveForeign(section: entity.section.rawValue, key: entity.key, json: json)
        }
    }

    /// Keeps a refresh token that makes room for another of its account and client, as MSAL does.
    private func keep(_ token: Credential, _ secret: borrowing SecretBytes, _ writer: GroupWriter) throws {
        let json = MSALCacheWriter.entity(token, secret: secret)
        if let json {
            _ = try writer.saveForeign(
                section: MSALSection.refreshToken.rawValue, key: MSALEntityKey.key(of: token), json: json)
        }
    }
}

/// Removes the entries of a change from one group.
private struct EntryRemover {
    let part: MSALChange.Part

    func run(_ writer: GroupWriter, _ command: UndoableCommand) throws {
        for entity in part.entities { try writer.removeForeign(section: entity.section.rawValue, key: entity.key) }
        for account in part.cache.accounts.map(\.id) {
            let isSignOut =
                part.cache.accounts.contains { $0.id == account && !$0.tenantProfiles.isEmpty }
                || part.cache.credentials.contains {
                    $0.credential.account == account && $0.credential.kind == .refreshToken
                }
            // What is got again without anybody is not worth an entry.
            _ = try writer.keeping(isSignOut ? .keep(command) : .none, of: account) { try remove(account, from: $0) }
        }
        for metadata in part.cache.appMetadata { try writer.remove(metadata) }
    }

    private func remove(_ account: AccountID, from writer: GroupWriter) throws {
        for token in part.cache.credentials where token.credential.account == account {
            let key = part.key(of: token)
            try writer.removeTokens(like: token.credential) { MSALEntityKey.key(of: $0) == key }
        }
        for profile in part.cache.accounts.filter({ $0.id == account }).flatMap(\.tenantProfiles) {
            try writer.removeProfile(profile.realm, of: account)
        }
    }
}
