import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

/// The ways by which an account comes into a keyring.
enum UndoneAccount: String, CaseIterable {
    case addedByHand, addedWithEnd, addedForClient
    case signedInByBrowser, signedInByDevice, endedSignIn, severalClients, family
    case msalCache, adalCache, gh, gitCredentials, gcloud
    case inTwoGroups, decided

    private static let ghToken = "gho_" + String(repeating: "A", count: 36)

    /// Brings one in: its id.
    func make(_ home: SilentHome) async throws -> AccountID {
        let keyring = home.keyring
        switch self {
        case .addedByHand, .addedWithEnd, .addedForClient:
            let id = try #require(AccountID(homeAccountID: "deploy", environment: "github.com"))
            var credential = Credential(
                kind: .accessToken, account: id,
                clientID: self == .addedForClient ? "app" : "personal-access-token", scopes: ["repo"],
                cachedAt: home.clock.now)
            if self == .addedWithEnd { credential.expiresOn = home.clock.now.advanced(by: 90 * 86_400) }
            try keyring.store(credential, "ghp_onlycopy", for: Account(id: id, username: "deploy"))
            return id
        case .signedInByBrowser:
            let request = try request()
            return try await signInByBrowser(request, home) {
                .tokens("at", refresh: "rt", scope: "openid mail.read", id: TestIDToken(nonce: $0["nonce"]).text)
            }.account.id
        case .signedInByDevice:
            home.provider.answer(.tokens("at", refresh: "rt", scope: "mail.read", id: TestIDToken().text))
            return try await signInByDevice(try request(), keyring, home).account.id
        case .endedSignIn:
            try home.grant("rt", home.ada)
            home.provider.answer(.refused("invalid_grant"))
            _ = await home.refusal(home.ada)
            try home.access("at", home.ada, expires: 60)
            return home.ada.id
        case .severalClients:
            for client in ["app", "b"] { try home.grant("rt-\(client)", home.ada, client: client, rotates: true) }
            for client in ["app", "b", "c"] { try home.access("at-\(client)", home.ada, client: client) }
            try home.access("at-files", home.ada, scopes: ["files.read"])
            return home.ada.id
        case .family:
            let bob = try SilentHome.microsoftAccount("bob")
            for client in ["a", "b"] { try home.grant("frt-\(client)", bob, client: client, family: "1") }
            try home.access("at-a", bob, client: "a")
            try home.access("at-guest", bob, client: "a", realm: SilentHome.guest)
            return bob.id
        case .msalCache:
            try importFile(SilentHome.cache, keyring)
            return try account("ada@contoso.example", keyring)
        case .adalCache:
            try importFile(
                """
                [{"userId": "ada@contoso.example", "_clientId": "mailer", "oid": "ada-uid", "tenantId": "contoso",
                "isMRRT": true, "_authority": "https://login.windows.net/contoso", "resource": "https://graph.example/",
                "tokenType": "Bearer", "accessToken": "access", "refreshToken": "refresh", "expiresIn": 3600,
                "expiresOn": "2033-05-18T03:33:20Z"}]
                """, keyring)
            return try account("ada@contoso.example", keyring)
        case .gh:
            try importFile("github.com:\n    user: ada\n    oauth_token: \(Self.ghToken)\n", keyring)
            return try account("ada", keyring)
        case .gitCredentials:
            try importFile("https://ada:\(Self.ghToken)@github.com\n", keyring)
            return try account("ada", keyring)
        case .gcloud:
            try importFile(
                #"{"type": "authorized_user", "account": "ada@corp.example", "client_id": "7", "client_secret": "S", "#
                    + #""refresh_token": "r"}"#, keyring)
            return try #require(try keyring.accounts.list().first?.account.id)
        case .inTwoGroups:
            let work = try AccessGroup("work")
            try keyring.groups.create(work)
            for group in [AccessGroup.default, work] {
                try keyring.store(.refresh(home.ada, client: "app"), "rt", for: home.ada, in: [group])
                try keyring.store(.access(home.ada, client: "app", realm: ""), "at", for: home.ada, in: [group])
            }
            return home.ada.id
        case .decided:
            try home.grant("rt", home.ada)
            try home.access("at", home.ada)
            let id = home.ada.id
            try keyring.accounts.setLabel("boss", of: id, in: .default)
            try keyring.accounts.setDefault(id, in: .default)
            try keyring.bindings.set(.tool("gh"), to: .account(id), in: .default)
            try keyring.bindings.set(.directory("/srv/project"), to: .account(id), in: .default)
            return id
        }
    }

    private func request() throws -> SignInRequest {
        var request = SignInRequest(provider: "plain")
        request.scopes = ["mail.read"]
        return request
    }

    private func importFile(_ text: String, _ keyring: Keyring) throws {
        _ = try keyring.caches.import(secret(text), writtenAt: noon, utcOffset: { _ in 0 })
    }

    private func account(_ name: String, _ keyring: Keyring) throws -> AccountID {
        try keyring.accounts.named(name).account.id
    }
}

extension SilentHome {
    /// A cache of MSAL's with a refresh token, two access tokens, an ID token and what is known of the client.
    static let cache = """
        {"Account": {"a": {"home_account_id": "ada-uid.contoso", "environment": "login.microsoftonline.com",
            "realm": "contoso", "local_account_id": "ada-uid", "username": "ada@contoso.example",
            "authority_type": "MSSTS"}},
         "RefreshToken": {"r": {"credential_type": "RefreshToken", "secret": "rt", "client_id": "mailer",
            "home_account_id": "ada-uid.contoso", "environment": "login.microsoftonline.com", "unknown": [1.50]}},
         "AccessToken": {"m": {"credential_type": "AccessToken", "secret": "at-mail", "client_id": "mailer",
            "home_account_id": "ada-uid.contoso", "environment": "login.microsoftonline.com", "realm": "contoso",
            "target": "mail.read", "cached_at": "1699999000", "expires_on": "2000000000"},
            "f": {"credential_type": "AccessToken", "secret": "at-files", "client_id": "mailer",
            "home_account_id": "ada-uid.contoso", "environment": "login.microsoftonline.com", "realm": "contoso",
            "target": "files.read", "cached_at": "1699999000", "expires_on": "2000000000"}},
         "IdToken": {"i": {"credential_type": "IdToken", "secret": "id", "client_id": "mailer",
            "home_account_id": "ada-uid.contoso", "environment": "login.microsoftonline.com", "realm": "contoso"}}}
        """
}

/// The commands that take an account away.
enum TakingAway: String, CaseIterable {
    case logout, everywhere, forget, remove

    /// Takes an account away; how it comes back.
    @discardableResult
    func take(
        _ account: AccountID, from keyring: Keyring, in group: AccessGroup = .default, network: Network? = nil,
        undo policy: UndoPolicy? = nil
    ) async throws -> UndoOffer? {
        let policy = policy ?? .keep(keyring.undo.command(rawValue))
        switch self {
        case .logout:
            let clients = Set(try keyring.accounts.credentials(of: account, in: group).map(\.clientID)).sorted()
            return try await keyring.accounts.signOut(
                account, clientID: clients.first, from: group, undo: policy, network: network
            ).undo
        case .everywhere, .forget:
            return try await keyring.accounts.signOut(
                account, reach: self == .forget ? .forget : .everywhere, from: group, undo: policy, network: network
            ).undo
        case .remove: return try keyring.accounts.remove(account, from: group, undo: policy).undo
        }
    }
}
