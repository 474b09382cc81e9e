internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync

extension Keyring.Sync {
    /// Says that this device takes part no more, and takes away its files but for the head that says so.
    ///
    /// What it has let in and kept out stays so. ``forget()`` ends it here, once the files are where others read them.
    ///
    /// - Parameter folder: Where the files lie on this machine.
    /// - Throws: `configuration`, `needsVaultKey`, `noSuchFile`, and what writing can throw.
    /// - Returns: What is known before it is forgotten.
    public func leave(through folder: String) throws(KeyringError) -> SyncStatus {
        try withSession { session in
            let files = try SyncFolder(folder)
            if let sync = session.state.sync, let before = session.state.own, let roster = session.roster,
                roster.isActive(session.own)
            {
                if !session.isLeaving {
                    let revocations = roster.revocations.filter { $0.signer == session.own }
                    let approvals = session.state.statements.filter { $0.signer == session.own && !$0.isRevocation }
                    let kept = (revocations + approvals.reversed()).prefix(SyncStatement.entryLimit).map(\.hash)
                    session.state.statements.append(
                        SyncStatement(
                            .revocation(session.own, keeping: Set(kept)), by: session.identity, in: sync, at: clock.now)
                    )
                }
                var own = SyncState.Own(
                    head: before.head, files: [], roster: before.roster, isConfirmed: false)
                own.time = clock.now
                _ = try show(own, after: before, &session, roster, files)
            }
            files.removeFiles(of: session.own, besides: [])
            return try status(session, nil)
        }
    }

    /// Forgets the sync, and the keys of this device in it; all else stays in the vault.
    ///
    /// Whose decisions came in is kept, so that no other sync takes them for this vault's own; and what was removed.
    ///
    /// - Throws: what writing files can throw.
    public func forget() throws(KeyringError) {
        do {
            let held = try FileLock(database.directory.syncLock)
            if let session = try? readSession() { try keepLeft(session.state) }
            if try POSIXFile.status(database.directory.sync) != nil { try POSIXFile.remove(database.directory.sync) }
            _ = consume held
        } catch {
            throw KeyringError(error)
        }
    }

    /// Keeps of a sync what holds in the next one too.
    func keepLeft(_ before: SyncState) throws {
        var left = SyncState(remote: "", name: "", place: [])
        left.keep(before)
        let identity = SyncIdentity.generate(number: try database.device())
        try write(SyncSession(state: left, identity: identity), to: database.directory.syncLeft)
    }
}
