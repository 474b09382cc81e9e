internal import KeyfobInterop
internal import KeyfobRecords

/// One import of what has been read of a cache, or of another tool's file.
struct CacheImport {
    let cache: MSALCache
    /// Whether it knows people by their user names alone, as ADAL's caches and other tools do.
    let isByName: Bool
    var labels: [AccountID: String] = [:]
    let bringsBackRemoved: Bool
    /// Whether the program whose cache it is writes it now, so that it has the latest.
    var isWrittenNow = false

    func run(
        _ writer: GroupWriter, _ bytes: RawSpan, _ report: inout Keyring.ImportReport,
        _ progress: (Int, Int) -> Void
    ) throws {
        if isWrittenNow { writer.isOfProgram = true }
        let known = isByName ? try NamedAccounts(writer, of: report.group) : nil
        // An id that an account had was removed with it.
        let isAnyGone = try !isByName && cache.accounts.contains { try writer.wasRemoved($0.id) }
        let formerIDs = isAnyGone ? try writer.formerIDs() : [:]
        let total = cache.accounts.count + cache.credentials.count + cache.appMetadata.count + cache.foreign.count
        var done = 0
        func step() {
            done += 1
            if done % 64 == 0 || done == total { progress(done, total) }
        }
        var ids: [AccountID: AccountID] = [:]
        var removed: Set<AccountID> = []
        for account in cache.accounts {
            defer { step() }
            let (id, namesake) = known?.id(for: account) ?? (formerIDs[account.id] ?? account.id, nil)
            guard try bringsBackRemoved || !writer.wasRemoved(id) else {
                removed.insert(account.id)
                report.removedAccounts.append(account)
                continue
            }
            if let namesake { report.namesakes.append(Keyring.Namesake(imported: id, known: namesake)) }
            ids[account.id] = id
            var account = known?.addition(of: account, to: id) ?? account.called(id)
            account.label = labels[account.id]
            report.note(account)
            report.accounts[Keyring.StoreOutcome(try writer.save(account, from: .file)), default: 0] += 1
        }
        for item in cache.credentials {
            defer { step() }
            guard !removed.contains(item.credential.account) else { continue }
            var credential = item.credential
            credential.account = ids[credential.account] ?? credential.account
            // Whoever hands a file over has no say in what sign-ins send.
            if !isWrittenNow { credential.signInParameters = [:] }
            let secret = item.secret.secret(in: bytes)
            report.note(credential)
            if let known, known.isSignedIn(credential) {
                report.remarks.append("\(credential.account) is signed in here, so a token of no client was not taken")
                report.credentials[.kept, default: 0] += 1
                continue
            }
            let outcome =
                try known?.outcome(of: credential, secret)
                ?? Keyring.StoreOutcome(writer.save(credential, secret: secret, from: isWrittenNow ? .file : .copy))
            report.credentials[outcome, default: 0] += 1
        }
        for metadata in cache.appMetadata {
            report.others[Keyring.StoreOutcome(try writer.save(metadata)), default: 0] += 1
            step()
        }
        for node in cache.foreign {
            let outcome = try writer.saveForeign(
                section: node.section?.rawValue ?? "", key: node.key, json: node.json(in: bytes))
            report.others[Keyring.StoreOutcome(outcome), default: 0] += 1
            step()
        }
    }
}

extension Account {
    /// What it adds to the account that had its id.
    fileprivate func called(_ id: AccountID) -> Account {
        id == self.id ? self : Account(id: id, username: "", tenantProfiles: tenantProfiles)
    }
}

extension Keyring.ImportReport {
    fileprivate mutating func note(_ account: Account) {
        found[account.id] = Keyring.FoundAccount(account: account)
    }

    fileprivate mutating func note(_ credential: Credential) {
        found[credential.account]?.tokens.insert(credential.kind)
    }
}
