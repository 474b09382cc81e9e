internal import Keyfob
internal import KeyfobSodium

// The calls of keyfob.h that speak of MSAL's caches, and the removal of accounts.

extension OpenKeyring {
    /// All tokens in the form of MSAL's caches.
    func cache(_ options: OptionValues.Snapshot) throws(KeyringError) -> Answer {
        let (keyring, groups) = (try keyring, try groups(options))
        let account = try options["account"].map { name throws(KeyringError) in
            try keyring.accounts.named(name, in: groups).account.id
        }
        return try text { output throws(KeyringError) in
            _ = try keyring.caches.exportMSAL(in: groups, account: account, to: output)
        }
    }

    /// Takes in tokens in the form of MSAL's caches.
    func write(cache: borrowing SecretBytes, _ options: OptionValues.Snapshot) throws(KeyringError) {
        _ = try keyring.caches.importMSAL(cache, in: groups(options), bringsBackRemoved: true, isWrittenNow: true)
    }

    /// The entries of one section that may be those which MSAL looks for.
    func findEntries(_ options: OptionValues.Snapshot) throws(KeyringError) -> Answer {
        let (keyring, groups) = (try keyring, try groups(options))
        guard let section = options["section"] else { throw KeyringError(.usage, "no section is named") }
        let query = Keyring.EntryQuery(
            section: section, homeAccountID: options["home-account-id"], environment: options["environment"],
            clientID: options["client"])
        return try text { output throws(KeyringError) in
            try keyring.caches.findEntries(query, in: groups, to: output)
        }
    }

    /// Puts and removes entries as MSAL does.
    func changeEntries(_ change: borrowing SecretBytes, _ options: OptionValues.Snapshot) throws(KeyringError) {
        try keyring.caches.changeEntries(change, in: groups(options))
    }

    /// Removes an account from its group, or what one client has of it; an undo brings it back.
    func removeAccount(_ options: OptionValues.Snapshot) throws(KeyringError) {
        // The environment's is for what is asked for, and not for what goes.
        guard let name = options["account"] else {
            throw KeyringError(.usage, "no account is named", advice: .chooseAccount(such: nil, group: nil))
        }
        if options.flag("forget"), options["client"] != nil {
            throw KeyringError(.usage, "--forget is about all clients, and goes without --client")
        }
        let keyring = try keyring
        let found = try keyring.accounts.named(name, in: groups(options))
        let undo = UndoPolicy.keep(keyring.undo.command(UndoableCommand.ofProgram))
        let (id, group) = (found.account.id, found.group)
        if let client = options["client"] {
            _ = try CurrentThreadExecutor.run { () async throws(KeyringError) in
                try await keyring.accounts.signOut(id, clientID: client, from: group, undo: undo, network: nil)
            }
            return
        }
        let clients = try keyring.accounts.clients(of: id, in: group).sorted()
        guard clients.count < 2 || options.flag("forget") else {
            throw KeyringError(
                .ambiguous, "\(name) is signed in to \(clients.count) clients: --client names one, --forget means all",
                candidates: clients)
        }
        _ = try keyring.accounts.remove(id, from: group, undo: undo)
    }

    /// An answer with the text that `write` gives out piece by piece.
    private func text(
        _ write: (_ output: (RawSpan) throws(KeyringError) -> Void) throws(KeyringError) -> Void
    ) throws(KeyringError) -> Answer {
        var buffer = SecretBuffer(capacity: 1 << 16)
        try write { piece throws(KeyringError) in
            if piece.byteCount > buffer.capacity - buffer.count {
                var larger = SecretBuffer(capacity: max(2 * buffer.capacity, buffer.count + piece.byteCount))
                buffer.withBytes { larger.append($0) }
                buffer = larger
            }
            buffer.append(piece)
        }
        return Answer([:], "cache", secret: buffer.withBytes { SecretBytes(copying: $0) })
    }
}
