package import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
internal import KeyfobSQLiteTestSupport
package import KeyfobStore
package import KeyfobTestSupport
package import KeyfobVault

/// The time of the vaults that tests make.
package let noon = Timestamp(seconds: 1_700_000_000)

/// A vault in a folder of its own, made with key file 1.
package struct StoreHome {
    /// The folder around the vault's.
    package let folder: ScratchFolder
    /// The vault's folder.
    package let directory: VaultDirectory
    /// The database, open.
    package let database: VaultDatabase

    /// Makes the vault.
    package init() throws {
        folder = try ScratchFolder()
        directory = VaultDirectory(path: folder.path + "/vault")
        let vault = try UnlockedVault.create(slot: .keyFile(keyFile(1)), now: noon)
        database = try VaultDatabase.create(in: directory, for: vault, device: 7)
    }

    /// The database as another process would open it.
    package func opened() throws -> VaultDatabase {
        try VaultDatabase.open(directory)
    }

    /// The vault, unlocked with what the database holds.
    package func unlocked(keyFile number: UInt8 = 1) throws -> UnlockedVault {
        try LockedVault(headerBytes: database.storedHeader().bytes).unlock(with: .keyFile(keyFile(number)))
    }

    /// The keys of a group.
    package func keys(_ group: AccessGroup = .default) throws -> GroupKeys {
        try unlocked().group(group).keys
    }

    /// Changes a group as the header stands.
    @discardableResult
    package func change<Result>(
        _ group: AccessGroup = .default, at time: Timestamp = noon, _ body: (GroupWriter) throws -> Result
    ) throws -> Result {
        let vault = try unlocked()
        return try database.change(
            vault.group(group).keys, sequence: vault.sequence, milliseconds: time.seconds * 1_000, body
        ).result
    }

    /// Runs statements behind Keyfob's back, unseen by the triggers.
    package func tamper(_ sql: String) throws {
        try RawDatabase(path: directory.database).runUnnoticed(sql)
    }

    /// What a verification of a group complains about.
    package func problems(_ group: AccessGroup = .default) throws -> [String] {
        try opened().verify(keys(group), name: group.name).problems
    }

    /// The secrets of all tokens of one kind in a group, in the order in which they were stored.
    package func secrets(_ kind: Credential.Kind, in group: AccessGroup = .default) throws -> [String] {
        let keys = try keys(group)
        return try database.credentials(kind, in: keys).items.map {
            text(of: try database.secret(of: $0.record, in: keys))
        }
    }
}

extension Account {
    /// An account of this name at Contoso.
    package static func named(_ name: String) throws -> Account {
        guard let id = AccountID(homeAccountID: "\(name)-uid.contoso", environment: "login.microsoftonline.com") else {
            throw StoreError.notFound
        }
        return Account(id: id, username: "\(name)@contoso.example")
    }
}

extension Credential {
    /// An access token for `ada`, that expires an hour after noon.
    package static func access(
        _ name: String = "ada", scopes: ScopeSet = ["mail.read"], client: String = "mailer", realm: String = "contoso",
        expires: Int64? = 3_600
    ) throws -> Credential {
        Credential(
            kind: .accessToken, account: try Account.named(name).id, clientID: client, realm: realm, scopes: scopes,
            cachedAt: noon, expiresOn: expires.map { noon.advanced(by: $0) })
    }

    /// A refresh token that was stored at noon.
    package static func refresh(
        _ name: String = "ada", family: String? = nil, grant: Grant? = Grant()
    ) throws -> Credential {
        Credential(
            kind: .refreshToken, account: try Account.named(name).id, clientID: "mailer", familyID: family,
            cachedAt: noon,
            grant: grant)
    }
}

/// The store's error that `body` throws.
package func storeError(_ body: () throws -> Void) -> StoreError? {
    failure(of: StoreError.self, body)
}
