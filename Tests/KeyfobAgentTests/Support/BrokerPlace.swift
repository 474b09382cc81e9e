import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Synchronization
import Testing

@testable import KeyfobAgent

struct NoTrail: AuditTrail {
    func append(_ entry: AuditEntry, _ keyring: Keyring) {}
}

struct NobodyThere: ProgramQuestions {
    func ask(_ question: ProgramQuestion) async -> ProgramAnswer { .nobodyThere }
    func chooseAccount(_ question: ProgramQuestion) async -> AccountAnswer { .nobodyThere }
}

/// Signs Ada in, as somebody at a browser would; notes what was wanted.
final class AdaSignsIn: AgentSignIns {
    let wanted = Mutex<[SignInRequest]>([])
    /// For how long she looks at the browser.
    let pause = Mutex(Duration.zero)

    func signIn(
        _ request: SignInRequest, in groups: [AccessGroup]?, _ keyring: Keyring,
        show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> SignInReport {
        wanted.withLock { $0.append(request) }
        try? await Task.sleep(for: pause.withLock { $0 })
        throw KeyringError(.cancelled, "Ada did not want to")
    }
}

/// A vault with tokens of two people, and the door to it on a bus of its own.
final class BrokerPlace {
    static let tenant = "7b1c0a94-3d0e-4a57-9c1f-2f1d5f6a0e11"
    let session: SecretServiceSession
    let keyring: Keyring
    let desk: AgentDesk
    let door: BrokerDoor
    let client: BusClient
    let signIns = AdaSignsIn()
    let program: Program
    /// What the door tells: "lost", "back", "ended", or why it has ended.
    let told: AsyncStream<String>

    init(isShared: Bool = false, asking person: any ProgramQuestions = NobodyThere()) throws {
        let session = try SecretServiceSession(.none)
        self.session = session
        let location = KeyringLocation(vault: session.folder.path + "/vault", state: session.folder.path + "/state")
        let keyring = try Keyring.create(at: location, slot: .keyFile(keyFile(1))).keyring
        self.keyring = keyring
        let desk = AgentDesk(
            AgentVault { () throws(KeyringError) in keyring }, audit: NoTrail(), questions: person,
            network: { () throws(KeyringError) in throw KeyringError(.offline, "there is no network here") })
        self.desk = desk
        let (told, tells) = AsyncStream.makeStream(of: String.self)
        self.told = told
        var notices = BrokerNotices()
        notices.lost = { tells.yield("lost") }
        notices.isBack = { tells.yield("back") }
        notices.ended = { tells.yield($0.map(\.message) ?? "ended") }
        door = try BrokerDoor.start(
            desk: desk, signIns: signIns, environment: session.environment, isShared: isShared, notices: notices)
        client = try BusClient(session.environment)
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Broker/caller.py").path
        program = try #require(Program("script:\(script)"))
    }

    deinit { door.stop() }

    func store(_ name: String) throws -> Account {
        let id = try #require(
            AccountID(homeAccountID: "\(name)-uid.\(Self.tenant)", environment: "login.microsoftonline.com"))
        let account = Account(id: id, username: "\(name)@contoso.example", displayName: name)
        let token = Credential(
            kind: .accessToken, account: id, clientID: "c", realm: Self.tenant, scopes: ["User.Read"],
            cachedAt: WallClock.system.now, expiresOn: WallClock.system.now.advanced(by: 3_600))
        _ = try keyring.tokens.store(token, secret: secret("token-of-\(name)"), for: account)
        let idToken = Credential(
            kind: .idToken, account: id, clientID: "c", realm: Self.tenant, cachedAt: WallClock.system.now)
        _ = try keyring.tokens.store(idToken, secret: secret("id.of.\(name)"), for: account)
        return account
    }

    /// Lets the program that calls do something.
    func permit(
        _ actions: Set<ProgramAction>, account: AccountID? = nil, client: String? = nil, isAllowed: Bool = true
    ) throws {
        try keyring.programs.permit(
            ProgramPermission(
                of: program, to: actions, account: account, clientID: client, isAllowed: isAllowed, in: .default))
    }

    /// The clients that have an access token of an account.
    func clients(of account: Account) throws -> [String] {
        try keyring.accounts.credentials(of: account.id, in: .default).filter { $0.kind == .accessToken }
            .map(\.clientID).sorted()
    }

    func call(_ method: BrokerMethod, _ json: String, by client: BusClient? = nil) throws -> NSDictionary {
        let client = client ?? self.client
        try client.tell(Self.command(method, json))
        return try answer(to: client)
    }

    private static func command(_ method: BrokerMethod, _ json: String) -> String {
        let target =
            "com.microsoft.identity.broker1 /com/microsoft/identity/broker1 com.microsoft.identity.Broker1"
        return "call \(target) \(method.rawValue) 0.0 id \(json)"
    }

    /// The document that a client's last call is answered with.
    private func answer(to client: BusClient) throws -> NSDictionary {
        let answer = try client.answer()
        let text = answer.hasPrefix("answer ") ? answer.dropFirst("answer ".count) : "{}"
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary, "\(answer)")
    }

    func token(_ account: String = "null", _ method: BrokerMethod = .acquireTokenSilently) throws -> NSDictionary {
        let answer = try call(method, Self.request(for: account))
        return try #require(answer["brokerTokenResponse"] as? NSDictionary)
    }

    private static func request(for account: String) -> String {
        #"{"authParameters":{"account":\#(account),"authority":"https://login.microsoftonline.com/common","#
            + #""clientId":"c","requestedScopes":["User.Read","openid"]}}"#
    }

    /// Has a client ask for a token of whoever signs in; ``signedIn(by:)`` waits for the answer.
    func beginSignIn(by client: BusClient) throws {
        try client.tell(Self.command(.acquireTokenInteractively, Self.request(for: "null")))
    }

    func signedIn(by client: BusClient) throws -> NSDictionary {
        try #require(try answer(to: client)["brokerTokenResponse"] as? NSDictionary)
    }

    func status(_ answer: NSDictionary) -> Int? { (answer["error"] as? NSDictionary)?["status"] as? Int }
}
