import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Synchronization
import Testing

@testable import KeyfobAgent

@Suite("The broker on a bus", .waitsForPrograms) struct BrokerDoorTests {
    @Test("Nobody there: a silent call says that somebody has to sign in, and one for somebody that they are not here")
    func nobody() throws {
        let place = try BrokerPlace()
        #expect(place.status(try place.token()) == 2)
        #expect(try place.call(.getAccounts, #"{"clientId":"c","redirectUri":"r"}"#) == ["accounts": []])
        #expect(try place.call(.getLinuxBrokerVersion, #"{"msalCppVersion":"1"}"#) == ["linuxBrokerVersion": "2.0.1"])
    }

    @Test("A program that nobody has let have a token gets none, and no name")
    func notPermitted() throws {
        let place = try BrokerPlace()
        _ = try place.store("ada")
        let answer = try place.token()
        #expect(place.status(answer) == 8)
        #expect(!"\(answer)".contains("ada"))
        #expect(try place.call(.getAccounts, #"{"clientId":"c"}"#) == ["accounts": []])
    }

    @Test("A program that may have it gets the token of the one it names, with the ID token that is stored")
    func silent() throws {
        let place = try BrokerPlace()
        let (ada, bob) = (try place.store("ada"), try place.store("bob"))
        for account in [ada, bob] {
            try place.keyring.programs.permit(ProgramPermission(of: place.program, account: account.id, in: .default))
        }
        let listed = try place.call(.getAccounts, #"{"clientId":"c"}"#)["accounts"] as? [NSDictionary]
        let names = listed?.compactMap { $0["username"] as? String }.sorted()
        #expect(names == ["ada@contoso.example", "bob@contoso.example"])
        for name in ["ada", "bob"] {
            let account =
                #"{"homeAccountId":"\#(name)-uid.\#(BrokerPlace.tenant)","environment":"login.windows.net"}"#
            let answer = try place.token(account)
            #expect(answer["accessToken"] as? String == "token-of-\(name)")
            #expect(answer["idToken"] as? String == "id.of.\(name)")
            #expect(answer["grantedScopes"] as? String == "User.Read")
        }
        #expect(place.status(try place.token()) == 2)
        let nobody = #"{"homeAccountId":"carl.\#(BrokerPlace.tenant)","environment":"login.windows.net"}"#
        #expect(place.status(try place.token(nobody)) == 19)
    }

    /// The calls that linux-entra-sso makes, in their order, with the account as it was given.
    @Test("As linux-entra-sso asks: accounts, a token for the first of them, and a cookie, which is refused")
    func browser() throws {
        let place = try BrokerPlace()
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
        let place = try BrokerPlace()
        for method in [BrokerMethod.acquirePrtSsoCookie, .generateSignedHttpRequest] {
            let answer = try place.call(method, #"{"account":null,"clientId":"c","ssoUrl":"https://x/"}"#)
            #expect(place.status(try #require(answer["brokerTokenResponse"] as? NSDictionary)) == 17)
        }
    }

    @Test("A sign-in is wanted as the program asked for it, and says how it ended")
    func signIn() throws {
        let place = try BrokerPlace()
        #expect(place.status(try place.token("null", .acquireTokenInteractively)) == 8)
        #expect(place.signIns.wanted.withLock { $0.isEmpty })
        try place.permit([.signIn])
        #expect(place.status(try place.token("null", .acquireTokenInteractively)) == 7)
        let wanted = place.signIns.wanted.withLock { $0 }
        #expect(wanted.map(\.clientID) == ["c"])
        #expect(wanted.map(\.scopes) == [["User.Read"]])
    }

    @Test("A program gives up its sign-in from another connection, and can begin the next one", .timeLimit(.minutes(2)))
    func cancelled() async throws {
        let place = try BrokerPlace()
        try place.permit([.signIn])
        place.signIns.pause.withLock { $0 = .seconds(300) }
        let client = try BusClient(place.session.environment)
        try place.beginSignIn(by: client)
        try await eventually { !place.signIns.wanted.withLock { $0.isEmpty } }
        #expect(try place.call(.cancelInteractiveFlow, "{}") == [:])
        #expect(place.status(try place.signedIn(by: client)) == 7)
        // Where none is open there is nothing to give up.
        #expect(try place.call(.cancelInteractiveFlow, "{}") == [:])
        place.signIns.pause.withLock { $0 = .zero }
        #expect(place.status(try place.token("null", .acquireTokenInteractively)) == 7)
        #expect(place.signIns.wanted.withLock { $0.count } == 2)
    }

    @Test("Where somebody is signed in, the person chooses: that one's token comes, or that they have cancelled")
    func choice() throws {
        let person = Person()
        let place = try BrokerPlace(asking: person)
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
        let place = try BrokerPlace()
        let ada = try place.store("ada")
        let account = #"{"homeAccountId":"\#(ada.id.homeAccountID)","environment":"login.windows.net"}"#
        let request = #"{"clientId":"c","account":\#(account)}"#
        let refused = try #require(try place.call(.removeAccount, request)["brokerTokenResponse"] as? NSDictionary)
        #expect(place.status(refused) == 8)
        try place.permit([.signOut], account: ada.id)
        #expect(try place.call(.removeAccount, request) == [:])
        #expect(try place.keyring.accounts.credentials(of: ada.id, in: .default).allSatisfy { $0.kind != .accessToken })
    }

    @Test(
        "A sign-out is of that client alone, and of all where the machine is shared and the right is for any client",
        arguments: [(false, nil), (false, "c"), (true, nil), (true, "c")] as [(Bool, String?)])
    func sharedMachine(isShared: Bool, client: String?) throws {
        let place = try BrokerPlace(isShared: isShared)
        let (ada, bob) = (try place.store("ada"), try place.store("bob"))
        let other = Credential(
            kind: .accessToken, account: ada.id, clientID: "other", realm: BrokerPlace.tenant, scopes: ["User.Read"],
            cachedAt: WallClock.system.now, expiresOn: WallClock.system.now.advanced(by: 3_600))
        _ = try place.keyring.tokens.store(other, secret: secret("another"), for: ada)
        try place.permit([.signOut], account: ada.id, client: client)
        let account = #"{"homeAccountId":"\#(ada.id.homeAccountID)","environment":"login.windows.net"}"#
        #expect(try place.call(.removeAccount, #"{"clientId":"c","account":\#(account)}"#) == [:])
        #expect(try place.clients(of: ada) == (isShared && client == nil ? [] : ["other"]))
        // Who is not meant stays, and a client that the right is not for.
        #expect(try place.clients(of: bob) == ["c"])
        let refused = try place.call(.removeAccount, #"{"clientId":"other","account":\#(account)}"#)
        if client != nil {
            #expect(place.status(try #require(refused["brokerTokenResponse"] as? NSDictionary)) == 8)
            #expect(try place.clients(of: ada) == ["other"])
        }
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
        let place = try BrokerPlace()
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
        let place = try BrokerPlace()
        var told = place.told.makeAsyncIterator()
        try place.session.stopBus()
        #expect(await told.next() == "lost")
        place.door.stop()
        #expect(await told.next() == "ended")

        let other = try BrokerPlace()
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
