import Foundation
import Keyfob
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

let noon = Timestamp(seconds: 1_700_000_000)

/// A folder with a keyring in it, made at noon: with key file 1, or with a Secret Service.
struct KeyringHome {
    let folder: ScratchFolder
    let location: KeyringLocation
    let keyring: Keyring
    let recoveryKey: [UInt8]
    /// Whose Secret Service holds the records, where one does.
    let session: SharedSession?

    /// - Parameter session: A session of the test's own, whose Secret Service is to hold the records.
    init(in session: SharedSession? = nil) throws {
        folder = try ScratchFolder()
        location = KeyringLocation(vault: folder.path + "/vault", state: folder.path + "/state")
        let clock = WallClock.standing(at: noon)
        let isDelegated = StoragePlace.ofTest == .secretService
        self.session = try session ?? (isDelegated ? SharedSession.forOneVault() : nil)
        let created =
            if let session = self.session {
                try Keyring.createDelegated(at: location, secretService: session.options, clock: clock)
            } else {
                try Keyring.create(at: location, slot: .keyFile(keyFile(1)), clock: clock)
            }
        recoveryKey = contents(of: created.recoveryKey)
        keyring = created.keyring
    }

    /// The keyring once more, as another process would have it.
    func opened(keyFile number: UInt8 = 1, at time: Timestamp = noon) throws -> Keyring {
        try opened(keyFile: number, clock: .standing(at: time))
    }

    /// The same with a clock of its own.
    func opened(keyFile number: UInt8 = 1, clock: WallClock) throws -> Keyring {
        let locked = try LockedKeyring(at: location, clock: clock)
        if let session { return try locked.unlock(with: .secretService(session.options)) }
        return try locked.unlock(with: .keyFile(keyFile(number)))
    }

    /// Makes a group that a key file opens alone.
    func sharedGroup(_ name: String, keyFile number: UInt8 = 2) throws -> AccessGroup {
        let group = try AccessGroup(name)
        try keyring.groups.create(group)
        _ = try keyring.slots.grant(group, to: .keyFile(keyFile(number)))
        return group
    }

    /// What somebody else in the session sees of the vault.
    func items() throws -> VaultItems {
        VaultItems(try #require(session).connected(), vault: keyring.vaultID)
    }

    /// The database, opened behind Keyfob's back.
    func database() throws -> RawDatabase {
        try RawDatabase(path: location.vault + "/keyring.db")
    }
}

extension Account {
    /// An account of Contoso's: `ada` becomes `ada@contoso.example`.
    static func contoso(_ name: String, label: String? = nil) throws -> Account {
        let id = try #require(AccountID(homeAccountID: "\(name)-uid.contoso", environment: "login.microsoftonline.com"))
        return Account(id: id, username: "\(name)@contoso.example", displayName: name.capitalized, label: label)
    }
}

extension Credential {
    /// An access token that expires an hour after noon.
    static func access(
        _ account: Account, scopes: ScopeSet = ["mail.read"], client: String = "mailer", realm: String = "contoso",
        expires: Int64 = 3_600
    ) -> Credential {
        Credential(
            kind: .accessToken, account: account.id, clientID: client, realm: realm, scopes: scopes, cachedAt: noon,
            expiresOn: noon.advanced(by: expires))
    }

    static func refresh(_ account: Account, client: String = "mailer") -> Credential {
        Credential(kind: .refreshToken, account: account.id, clientID: client, cachedAt: noon, grant: Grant())
    }
}

extension Keyring {
    /// Stores a token that is `text`.
    @discardableResult
    func store(
        _ credential: Credential, _ text: String, for account: Account, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> StoreOutcome {
        try tokens.store(credential, secret: secret(text), for: account, in: groups).outcome
    }

    /// The token for a request, as text.
    func tokenText(_ request: TokenRequest, in groups: [AccessGroup]? = nil) throws(KeyringError) -> String {
        let answer = try tokens.stored(for: request, in: groups)
        return text(of: answer.secret)
    }

    /// Why there is no token for a request; nil when there is one.
    func refusal(_ request: TokenRequest, in groups: [AccessGroup]? = nil) -> KeyringError.Code? {
        failure(of: KeyringError.self) { _ = try tokens.stored(for: request, in: groups) }?.code
    }
}
