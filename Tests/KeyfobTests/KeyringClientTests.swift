@testable import Keyfob
import KeyfobOAuth
import KeyfobModel
import KeyfobRecords
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("The clients of a keyring", .eachStorageInFullRun)
struct KeyringClientTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let work: AccessGroup

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
        work = try AccessGroup("work")
        try keyring.groups.create(work)
    }

    private func code(_ body: () throws -> Void) -> KeyringError.Code? {
        failure(of: KeyringError.self, body)?.code
    }

    /// What a client says to a token endpoint, which is the only way its secret shows.
    private func form(_ keyring: Keyring, _ id: String?, _ environment: String = "accounts.google.com") throws -> String
    {
        let client = try keyring.clients.oauthClient(id: id, environment: environment)
        let endpoint = try EndpointURL("https://x.example/token")
        let request = TokenRequests.refresh(secret("rt"), scopes: [], client: client, at: endpoint)
        switch request.body {
        case .some(let body): return text(of: body)
        case .none: return ""
        }
    }

    @Test("one is found again with its secret, which no list holds")
    func added() throws {
        let client = ClientRegistration(
            id: "1234.apps", name: "Desktop", redirectURIs: ["http://localhost:8400", "http://127.0.0.1:8401/back"],
            scopes: ["openid"], authentication: .post)
        let added = try keyring.clients.add(client, secret: secret("hunter2"), at: "google")
        #expect(added.client == client && added.isDefault && added.provider == "google")
        #expect(added.origin == .added(.default) && added.environment == "accounts.google.com")
        #expect(try home.opened().clients.list() == [added])
        #expect(try !"\(home.opened().clients.list())".contains("hunter2"))
        #expect(try form(home.opened(), nil).contains("client_secret=hunter2"))
    }

    @Test("the secret is in no clear byte of the vault", .embeddedAlone)
    func sealed() throws {
        let text = "a-secret-of-a-client-0123456789"
        try keyring.clients.add(ClientRegistration(id: "a", authentication: .basic), secret: secret(text), at: "google")
        let bytes = try home.folder.read("vault/keyring.db")
        #expect(bytes.count > 1_000 && !String(decoding: bytes, as: UTF8.self).contains(text))
        let client = try keyring.clients.oauthClient(id: "a", environment: "accounts.google.com")
        #expect(client.authentication == .basic)
    }

    @Test("the first is the default until another is made it, and so is the only one left")
    func defaults() throws {
        func current() throws -> String? { try keyring.clients.list(of: "google").first { $0.isDefault }?.client.id }
        for id in ["a", "b", "c"] { try keyring.clients.add(ClientRegistration(id: id), at: "google") }
        #expect(try current() == "a")
        try keyring.clients.add(ClientRegistration(id: "d"), at: "google", isDefault: true, in: [work, .default])
        #expect(try current() == "d")
        #expect(try keyring.clients.list().count { $0.isDefault } == 1)
        try keyring.clients.remove("d")
        #expect(try current() == nil)
        #expect(
            code { _ = try keyring.clients.oauthClient(id: nil, environment: "accounts.google.com") } == .noSuchClient)
        try keyring.clients.remove("a")
        try keyring.clients.remove("b")
        #expect(try current() == "c")
        try keyring.clients.remove("c")
        #expect(
            code { _ = try keyring.clients.oauthClient(id: nil, environment: "accounts.google.com") } == .noSuchClient)
        #expect(code { try keyring.clients.remove("c") } == .noSuchClient)
    }

    @Test("one of Microsoft's serves all its tenants and aliases, and no other cloud")
    func microsoft() throws {
        try keyring.clients.add(ClientRegistration(id: "app"), at: "https://login.windows.net/contoso.example")
        for name in ["microsoft", "microsoft-consumers", "login.microsoft.com"] {
            #expect(try keyring.clients.list(of: name).map(\.client.id) == ["app"], "\(name)")
        }
        #expect(try keyring.clients.list(of: "microsoft-us-government").isEmpty)
        #expect(try keyring.clients.oauthClient(id: nil, environment: "sts.windows.net").id == "app")
    }

    @Test("one that was never added is a public client")
    func unknown() throws {
        #expect(try form(keyring, "from-a-cache").contains("client_id=from-a-cache"))
        #expect(try !form(keyring, "from-a-cache").contains("client_secret"))
    }

    @Test("ids that look like parts of other names do not touch one another")
    func neighbours() throws {
        try keyring.providers.add(NewProvider(issuer: "https://a.example:8443", name: "a"))
        try keyring.providers.add(NewProvider(issuer: "https://a.example", name: "b"))
        let ids = ["x", "x:y", "8443:x", "%3A", "x/y"]
        for (index, name) in ["a", "b"].enumerated() {
            for id in ids {
                try keyring.clients.add(
                    ClientRegistration(id: id, authentication: .post), secret: secret("\(index)\(id)"), at: name)
            }
        }
        #expect(try keyring.clients.list().count == 10)
        #expect(try form(keyring, "x:y", "a.example:8443").contains("client_secret=0x%3Ay"))
        #expect(code { try keyring.clients.remove("x") } == .ambiguous)
        try keyring.clients.remove("x", at: "b")
        #expect(try keyring.clients.list(of: "b").count == 4)
        #expect(try keyring.clients.list(of: "a").count == 5)
        #expect(try form(keyring, "x", "a.example:8443").contains("client_secret=0x"))
    }

    @Test("an id is given once, unless it is to be replaced, where it stands; an old secret does not stay")
    func replacing() throws {
        let client = ClientRegistration(id: "a", authentication: .post)
        try keyring.clients.add(client, secret: secret("old"), at: "google", in: [work])
        #expect(code { try keyring.clients.add(client, secret: secret("new"), at: "google") } == .alreadyExists)
        try keyring.clients.add(client, secret: secret("new"), at: "google", replacing: true)
        #expect(try form(keyring, "a").contains("client_secret=new"))
        #expect(try keyring.clients.list().map(\.origin) == [.added(work)])
        try keyring.clients.add(ClientRegistration(id: "a"), at: "google", replacing: true)
        #expect(try !form(keyring, "a").contains("client_secret"))
        #expect(try keyring.health.verify().problems == [])
    }

    @Test(
        "what no client can have is refused",
        arguments: [
            ClientRegistration(id: ""), ClientRegistration(id: " "), ClientRegistration(id: "a\u{0}b"),
            ClientRegistration(id: String(repeating: "x", count: 513)), ClientRegistration(id: "a", name: "\u{1B}[31m"),
            ClientRegistration(id: "a", redirectURIs: ["https://app.example/back"]),
            ClientRegistration(id: "a", redirectURIs: ["http://app.example"]),
            ClientRegistration(id: "a", redirectURIs: ["https://localhost"]),
            ClientRegistration(id: "a", redirectURIs: ["http://localhost:0"]),
            ClientRegistration(id: "a", redirectURIs: ["http://localhost?code=x"]),
            ClientRegistration(id: "a", redirectURIs: ["javascript:/x"]),
            ClientRegistration(id: "a", redirectURIs: ["com.example.app:/callback?code=x"]),
            ClientRegistration(id: "a", redirectURIs: (0..<65).map { "http://localhost:\($0 + 1)" }),
            ClientRegistration(id: "a", scopes: ["a\"b"]), ClientRegistration(id: "a", authentication: .post),
        ])
    func nonsense(client: ClientRegistration) throws {
        #expect(code { try keyring.clients.add(client, at: "google") } == .usage)
        #expect(try keyring.clients.list().isEmpty)
    }

    @Test("a secret goes with saying it, and is not endless")
    func secrets() throws {
        #expect(
            code { try keyring.clients.add(ClientRegistration(id: "a"), secret: secret("x"), at: "google") } == .usage)
        let long = String(repeating: "x", count: 4_097)
        let client = ClientRegistration(id: "a", authentication: .post)
        let error = failure(of: KeyringError.self) {
            try keyring.clients.add(client, secret: secret(long), at: "google")
        }
        #expect(error?.code == .limitExceeded)
        #expect(code { try keyring.clients.add(client, secret: secret("x"), at: "nowhere") } == .noSuchProvider)
    }

    @Test("those in a provider's description count, and the added ones come first")
    func described() throws {
        let text = """
            {"formatVersion": 1, "name": "own", "title": "Own", "issuer": "https://own.example",
            "environment": "own.example", "flows": ["authorizationCode"], "clientIDs": ["one", "two"]}
            """
        try keyring.providers.add(Array(text.utf8))
        #expect(try keyring.clients.list(of: "own").map(\.client.id) == ["one", "two"])
        #expect(try keyring.clients.oauthClient(id: nil, environment: "own.example").id == "one")
        #expect(code { try keyring.clients.remove("one") } == .usage)
        try keyring.clients.add(ClientRegistration(id: "three"), at: "own", isDefault: true)
        #expect(try keyring.clients.oauthClient(id: nil, environment: "own.example").id == "three")
    }

    @Test("a key for one group sees no client, and no secret, of another", .embeddedAlone)
    func groupKey() throws {
        let client = ClientRegistration(id: "a", authentication: .post)
        try keyring.clients.add(client, secret: secret("hunter2"), at: "google")
        _ = try keyring.slots.grant(work, to: .keyFile(keyFile(2)))
        let limited = try home.opened(keyFile: 2)
        #expect(try limited.clients.list().isEmpty)
        #expect(try !form(limited, "a").contains("hunter2"))
        #expect(code { _ = try limited.clients.list(in: [.default]) } == .groupNotGranted)
        #expect(code { try limited.clients.remove("a") } == .noSuchClient)
    }

    @Test("a backup that is restored keeps providers, clients, their secrets and the default")
    func restoring() throws {
        try keyring.providers.add(NewProvider(issuer: "http://127.0.0.1:4600/o", name: "local"), in: [work])
        let client = ClientRegistration(id: "a", authentication: .post)
        try keyring.clients.add(client, secret: secret("hunter2"), at: "local", in: [work])
        try keyring.clients.add(ClientRegistration(id: "b"), at: "local", isDefault: true, in: [work])
        let before = try (keyring.providers.list(), keyring.clients.list())
        let keys = BundleKeys()
        let backup = try keyring.bundles.backUp(for: [keys.recipient])
        _ = try keyring.providers.remove("local")
        #expect(try keyring.clients.list().isEmpty)
        _ = try keyring.bundles.restore(try BundleFile(path: backup.path), with: keys.opener)
        #expect(try keyring.providers.list() == before.0)
        #expect(try keyring.clients.list() == before.1)
        #expect(try form(keyring, "a", "127.0.0.1:4600").contains("client_secret=hunter2"))
        #expect(try keyring.clients.list().first { $0.isDefault }?.client.id == "b")
    }

    @Test("no bundle carries a provider or a client, and none from elsewhere brings them")
    func importing() throws {
        try keyring.providers.add(NewProvider(issuer: "https://sso.example", name: "own", title: "Own"))
        try keyring.clients.add(ClientRegistration(id: "a", authentication: .post), secret: secret("x"), at: "google")
        let (keys, other) = (BundleKeys(), try KeyringHome())
        let bundle = try other.folder.bundle(try keyring.bundle(for: keys.seal))
        #expect(try other.keyring.bundles.import(bundle, with: keys.opener, taking: .all).lines.isEmpty)
        // Crafted ones are refused, even from one who knows which vault they go to.
        let planted = try keyring.providers.named("own").document
        let settings = [
            ("provider:own", String(decoding: planted, as: UTF8.self)), ("client:accounts.google.com:a", "{}"),
            ("default client:accounts.google.com", "a"),
        ].map { name, value in
            BundleContents.Entry(
                record: ItemRecord(
                    group: .default, content: .setting(name: name, value: value),
                    version: ItemVersion(stamp: Stamp(value: 1), device: 1)))
        }
        let vault = bytes(other.keyring.vaultID)
        let crafted = try other.folder.bundle(try keys.crafted(settings, vault: vault))
        let plan = try other.keyring.bundles.import(crafted, with: keys.opener)
        #expect(plan.lines.map(\.reason) == ["decision", "decision", "decision"], "\(plan)")
        #expect(try other.keyring.providers.list().allSatisfy { $0.origin == .builtIn })
        #expect(try other.keyring.clients.list().isEmpty)
    }

    @Test("a provider and its clients count in their group alone")
    func groups() throws {
        let ci = try AccessGroup("ci")
        try keyring.groups.create(ci)
        try keyring.providers.add(NewProvider(issuer: "https://sso.example", name: "own", title: "Own"), in: [ci])
        #expect(try keyring.providers.description(forEnvironment: "sso.example", in: [.default]) == nil)
        #expect(try keyring.providers.description(forEnvironment: "sso.example", in: [ci])?.title == "Own")
    }

    @Test(
        "a secret that somebody with the group's key put in the place of the owner's is told, and goes nowhere",
        .embeddedAlone)
    func replacedSecret() throws {
        let place = "accounts.google.com"
        let client = ClientRegistration(id: "a", authentication: .post)
        try keyring.clients.add(client, secret: secret("x"), at: "google")
        _ = try keyring.slots.grant(.default, to: .keyFile(keyFile(2)))
        let adversary = try home.opened(keyFile: 2)
        try adversary.withState { state in
            try adversary.change(&state, try state.group(.default)) {
                _ = try $0.save(clientSecret: secret("theirs"), clientID: "a", environment: place)
            }
        }
        for keyring in [keyring, adversary] {
            let error = failure(of: KeyringError.self) {
                _ = try keyring.clients.oauthClient(id: "a", environment: place)
            }
            #expect(error?.code == .damaged && error?.message.contains("not the one that was added") == true)
        }
        // Where they add the client again as well, that is theirs, and goes with their key.
        try adversary.clients.add(client, secret: secret("theirs"), at: "google", replacing: true)
        #expect(try keyring.groups.foreignDecisions().map(\.name) == ["client:accounts.google.com:a"])
        try keyring.clients.add(client, secret: secret("x"), at: "google", replacing: true)
        #expect(try form(keyring, "a").contains("client_secret=x"))
        #expect(try keyring.groups.foreignDecisions().isEmpty)
    }

    @Test("a secret that is missing is told, and no request goes out without it")
    func missing() throws {
        try keyring.clients.add(
            ClientRegistration(id: "a", authentication: .post), secret: secret("x"), at: "google")
        try keyring.withState { state in
            try keyring.change(&state, try state.group(.default)) {
                try $0.removeClientSecret(clientID: "a", environment: "accounts.google.com")
            }
        }
        #expect(code { _ = try keyring.clients.oauthClient(id: "a", environment: "accounts.google.com") } == .damaged)
        #expect(try keyring.clients.list().count == 1)
    }
}
