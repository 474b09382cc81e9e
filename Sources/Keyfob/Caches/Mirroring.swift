package import KeyfobInterop
internal import KeyfobRecords
package import KeyfobSodium
internal import KeyfobVault

extension Keyring {
    /// What a pass of a mirror found and did, apart from the program's file, which is the caller's to write.
    package struct MirrorPass: ~Copyable {
        /// What the file is to hold.
        package let content: SecretBytes
        /// Whether that is something else than it holds.
        package let isChanged: Bool
        /// What the next pass has to know, once the file is written.
        package let note: MirrorNote
        /// What was done.
        package let report: MirrorReport
    }

    /// What a pass of a mirror did.
    package struct MirrorReport: Hashable, Sendable {
        /// The accounts of which something came into the group.
        package var came: [Account] = []
        /// The accounts of which something goes into the file.
        package var went: [Account] = []
        /// The accounts that go out of the file, because they are signed out or gone here.
        package var ended: [Account] = []
        /// The accounts that are left out from now on, because the program has signed them out.
        package var left: [Account] = []
        /// The accounts that take part again.
        package var returned: [Account] = []
        /// The accounts that are in the file after this pass, as far as they are mirrored.
        package var present: [Account] = []
        /// What was left out of the file's entries, one line each, with the reason.
        package var skipped: [String] = []
    }

    /// What a mirror is to do.
    package struct MirrorOptions: Hashable, Sendable {
        /// The clients whose tokens are mirrored, besides those that the file names.
        package var clients: [String] = []
        /// The names of the accounts that are mirrored; empty for all.
        package var accounts: [String] = []
        /// Whether accounts that were left out, or had been removed from the group, take part again.
        package var bringsBack = false

        /// Options that say nothing.
        package init() {}
    }
}

extension Keyring.Caches {
    /// Brings a group and a token cache of another program's into step, as ``MirrorMerge`` says.
    ///
    /// What the file has is durable in the vault when this returns; the caller then writes the file, and the note last: a
    /// pass that ends in between is done again by the next.
    ///
    /// - Parameters:
    ///   - content: The file; nil where there is none.
    ///   - note: What the last pass left.
    ///   - azureProfile: The bytes of the `azureProfile.json` beside it, for labels of new accounts.
    /// - Throws: `damaged` and `limitExceeded` for what is no such cache, `noSuchAccount` and `ambiguous` for names,
    ///   `noSuchClient` where nobody says whose tokens are meant, and what writing can throw.
    package func mirror(
        _ content: borrowing SecretBytes, since note: MirrorNote, options: Keyring.MirrorOptions,
        azureProfile: borrowing SecretBytes? = nil
    ) throws(KeyringError) -> Keyring.MirrorPass {
        let whole: MSALDocument
        do {
            whole = try content.withBytes { (bytes) throws(MSALCacheError) in try MSALDocument(reading: bytes) }
        } catch {
            throw KeyringError(error)
        }
        var note = note
        // Whoever writes the file does not say whose tokens go into it: its clients are settled when a person begins.
        let named = note.passedAt == nil && options.clients.isEmpty ? whole.clients : []
        note.clients = Set(note.clients + options.clients + named).subtracting([Credential.noClient]).sorted()
        let file = whole.restricted(to: note.clients)
        guard !note.clients.isEmpty else {
            throw KeyringError(
                .noSuchClient, "the file names no client, so that nobody knows whose tokens the program uses",
                advice: .chooseClient)
        }
        var remarks: [String] = []
        let labels = Self.labels(azureProfile, for: file.cache.accounts, &remarks)
        let pass = try content.withBytes { (bytes) throws(KeyringError) in
            let copy = SecretBytes(copying: bytes)
            return try withState { state in
                let here = try mirrored(&state, note, file)
                return try copy.withBytes { bytes in
                    try merge(&state, file, bytes, here, note, options, labels)
                }
            }
        }
        if note.passedAt == nil {
            try? content.withBytes { (bytes) throws(KeyringError) in
                try warnOfSharing(
                    file.cache, bytes, but: [], group: note.group, isTakenOver: false, advice: .signInApart)
            }
        }
        return pass
    }

    /// The group that a new mirror is with: as where new items go.
    package func groupOfNewMirror(_ groups: [AccessGroup]?) throws(KeyringError) -> AccessGroup {
        try keyring.groups.forNewItems(groups)
    }

    private func merge(
        _ state: inout State, _ file: MSALDocument, _ bytes: RawSpan, _ here: borrowing MirroredGroup,
        _ note: MirrorNote, _ options: Keyring.MirrorOptions, _ labels: [AccountID: String]
    ) throws -> Keyring.MirrorPass {
        let known = here.accounts + file.cache.accounts
        let wanted = try Self.accounts(named: options.accounts, among: known)
        let merge = MirrorMerge(
            file, here.group, since: note, bringsBack: options.bringsBack, now: clock.now
        ) { wanted?.contains($0) ?? true }
        var refused: [AccountID: MirrorNote.Reason] = [:]
        var kept: Set<Int> = []
        var came: Set<AccountID> = []
        if !merge.accounts.isEmpty || !merge.tokens.isEmpty || !merge.metadata.isEmpty {
            try change(&state, try state.group(note.group)) { writer in
                (refused, kept, came) = ([:], [], [])
                for var account in merge.accounts {
                    guard try options.bringsBack || !writer.wasRemoved(account.id) else {
                        refused[account.id] = .removedHere
                        continue
                    }
                    account.label = labels[account.id]
                    if try writer.save(account, from: .file).isChange { came.insert(account.id) }
                }
                var revived: Set<MirrorDigest> = []
                for taken in merge.tokens where refused[taken.token.credential.account] != .removedHere {
                    let credential = taken.token.credential
                    let owner = MirrorDigest(credential.account, clientID: credential.clientID)
                    let isEnded = here.group.signedOut.contains(owner) && !revived.contains(owner)
                    guard !isEnded || credential.kind == .refreshToken else {
                        refused[credential.account] = .signedOutHere
                        continue
                    }
                    let outcome = try writer.save(
                        credential, secret: taken.token.secret.secret(in: bytes),
                        from: taken.isTie && credential.kind == .accessToken ? .owner : .file)
                    if outcome.isChange { came.insert(credential.account) }
                    if outcome == .kept { kept.insert(taken.entry) }
                    guard isEnded else { continue }
                    if outcome == .kept { refused[credential.account] = .signedOutHere } else { revived.insert(owner) }
                }
                for metadata in merge.metadata { _ = try writer.save(metadata) }
            }
        }
        let names = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
        func listed(_ ids: some Sequence<AccountID>) -> [Account] { Set(ids).sorted().compactMap { names[$0] } }
        let next = merge.succeeding(
            refusing: refused.map { id, reason in
                MirrorNote.LeftOut(account: id, name: names[id]?.name ?? id.description, reason: reason)
            }, keeping: kept, named: { names[$0]?.name ?? $0.description })
        let content = here.content.withBytes {
            file.edited(bytes, removing: merge.removals, adding: merge.additions, of: here.group.document, $0)
        }
        let isChanged = !merge.additions.isEmpty || !merge.removals.isEmpty
        let away = Set(next.leftOut.map(\.account)).union(merge.ended)
        var report = Keyring.MirrorReport()
        (report.came, report.ended, report.left) = (listed(came), listed(merge.ended), listed(merge.leftThere))
        let written = merge.additions.compactMap { here.group.document.entries[$0].account }
        report.went = listed(written)
        report.returned = listed(merge.returned)
        report.present = listed(file.cache.accounts.map(\.id) + written).filter {
            !away.contains($0.id) && (wanted?.contains($0.id) ?? true)
        }
        report.skipped = file.cache.skipped.map(\.description)
        if merge.fromTheFuture > 0 {
            report.skipped.append("\(merge.fromTheFuture) of its tokens, stored at a time that has not come yet")
        }
        return Keyring.MirrorPass(content: content, isChanged: isChanged, note: next, report: report)
    }

    /// The accounts that some names stand for; nil for no names.
    private static func accounts(named names: [String], among known: [Account]) throws(KeyringError) -> Set<AccountID>?
    {
        guard !names.isEmpty else { return nil }
        var wanted: Set<AccountID> = []
        for name in names {
            let folded = Identifier.foldedName(name)
            let matching = Set(
                known.filter { account in
                    [account.id.description, account.id.homeAccountID, account.username, account.label ?? ""].contains {
                        !$0.isEmpty && Identifier.foldedName($0) == folded
                    }
                }.map(\.id))
            guard let first = matching.first else {
                throw KeyringError(
                    .noSuchAccount, "neither the group nor the file has an account '\(name)'", advice: .listAccounts)
            }
            guard matching.count == 1 else {
                throw KeyringError(
                    .ambiguous, "'\(name)' names \(matching.count) accounts",
                    advice: .useAccountID(such: first.description, group: nil),
                    candidates: matching.map(\.description).sorted())
            }
            wanted.insert(first)
        }
        return wanted
    }
}

/// What a group has for a mirror.
private struct MirroredGroup: ~Copyable {
    /// Its accounts and tokens as a cache.
    let content: SecretBytes
    let group: MirrorMerge.Group
    /// Every account.
    let accounts: [Account]
}

extension Keyring.Caches {
    /// Writes what a mirror has to know of a group in the form of a cache.
    private func mirrored(_ state: inout State, _ note: MirrorNote, _ file: MSALDocument) throws -> MirroredGroup {
        let keys = try state.group(note.group).keys
        let clients = Set(note.clients.map(Identifier.folded))
        var output = GrowingSecret()
        var writer = MSALCacheWriter()
        var damaged: [String] = []
        var (signedOut, active) = (Set<MirrorDigest>(), Set<MirrorDigest>())
        var holders = Set(file.cache.accounts.map(\.id))
        for kind in [Credential.Kind.accessToken, .refreshToken, .idToken] {
            writer.begin(MSALSection(kind))
            let found = try database.credentials(kind, in: keys)
            damaged += found.damaged
            for item in found.items {
                var credential = item.value
                if kind == .refreshToken, credential.partition.isEmpty {
                    let owner = MirrorDigest(credential.account, clientID: credential.clientID)
                    switch (credential.grant ?? Grant()).state {
                    case .active: active.insert(owner)
                    case .signedOut: signedOut.insert(owner)
                    case .needsSignIn: break
                    }
                }
                let isFamily = kind == .refreshToken && credential.familyID != nil
                guard item.record.secretCommitment != nil, credential.partition.isEmpty, !credential.isKeyfobs,
                    isFamily || clients.contains(Identifier.folded(credential.clientID))
                else { continue }
                credential.prepareForMSAL()
                let secret = try database.secret(of: item.record, in: keys)
                if writer.append(credential, secret: secret, to: { output.append($0) }) == .written {
                    holders.insert(credential.account)
                }
            }
        }
        writer.begin(.account)
        let accounts = try database.accounts(in: keys)
        damaged += accounts.damaged
        for item in accounts.items where holders.contains(item.value.id) {
            writer.append(item.value, to: { output.append($0) })
        }
        writer.begin(.appMetadata)
        let metadata = try database.appMetadata(in: keys)
        for item in metadata.items where clients.contains(Identifier.folded(item.value.clientID)) {
            writer.append(item.value, to: { output.append($0) })
        }
        writer.finish(to: { output.append($0) })
        state.warn(ofDamage: damaged, in: note.group)
        let content = output.content()
        let document: MSALDocument
        do {
            document = try content.withBytes { (bytes) throws(MSALCacheError) in try MSALDocument(reading: bytes) }
        } catch {
            throw KeyringError(error)
        }
        return MirroredGroup(
            content: content,
            group: MirrorMerge.Group(
                document: document, accounts: Set(accounts.items.map { MirrorDigest($0.value.id) }),
                signedOut: signedOut.subtracting(active), isIncomplete: !damaged.isEmpty),
            accounts: accounts.items.map(\.value))
    }
}

extension Credential {
    /// As MSAL for Python looks for it: scopes in their order, and when a refresh token came.
    fileprivate mutating func prepareForMSAL() {
        if kind == .accessToken { scopes = ScopeSet(scopes.scopes.sorted()) }
        guard kind == .refreshToken, let storedAt else { return }
        let name = "last_modification_time"
        additionalFields.fields.removeAll { $0.name == name }
        additionalFields.fields.append(.init(name: name, json: "\"\(storedAt.seconds)\""))
    }
}

extension GroupWriter.Outcome {
    fileprivate var isChange: Bool { self == .added || self == .changed }
}

/// Secret bytes that come piece by piece.
private struct GrowingSecret: ~Copyable {
    private var buffer = SecretBuffer(capacity: 65_536)

    mutating func append(_ bytes: RawSpan) {
        if bytes.byteCount > buffer.capacity - buffer.count {
            var larger = SecretBuffer(capacity: 2 * buffer.capacity + bytes.byteCount)
            buffer.withBytes { larger.append($0) }
            buffer = larger
        }
        buffer.append(bytes)
    }

    func content() -> SecretBytes { buffer.withBytes { SecretBytes(copying: $0) } }
}
