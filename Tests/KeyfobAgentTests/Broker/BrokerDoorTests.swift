import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Synchronization
import Testing

@testable import KeyfobAgent

private struct NoTrail: AuditTrail {
    func append(_ entry: AuditEntry, _ keyring: Keyring) {}
}

private struct NobodyThere: ProgramQuestions {
    func ask(_ question: ProgramQuestion) async -> ProgramAnswer { .nobodyThere }
    func chooseAccount(_ question: ProgramQuestion) async -> AccountAnswer { .nobodyThere }
}

/// Signs Ada in, as somebody at a browser would; notes what was wanted.
private final class AdaSignsIn: AgentSignIns {
    let wanted = Mutex<[SignInRequest]>([])

    func signIn(
        _ request: SignInRequest, in groups: [AccessGroup]?, _ keyring: Keyring,
        show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> SignInReport {
        wanted.withLock { $0.append(request) }
        throw KeyringError(.cancelled, "Ada did not want to")
    }
}

/// A vault with tokens of two people, and the door to it on a bus of its own.
private final class Place {
    static let tenant = "7b1c0a94-3d0e-4a57-9c1f-2f1d5f6a0e11"
    let session: SecretServiceSession
    let keyring: Keyring
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

    func call(_ method: BrokerMethod, _ json: String, by client: BusClient? = nil) throws -> NSDictionary {
        let target =
            "com.microsoft.identity.broker1 /com/microsoft/identity/broker1 com.microsoft.identity.Broker1"
        let answer = try (client ?? self.client).ask("call \(target) \(method.rawValue) 0.0 id \(json)")
        let text = answer.hasPrefix("answer ") ? answer.dropFirst("answer ".count) : "{}"
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary, "\(answer)")
    }

    func token(_ account: String = "null", _ method: BrokerMethod = .acquireTokenSilently) throws -> NSDictionary {
        let json =
            #"{"authParameters":{"account":\#(account),"authority":"https://login.microsoftonline.com/common","#
            + #""clientId":"c","requestedScopes":["User.Read","openid"]}}"#
        let answer = try call(method, json)
        return try #require(answer["brokerTokenResponse"] as? NSDictionary)
    }

    func status(_ answer: NSDictionary) -> Int? { (answer["error"] as? NSDictionary)?["status"] as? Int }
}

@Suite("The broker on a bus", .waitsForPrograms) struct BrokerDoorTests {
    @Test("Nobody there: a silent call says that somebody has to sign in, and one for somebody that they are not here")
    func nobody() throws {
        let place = try Place()
        #expect(place.status(try place.token()) == 2)
        #expect(try place.call(.getAccounts, #"{"clientId":"c","redirectUri":"r"}"#) == ["accounts": []])
        #expect(try place.call(.getLinuxBrokerVersion, #"{"msalCppVersion":"1"}"#) == ["linuxBrokerVersion": "2.0.1"])
    }

    @Test("A program that nobody has let have a token gets none, and no name")
    func notPermitted() throws {
        let place = try Place()
        _ = try place.store("ada")
        let answer = try place.token()
        #expect(place.status(answer) == 8)
        #expect(!"\(answer)".contains("ada"))
        #expect(try place.call(.getAccounts, #"{"clientId":"c"}"#) == ["accounts": []])
    }

    @Test("A program that may have it gets the token of the one it names, with the ID token that is stored")
    func silent() throws {
        let place = try Place()
        let (ada, bob) = (try place.store("ada"), try place.store("bob"))
        for account in [ada, bob] {
            try place.keyring.programs.permit(ProgramPermission(of: place.program, account: account.id, in: .default))
        }
        let listed = try place.call(.getAccounts, #"{"clientId":"c"}"#)["accounts"] as? [NSDictionary]
        let names = listed?.compactMap { $0["username"] as? String }.sorted()
        #expect(names == ["ada@contoso.example", "bob@contoso.example"])
        for name in ["ada", "bob"] {
            let account =
                #"{"homeAccountId":"\#(name)-uid.\#(Place.tenant)","environment":"login.windows.net"}"#
            let answer = try place.token(account)
            #expect(answer["accessToken"] as? String == "token-of-\(name)")
            #expect(answer["idToken"] as? String == "id.of.\(name)")
            #expect(answer["grantedScopes"] as? String == "User.Read")
        }
        #expect(place.status(try place.token()) == 2)
        let nobody = #"{"homeAccountId":"carl.\#(Place.tenant)","environment":"login.windows.net"}"#
        #expect(place.status(try place.token(nobody)) == 19)
    }

    /// The calls that linux-entra-sso makes, in their order, with the account as it was given.
    @Test("As linux-entra-sso asks: accounts, a token for the first of them, and a cookie, which is refused")
    func browser() throws {
        let place = try Place()
        let ada = try place.store("ada")
        try place.keyring.programs.permit(ProgramPermission(of: place.program, account: ada.id, in: .default))
        let redirect = #""redirectUri":"https://login.microsoftonline.com/common/oauth2/nativeclient""#
        let listed = try place.call(.getAccounts, #"{"clientId":"c",\#(redirect)}"#)
        let first = try #require((listed["accounts"] as? [NSDictionary])?.first)
        let data = try JSONSerialization.data(withJSONObject: first, options: .withoutEscapingSlashes)
        let account = String(decoding: data, as: UTF8.self)
        let parameters =
            #"{"account":\#(account),"additionalQueryParametersForAuthorization":{},"#
            + #""authority":"https://login.microsoftonline.com/common","authorizationType":8,"clientId":"c",\#(redirect),"#
            + #""requestedScopes":["User.Read"],"username":"ada@contoso.example","uxContextHandle":-1"#
        let token = try place.call(.acquireTokenSilently, #"{"authParameters":\#(parameters)}}"#)
        let answer = try #require(token["brokerTokenResponse"] as? NSDictionary)
        #expect(answer["accessToken"] as? String == "token-of-ada")
        let cookie = try place.call(
            .acquirePrtSsoCookie,
            #"{"account":\#(account),"authParameters":\#(parameters),"ssoUrl":"https://login.microsoftonline.com/"},"#
                + #""ssoUrl":"https://login.microsoftonline.com/"}"#)
        #expect(place.status(try #require(cookie["brokerTokenResponse"] as? NSDictionary)) == 17)
        #expect(cookie["cookieItems"] == nil && cookie["cookieContent"] == nil)
    }

    @Test("What needs a key of the device is refused with its status")
    func device() throws {
        let place = try Place()
        for method in [BrokerMethod.acquirePrtSsoCookie, .generateSignedHttpRequest] {
            let answer = try place.call(method, #"{"account":null,"clientId":"c","ssoUrl":"https://x/"}"#)
            #expect(place.status(try #require(answer["brokerTokenResponse"] as? NSDictionary)) == 17)
        }
    }

    @Test("A sign-in is wanted as the program asked for it, and says how it ended")
    func signIn() throws {
        let place = try Place()
        #expect(place.status(try place.token("null", .acquireTokenInteractively)) == 7)
        let wanted = place.signIns.wanted.withLock { $0 }
        #expect(wanted.map(\.clientID) == ["c"])
        #expect(wanted.map(\.scopes) == [["User.Read"]])
    }

    @Test("Where somebody is signed in, the person chooses: that one's token comes, or that they have cancelled")
    func choice() throws {
        let person = Person()
        let place = try Place(asking: person)
        for name in ["ada", "bob"] {
            let account = try place.store(name)
            try place.keyring.programs.permit(ProgramPermission(of: place.program, account: account.id, in: .default))
        }
        person.choose { question in question.accounts.last.map { .account($0) } ?? .dismissed }
        let answer = try place.token("null", .acquireTokenInteractively)
        #expect(answer["accessToken"] as? String == "token-of-bob")
        person.choose { _ in .dismissed }
        #expect(place.status(try place.token("null", .acquireTokenInteractively)) == 7)
        #expect(place.signIns.wanted.withLock { $0.isEmpty })
    }

    @Test("A sign-out leaves no token of that client")
    func signOut() throws {
        let place = try Place()
        let ada = try place.store("ada")
        let account = #"{"homeAccountId":"\#(ada.id.homeAccountID)","environment":"login.windows.net"}"#
        let request = #"{"clientId":"c","account":\#(account)}"#
        let refused = try #require(try place.call(.removeAccount, request)["brokerTokenResponse"] as? NSDictionary)
        #expect(place.status(refused) == 8)
        try place.keyring.programs.permit(ProgramPermission(of: place.program, account: ada.id, in: .default))
        #expect(try place.call(.removeAccount, request) == [:])
        #expect(try place.keyring.accounts.credentials(of: ada.id, in: .default).allSatisfy { $0.kind != .accessToken })
    }

    @Test("A sign-out is of that client alone, and of all where the machine is shared", arguments: [false, true])
    func sharedMachine(isShared: Bool) throws {
        let place = try Place(isShared: isShared)
        let ada = try place.store("ada")
        let other = Credential(
            kind: .accessToken, account: ada.id, clientID: "other", realm: Place.tenant, scopes: ["User.Read"],
            cachedAt: WallClock.system.now, expiresOn: WallClock.system.now.advanced(by: 3_600))
        _ = try place.keyring.tokens.store(other, secret: secret("another"), for: ada)
        try place.keyring.programs.permit(ProgramPermission(of: place.program, account: ada.id, in: .default))
        let account = #"{"homeAccountId":"\#(ada.id.homeAccountID)","environment":"login.windows.net"}"#
        #expect(try place.call(.removeAccount, #"{"clientId":"c","account":\#(account)}"#) == [:])
        let left = try place.keyring.accounts.credentials(of: ada.id, in: .default).filter { $0.kind == .accessToken }
        #expect(left.map(\.clientID) == (isShared ? [] : ["other"]))
    }

    @Test("Where another broker is, the door stays shut")
    func other() throws {
        let session = try SecretServiceSession(.none)
        let client = try BusClient(session.environment)
        #expect(try client.ask("own com.microsoft.identity.broker1") == "ok")
        let desk = AgentDesk(
            AgentVault { () throws(KeyringError) in throw KeyringError(.locked, "locked") }, audit: NoTrail(),
            questions: NobodyThere(), network: { () throws(KeyringError) in throw KeyringError(.offline, "none") })
        #expect(throws: KeyringError(.unavailable, "")) {
            _ = try BrokerDoor.start(desk: desk, signIns: AdaSignsIn(), environment: session.environment)
        }
    }

    @Test("Where the bus is started anew, the door comes back to its name, again and again")
    func busRestarts() async throws {
        let place = try Place()
        _ = try place.store("ada")
        var told = place.told.makeAsyncIterator()
        for _ in 0..<2 {
            try place.session.restartBus()
            #expect(await told.next() == "lost")
            #expect(await told.next() == "back")
            let client = try BusClient(place.session.environment)
            #expect(try client.ask("owner com.microsoft.identity.broker1") == "owned")
            let answer = try place.call(.getLinuxBrokerVersion, "{}", by: client)
            #expect(answer == ["linuxBrokerVersion": "2.0.1"])
        }
        place.door.retire()
        #expect(await told.next() == "ended")
    }

    @Test("Where no bus comes, it ends when it is to, and where another one is the broker by then, it says so")
    func busIsAnothers() async throws {
        let place = try Place()
        var told = place.told.makeAsyncIterator()
        try place.session.stopBus()
        #expect(await told.next() == "lost")
        place.door.stop()
        #expect(await told.next() == "ended")

        let other = try Place()
        told = other.told.makeAsyncIterator()
        // A service file of another broker comes with the new bus.
        try other.session.stopBus()
        #expect(await told.next() == "lost")
        let services = other.session.folder.path + "/data/dbus-1/services"
        try FileManager.default.createDirectory(atPath: services, withIntermediateDirectories: true)
        try Data("[D-BUS Service]\nName=com.microsoft.identity.broker1\nExec=/bin/other\n".utf8)
            .write(to: URL(filePath: services + "/com.microsoft.identity.broker1.service"))
        try other.session.restartBus()
        let end = await told.next()
        #expect(end?.contains("broker") == true && end != "back", "\(end ?? "")")
    }
}
