package import KeyfobFiles
package import KeyfobModel
package import KeyfobSodium
package import KeyfobVault

extension VaultReading {
    /// The accounts of a group, in the order in which they were stored.
    ///
    /// - Throws: `incomplete` when there are not as many as there should be.
    package func accounts(in keys: GroupKeys) throws(StorageFailure) -> SearchResult<Account> {
        try all(.account, in: keys, AccountBody.decode)
    }

    /// The app metadata of a group.
    package func appMetadata(in keys: GroupKeys) throws(StorageFailure) -> SearchResult<AppMetadata> {
        try all(.appMetadata, in: keys, AppMetadataBody.decode)
    }

    /// Section and key of every foreign entity of a group.
    package func foreignEntities(in keys: GroupKeys) throws(StorageFailure) -> SearchResult<[String]> {
        try all(.foreign, in: keys) { body throws(FieldList.Malformed) in
            let (section, key) = try NamedValueBody.decode(body)
            return [section, key]
        }
    }

    /// Every credential of one kind in a group.
    package func credentials(_ kind: Credential.Kind, in keys: GroupKeys) throws(StorageFailure) -> SearchResult<
        Credential
    > {
        try all(RecordHeader.Kind(kind), in: keys) { body throws(FieldList.Malformed) in
            try CredentialBody.decode(body, kind: kind)
        }
    }

    /// The accounts that a text names exactly: by id, home account id, user name or label.
    package func accounts(named text: String, in keys: GroupKeys) throws(StorageFailure) -> [Account] {
        try accounts(
            AccountLookup(
                account: AccountID(text).map { keys.blind($0) }, homeAccountID: keys.blind(homeAccountID: text),
                username: keys.blind(username: text), label: keys.blind(label: text)),
            in: keys)
    }

    /// The accounts whose user name or label a text is, as a whole.
    package func accounts(called name: String, in keys: GroupKeys) throws(StorageFailure) -> [Account] {
        try accounts(AccountLookup(username: keys.blind(username: name), label: keys.blind(label: name)), in: keys)
    }

    /// The account with this id.
    package func account(_ id: AccountID, in keys: GroupKeys) throws(StorageFailure) -> Account? {
        try accounts(AccountLookup(account: keys.blind(id)), in: keys).first
    }

    /// The account with this blinded id, in a database.
    package func account(blinded value: BlindValue, in keys: GroupKeys) throws(StorageFailure) -> Account? {
        try accounts(AccountLookup(account: Lookup(blindedAccount: value)), in: keys).first
    }

    private func accounts(_ names: AccountLookup, in keys: GroupKeys) throws(StorageFailure) -> [Account] {
        try read(keys) { reader throws(StorageFailure) in
            try reader.accounts(names).map { record throws(StorageFailure) in
                try record.decode(keys, AccountBody.decode)
            }
        }
    }

    /// The accounts of a group that are at the providers which `isWanted` finds, each by its canonical name; nil where they
    /// are more than a few, or nobody knows.
    ///
    /// - Throws: `damaged` when one of them is missing or does not open.
    package func fewAccounts(at isWanted: (String) -> Bool, in keys: GroupKeys) throws(StorageFailure) -> [Account]? {
        try snapshot(keys) { reader throws(StorageFailure) in
            try reader.manifest()?.catalogue?.records(at: isWanted)?.map { id throws(StorageFailure) in
                try reader.record(id).decode(keys, AccountBody.decode)
            }
        }
    }

    /// Accounts of a group whose user name is an address in `domain`, and whether these are all; nil where nobody knows.
    ///
    /// - Throws: `damaged` when one of them is missing or does not open.
    package func fewAccounts(
        inDomain domain: String, in keys: GroupKeys
    ) throws(StorageFailure) -> (accounts: [Account], areAll: Bool)? {
        try snapshot(keys) { reader throws(StorageFailure) in
            guard let found = try reader.manifest()?.catalogue?.records(inDomain: domain) else { return nil }
            let accounts = try found.records.map { id throws(StorageFailure) in
                try reader.record(id).decode(keys, AccountBody.decode)
            }
            return (accounts, found.areAll)
        }
    }

    /// The accounts of a group that may have been granted `scopes`, for they hold a token or a grant with one of them that
    /// few have; nil where none of them is such, or nobody knows.
    ///
    /// - Throws: `damaged` when a record is missing or does not open.
    package func fewHolders(of scopes: ScopeSet, in keys: GroupKeys) throws(StorageFailure) -> [AccountID]? {
        try snapshot(keys) { reader throws(StorageFailure) in
            guard let catalogue = try reader.manifest()?.catalogue else { return nil }
            guard let found = scopes.scopes.lazy.compactMap(catalogue.records(with:)).first else { return nil }
            var accounts: [AccountID] = []
            for id in found {
                if let account = try reader.record(id).content(keys).credential?.account { accounts.append(account) }
            }
            return accounts
        }
    }

    /// The accounts of a group that were stored first.
    package func firstAccounts(_ count: Int, in keys: GroupKeys) throws(StorageFailure) -> [Account] {
        try read(keys) { reader throws(StorageFailure) in
            try reader.firstRecords(count, kind: .account).map { record throws(StorageFailure) in
                try record.decode(keys, AccountBody.decode)
            }
        }
    }

    /// The credentials of one kind of an account; with a client and a realm, those issued to it there.
    package func credentials(
        _ kind: Credential.Kind, of account: AccountID, client: (id: String, realm: String)? = nil,
        in keys: GroupKeys
    ) throws(StorageFailure) -> SearchResult<Credential> {
        try read(keys) { reader throws(StorageFailure) in
            let records =
                if let client {
                    try reader.records(
                        .credential, keys.blind(account, kind, clientID: client.id, realm: client.realm))
                } else {
                    try reader.records(of: keys.blind(account), kind: RecordHeader.Kind(kind))
                }
            var found = SearchResult<Credential>()
            for record in records where record.header.kind == RecordHeader.Kind(kind) {
                try found.take(record, keys) { body throws(FieldList.Malformed) in
                    try CredentialBody.decode(body, kind: kind)
                }
            }
            return found
        }
    }

    /// What is remembered under `name`.
    ///
    /// Found by index, which in a database proves that there is none; elsewhere that is said only after all settings were
    /// opened.
    ///
    /// - Throws: `incomplete` or `damaged` when that cannot be told for certain.
    package func setting(_ name: String, in keys: GroupKeys) throws(StorageFailure) -> Setting? {
        let (indexed, isProved) = try read(keys) { reader throws(StorageFailure) in
            let records = try reader.records(.credential, keys.blind(setting: name))
            return (records.filter { $0.header.kind == .setting }, try reader.manifest() != nil)
        }
        for record in indexed {
            let setting = try? record.decode(keys) { body throws(FieldList.Malformed) in try Setting(body, keys) }
            if let setting, setting.name == name { return setting }
        }
        if isProved, indexed.isEmpty { return nil }
        let found = try settings(prefixes: [name], in: keys)
        if let item = found.items.first(where: { $0.value.name == name }) { return item.value }
        if let damage = found.damaged.first { throw StoreError.damaged(what: damage) }
        return nil
    }

    /// Whether an item was removed, as far as something still tells.
    package func isDeleted(_ key: ItemKey, in keys: GroupKeys) throws(StorageFailure) -> Bool {
        try read(keys) { reader throws(StorageFailure) in
            try !reader.records(.credential, keys.blind(tombstone: key)).isEmpty
        }
    }

    /// The secret of a record that has just been read.
    ///
    /// - Throws: `staleKeys` when the record has changed meanwhile, `damaged`.
    package func secret(of record: StoredRecord, in keys: GroupKeys) throws(StorageFailure) -> SecretBytes {
        let box = try sealedSecret(of: record, in: keys)
        return try record.open(secret: box, keys)
    }

    /// The sealed secret of a record, to be opened as often as it is wanted.
    package func sealedSecret(of record: StoredRecord, in keys: GroupKeys) throws(StorageFailure) -> CommittingAEAD.Box
    {
        try read(keys) { reader throws(StorageFailure) in try reader.sealedSecret(record) }
    }

    /// Makes sure that a group's rows are exactly those of its manifest, whatever index leads to them: reads all of them.
    ///
    /// - Throws: `incomplete`, `damaged`, `staleKeys`.
    package func requireComplete(_ keys: GroupKeys) throws(StorageFailure) {
        try snapshot(keys) { reader throws(StorageFailure) in try reader.requireComplete() }
    }

    /// Calls `body` with each credential of one kind in a group.
    ///
    /// - Returns: What is wrong with the records that were passed over, in words.
    /// - Throws: `incomplete` when there are not as many as there should be.
    package func forEachCredential(
        _ kind: Credential.Kind, in keys: GroupKeys, _ body: (Credential) -> Void
    ) throws(StorageFailure) -> [String] {
        try forEach(RecordHeader.Kind(kind), in: keys) { fields throws(FieldList.Malformed) in
            try CredentialBody.decode(fields, kind: kind)
        } body: { _, credential in
            body(credential)
        }
    }

    /// Calls `body` with each account of a group, in the order in which they were stored.
    ///
    /// - Returns: What is wrong with the records that were passed over, in words.
    /// - Throws: `incomplete` when there are not as many as there should be.
    package func forEachAccount(in keys: GroupKeys, _ body: (Account) -> Void) throws(StorageFailure) -> [String] {
        try forEach(.account, in: keys, AccountBody.decode) { _, account in body(account) }
    }

    /// Every record of one kind in a group, or those that are wanted.
    ///
    /// - Parameter time: Records that were written before it are not opened.
    /// - Throws: `incomplete` when there are not as many as there should be.
    func all<Value>(
        _ kind: RecordHeader.Kind, in keys: GroupKeys, _ decode: (FieldList) throws(FieldList.Malformed) -> Value,
        since time: Timestamp? = nil, where isWanted: (Value) -> Bool = { _ in true }
    ) throws(StorageFailure) -> SearchResult<Value> {
        var found = SearchResult<Value>()
        found.damaged = try forEach(kind, in: keys, since: time, decode) { record, value in
            if isWanted(value) { found.items.append(StoredItem(record: record, value: value)) }
        }
        return found
    }

    /// Calls `body` with each record of one kind in a group, and what it says.
    private func forEach<Value>(
        _ kind: RecordHeader.Kind, in keys: GroupKeys, since time: Timestamp? = nil,
        _ decode: (FieldList) throws(FieldList.Malformed) -> Value,
        body: (StoredRecord, Value) -> Void
    ) throws(StorageFailure) -> [String] {
        try snapshot(keys) { reader throws(StorageFailure) in
            let expected = try reader.manifest()?.count(of: kind)
            var damaged: [String] = []
            var seen: Set<RecordID> = []
            seen.reserveCapacity(min(expected ?? 0, 1 << 20))
            var count = 0
            try reader.forEachRecord(kind: kind) { result throws(StorageFailure) in
                count += 1
                do throws(StorageFailure) {
                    let record = try result.get()
                    // A damaged index can lead to one record twice and to another not at all.
                    guard seen.insert(record.header.record).inserted else {
                        throw StoreError.incomplete(group: keys.group)
                    }
                    if let time, record.header.stamp.milliseconds / 1_000 < time.seconds { return }
                    body(record, try record.decode(keys, decode))
                } catch StoreError.damaged(let what) {
                    damaged.append(what)
                }
            }
            guard expected == nil || count == expected else {
                throw StoreError.incomplete(group: keys.group)
            }
            return damaged
        }
    }
}
