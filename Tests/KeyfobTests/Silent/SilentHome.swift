import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Synchronization
import Testing

/// A clock that goes on when it is told to.
final class MovingClock: Sendable {
    private let time = Mutex(noon)

    var now: Timestamp { time.withLock { $0 } }
    var clock: WallClock { WallClock { self.now.seconds * 1_000 } }

    func advance(by seconds: Int64) {
        time.withLock { $0 = $0.advanced(by: seconds) }
    }
}

/// How long tokens live, as providers give them, in seconds; nil where none says.
enum TokenLife {
    static let all: [Int64?] = [30, 300, 3_600, nil]
}

/// A clock that is set by a day, in seconds.
enum ClockJump {
    static let all: [Int64] = [-86_400, 86_400]
}

/// A keyring with scripted providers and a clock of its own.
struct SilentHome: Sendable {
    static let tenant = "11111111-1111-4111-8111-111111111111"
    static let guest = "22222222-2222-4222-8222-222222222222"

    let home: KeyringHome
    let clock = MovingClock()
    let provider = ScriptedNetwork()
    let keyring: Keyring
    /// Whom most tests are about; nothing is stored of her at first.
    let ada: Account

    /// A keyring, and Ada's account with Microsoft.
    static func atMicrosoft() throws -> SilentHome { try SilentHome(ada: microsoftAccount()) }

    /// A keyring with the plain OpenID provider `https://id.example`, and Ada's account there.
    ///
    /// - Parameter session: A session of the test's own, whose Secret Service is to hold the records.
    static func atPlainProvider(in session: SharedSession? = nil) throws -> SilentHome {
        let home = try SilentHome(ada: plainAccount(), in: session)
        try home.addPlainProvider()
        return home
    }

    /// A keyring that knows no provider but those built in.
    init(ada: Account, in session: SharedSession? = nil) throws {
        home = try KeyringHome(in: session)
        keyring = try home.opened(clock: clock.clock)
        self.ada = ada
    }

    /// An account with Microsoft.
    static func microsoftAccount(_ name: String = "ada") throws -> Account {
        try account("\(name)-oid.\(tenant)", "login.microsoftonline.com", username: "\(name)@contoso.example")
    }

    /// An account with the plain provider.
    static func plainAccount(_ name: String = "ada") throws -> Account {
        try account("\(name)-sub", "id.example", username: "\(name)@id.example")
    }

    private static func account(_ id: String, _ environment: String, username: String) throws -> Account {
        Account(id: try #require(AccountID(homeAccountID: id, environment: environment)), username: username)
    }

    /// The keyring once more, as another process would have it.
    func opened() throws -> Keyring {
        try home.opened(clock: clock.clock)
    }

    /// Adds the plain OpenID provider `https://id.example` with its client `app`.
    func addPlainProvider(
        rotation: String = "unknown", in groups: [AccessGroup]? = nil, replacing: Bool = false
    ) throws {
        let document = """
            {"formatVersion": 1, "name": "plain", "title": "Plain", "issuer": "https://id.example",
            "environment": "id.example", "clientIDs": ["app"], "defaultScopes": ["openid", "profile"],
            "flows": ["authorizationCode", "deviceAuthorization"], "rotation": "\(rotation)"}
            """
        try keyring.providers.add([UInt8](document.utf8), replacing: replacing, in: groups)
    }

    /// Stores a refresh token that is `text`.
    func grant(
        _ text: String, _ account: Account, client: String = "app", family: String? = nil, scopes: ScopeSet = [],
        rotates: Bool? = nil
    ) throws {
        try keyring.store(
            Credential(
                kind: .refreshToken, account: account.id, clientID: client, scopes: scopes, familyID: family,
                cachedAt: clock.now, grant: Grant(rotates: rotates)), text, for: account)
    }

    /// Stores an access token that is `text`; times count from now.
    func access(
        _ text: String, _ account: Account, client: String = "app", scopes: ScopeSet = ["mail.read"],
        realm: String? = nil, expires: Int64? = 3_600, extended: Int64? = nil, refresh: Int64? = nil
    ) throws {
        let isMicrosoft = account.id.environment.hasPrefix("login.")
        try keyring.store(
            Credential(
                kind: .accessToken, account: account.id, clientID: client,
                realm: realm ?? (isMicrosoft ? Self.tenant : ""), scopes: scopes,
                cachedAt: clock.now.advanced(by: min(0, (expires ?? 3_600) - 3_600)),
                expiresOn: expires.map { clock.now.advanced(by: $0) },
                extendedExpiresOn: extended.map { clock.now.advanced(by: $0) },
                refreshOn: refresh.map { clock.now.advanced(by: $0) }), text, for: account)
    }

    /// The token that a silent request gives, as text.
    func token(
        _ account: Account, scopes: ScopeSet = ["mail.read"], client: String? = nil, realm: String? = nil,
        options: SilentOptions = SilentOptions(), from keyring: Keyring? = nil
    ) async throws -> (text: String, found: Keyring.FoundToken) {
        let request = TokenRequest(
            account: account.id.description, realm: realm, clientID: client, scopes: scopes)
        let answer = try await (keyring ?? self.keyring).tokens.acquireSilently(
            for: request, options: options, network: provider.network)
        return (text(of: answer.secret), answer.found)
    }

    /// Why a silent request gives none.
    func refusal(
        _ account: Account, scopes: ScopeSet = ["mail.read"], client: String? = nil, realm: String? = nil,
        options: SilentOptions = SilentOptions(), from keyring: Keyring? = nil
    ) async -> KeyringError? {
        do {
            let answer = try await token(
                account, scopes: scopes, client: client, realm: realm, options: options, from: keyring)
            Issue.record("there is a token: \(answer.text)")
            return nil
        } catch {
            return error as? KeyringError
        }
    }

    /// The refresh tokens of an account, newly read.
    func grants(of account: Account, client: String? = nil) throws -> [Credential] {
        try opened().accounts.credentials(of: account.id, in: .default).filter {
            $0.kind == .refreshToken && (client == nil || $0.clientID == client)
        }
    }

    /// The grant of the only refresh token of an account.
    func theGrant(of account: Account, client: String? = nil) throws -> Grant {
        let grants = try grants(of: account, client: client)
        try #require(grants.count == 1)
        return try #require(grants[0].grant)
    }

    /// The same, but for which scopes it is known to be good.
    func countsOfTheGrant(of account: Account) throws -> Grant {
        var grant = try theGrant(of: account)
        grant.served = nil
        return grant
    }

    /// The access tokens of an account.
    func accessTokens(of account: Account) throws -> [Credential] {
        try opened().accounts.credentials(of: account.id, in: .default).filter { $0.kind == .accessToken }
    }

    /// Which refresh token is stored: the one that the next refresh, a second later, shows to a provider that then
    /// cannot be reached.
    func storedRefreshToken(of account: Account, scopes: ScopeSet = ["mail.read"]) async throws -> String? {
        clock.advance(by: 1)
        let other = ScriptedNetwork()
        other.answer(by: { _ in .failed(.unreachable(.refused)) })
        let request = TokenRequest(account: account.id.description, scopes: scopes)
        _ = try? await opened().tokens.acquireSilently(
            for: request, options: SilentOptions(forcesRefresh: true), network: other.network)
        return other.tokenRequests.first?.refreshToken
    }

    private func text(of secret: borrowing SecretBytes) -> String { KeyfobTestSupport.text(of: secret) }
}

/// Tests that begin with a keyring, a scripted provider, and Ada's account with it.
protocol SilentSuite {
    var home: SilentHome { get }
}

extension SilentSuite {
    var provider: ScriptedNetwork { home.provider }
    var ada: Account { home.ada }
    /// Asks the provider whatever is stored.
    var force: SilentOptions { SilentOptions(forcesRefresh: true) }
    /// A sign-in with the plain provider.
    var request: SignInRequest {
        var request = SignInRequest(provider: "plain")
        request.scopes = ["mail.read"]
        return request
    }
}
