import Foundation
import KeyfobFiles
import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import KeyfobVault
import Testing

@testable import Keyfob

/// What one way out of a keyring shows.
private struct Shown: Equatable {
    /// A token of a client's.
    struct Token: Hashable {
        let account: AccountID
        let clientID: String
        let text: String
    }

    var accounts: Set<AccountID> = []
    var refreshTokens: Set<Token> = []
    /// Nil where no way out shows them.
    var accessTokens: Set<Token>? = []
}

extension Shown {
    /// The lines of a bundle.
    init(_ entries: some Sequence<BundleContents.Entry>) {
        self.init()
        for entry in entries {
            switch entry.record.content {
            case .account(let account): accounts.insert(account.id)
            case .credential(let credential):
                guard let text = entry.secret else { continue }
                let token = Token(account: credential.account, clientID: credential.clientID, text: text)
                if credential.kind == .refreshToken { refreshTokens.insert(token) }
                if credential.kind == .accessToken { accessTokens?.insert(token) }
            default: break
            }
        }
    }

    /// A token cache as MSAL writes it.
    init(cache: [UInt8]) throws {
        struct Cache: Decodable {
            struct Entry: Decodable {
                let home_account_id, environment: String
                let client_id, secret: String?

                func account() throws -> AccountID {
                    try #require(AccountID(homeAccountID: home_account_id, environment: environment))
                }

                func token() throws -> Token {
                    Token(account: try account(), clientID: try #require(client_id), text: try #require(secret))
                }
            }
            let Account, RefreshToken, AccessToken: [String: Entry]?
        }
        let cache = try JSONDecoder().decode(Cache.self, from: Data(cache))
        self.init()
        accounts = try Set((cache.Account ?? [:]).values.map { try $0.account() })
        refreshTokens = try Set((cache.RefreshToken ?? [:]).values.map { try $0.token() })
        accessTokens = try Set((cache.AccessToken ?? [:]).values.map { try $0.token() })
    }
}

/// Asks one keyring in all ways what it holds.
struct OutputAgreement {
    private let folder: ScratchFolder
    private let keys = BundleKeys()

    init() throws {
        folder = try ScratchFolder()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
    }

    /// The folder of the keyring's backups.
    var directory: VaultDirectory { VaultDirectory(path: folder.path + "/vault") }

    /// Makes sure that the list, a token, an export, a bundle and a backup agree.
    ///
    /// - Returns: How many access tokens they show.
    func require(of store: MemoryStore) throws -> Int {
        try requireAgreement(keyring(of: store)).accessTokens?.count ?? 0
    }

    private func keyring(of store: MemoryStore) throws -> Keyring {
        let vault = try LockedVault(headerBytes: store.header).unlock(with: .keyFile(keyFile(1)))
        return try Keyring(
            location: KeyringLocation(vault: store.directory.path, state: folder.path + "/state"),
            database: MemoryVault(store), vault: vault, isHeaderFromCopy: false, clock: .standing(at: noon))
    }

    private func requireAgreement(_ keyring: Keyring) throws -> Shown {
        var cache: [UInt8] = []
        _ = try keyring.caches.exportMSAL { cache += [UInt8]($0) }
        let exported = try Shown(cache: cache)

        let listed = try keyring.accounts.list()
        #expect(Set(listed.map(\.account.id)) == exported.accounts)
        let living = exported.refreshTokens.union(exported.accessTokens ?? []).map(\.account)
        #expect(exported.accounts.isSuperset(of: living))
        for account in listed {
            let isKept = exported.refreshTokens.contains { $0.account == account.account.id }
            #expect((account.state == .signedIn) == isKept, "\(account)")
        }

        let bundle = try keyring.bundle(BundleContent(includesAccessTokens: true), for: keys.seal)
        #expect(try Shown(records(bundle, keys).values) == exported)
        let backup = try keyring.bundles.backUp(for: [keys.recipient])
        var kept = try Shown(records(Array(Data(contentsOf: URL(filePath: backup.path))), keys).values)
        kept.accessTokens = exported.accessTokens
        #expect(kept == exported)

        var given: Set<Shown.Token> = []
        for name in ["ada", "grace"] {
            let account = try Account.contoso(name).id
            for client in ["one", "two"] {
                let request = TokenRequest(account: account.description, clientID: client, scopes: ["mail.read"])
                guard let text = try? keyring.tokenText(request) else { continue }
                given.insert(Shown.Token(account: account, clientID: client, text: text))
            }
        }
        #expect(given == exported.accessTokens)
        return exported
    }
}
