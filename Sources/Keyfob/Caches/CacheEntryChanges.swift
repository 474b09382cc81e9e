internal import KeyfobInterop
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring.Caches {
    /// Puts entries into the keyring, and removes others, as MSAL changes its token cache: each entry by its key, and no
    /// other.
    ///
    /// ``Keyring/undo`` brings back an account, a refresh token, and an access token of a client that has no refresh token: the
    /// rest is got again without a person. What the keyring has no records for, such as an application's own token, it keeps
    /// as it is.
    ///
    /// - Parameters:
    ///   - change: `{"put": {SECTION: {KEY: ENTRY}}, "remove": {SECTION: {KEY: ENTRY}}}`, as text of JSON.
    ///   - groups: The groups where entries are; what is new goes to the first; nil for all within reach, and `default`.
    /// - Throws: `damaged` when the bytes are no such change, `limitExceeded`, and what writing can throw: nothing is changed
    ///   then. What goes and what comes are one transaction.
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
            let (command, now) = (keyring.undo.command(UndoableCommand.ofProgram), clock.now)
            try withState { state in
                let targets = try parsed.put.map { part in try self.targets(of: part, &state, groups) } ?? []
                // An entry that is removed can be in any of the groups.
                let others = try parsed.remove == nil ? [] : state.groups(groups)
                let changed =
                    targets.map(\.group) + others.filter { other in !targets.contains { $0.group.name == other.name } }
                guard !changed.isEmpty else { return }
                try self.change(&state, changed) { writers in
                    if let part = parsed.remove {
                        for writer in writers { try EntryRemover(part: part, now: now).run(writer, command) }
                    }
                    guard let part = parsed.put else { return }
                    for (writer, target) in zip(writers, targets) {
                        try EntryPutter(part: part, owners: target.owners, takesRest: target.takesRest).run(
                            writer, bytes.extracting(part.range))
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
        writer.isOfProgram = true
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
    let now: Timestamp

    func run(_ writer: GroupWriter, _ command: UndoableCommand) throws {
        let isKept = try needsPerson(in: writer)
        if isKept { writer.beginJournal() }
        for entity in part.entities { try writer.removeForeign(section: entity.section.rawValue, key: entity.key) }
        for account in part.cache.accounts.map(\.id) { try remove(account, from: writer) }
        for metadata in part.cache.appMetadata { try writer.remove(metadata) }
        if isKept { _ = try writer.endJournal(command.entry) }
    }

    /// Whether something goes that nobody gets again without a person: an account, a refresh token, or an access token of a
    /// client that has no refresh token.
    private func needsPerson(in writer: GroupWriter) throws -> Bool {
        if part.cache.accounts.contains(where: { !$0.tenantProfiles.isEmpty }) { return true }
        return try part.entities.contains { $0.section == .refreshToken }
            || part.cache.credentials.map(\.credential).contains { token in
                try token.kind == .accessToken && token.isValid(now: now, minimumValidity: 0)
                    && writer.grants(of: token.account, clientID: token.clientID).isEmpty
            }
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
