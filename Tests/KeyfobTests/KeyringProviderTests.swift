@testable import Keyfob
import KeyfobOAuth
import KeyfobRecords
import KeyfobTestSupport
import Testing

@Suite("The providers of a keyring", .eachStorageInFullRun)
struct KeyringProviderTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let work: AccessGroup
    private let contoso = NewProvider(issuer: "https://sso.contoso.example/staff", name: "contoso")

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
        work = try AccessGroup("work")
        try keyring.groups.create(work)
    }

    private func code(_ body: () throws -> Void) -> KeyringError.Code? {
        failure(of: KeyringError.self, body)?.code
    }

    @Test("those built in need no group, and answer to names, issuers, hosts and their aliases")
    func builtIn() throws {
        let names = try keyring.providers.list().map(\.name)
        #expect(Set(["microsoft", "google", "github", "gitlab"]).isSubset(of: names))
        for (text, name) in [
            ("Google", "google"), ("https://accounts.google.com", "google"), ("https://accounts.google.com/", "google"),
            ("accounts.google.com", "google"), ("github.com", "github"), ("https://github.com", "github"),
            ("login.windows.net", "microsoft"), ("STS.windows.net", "microsoft"),
            ("https://login.microsoftonline.com", "microsoft"),
            ("https://login.microsoftonline.com/organizations", "microsoft-organizations"),
            ("https://login.microsoftonline.us/organizations/v2.0", "microsoft-us-government"),
        ] {
            #expect(try keyring.providers.named(text).name == name, "\(text)")
        }
    }

    @Test("one that was added gets another name, and its clients are the same")
    func rename() throws {
        try keyring.providers.add(contoso, in: [work])
        try keyring.clients.add(ClientRegistration(id: "app"), at: "contoso", in: [work])
        let renamed = try keyring.providers.rename("Contoso", to: "staff")
        #expect(renamed.name == "staff" && renamed.origin == .added(work))
        #expect(code { _ = try keyring.providers.named("contoso") } == .noSuchProvider)
        #expect(try keyring.clients.list(of: "staff").map(\.client.id) == ["app"])
        #expect(try home.opened().providers.named("staff").issuer == contoso.issuer)
        try keyring.providers.add(NewProvider(issuer: "https://other.example", name: "other"))
        for (old, new, expected) in [
            ("staff", "other", KeyringError.Code.alreadyExists), ("staff", "google", .alreadyExists),
            ("staff", "github.com", .alreadyExists), ("staff", "Staff Two", .usage), ("google", "own", .usage),
            ("nobody", "own", .noSuchProvider),
        ] {
            #expect(code { try keyring.providers.rename(old, to: new) } == expected, "\(old) \(new)")
        }
        #expect(try keyring.providers.rename("staff", to: "staff").name == "staff")
    }

    @Test("its file of certificates is an absolute path")
    func certificateFile() throws {
        var own = contoso
        own.certificateFile = "ca.pem"
        #expect(code { try keyring.providers.add(own) } == .usage)
        own.certificateFile = "/etc/ca.pem"
        let provider = try keyring.providers.add(own)
        #expect(provider.certificateFile == "/etc/ca.pem")
        try keyring.providers.add(provider.document, replacing: true)
        #expect(try home.opened().providers.named("contoso").certificateFile == "/etc/ca.pem")
    }

    @Test(
        "the address of a tenant gives Microsoft for that tenant",
        arguments: [
            "https://login.microsoftonline.com/", "https://login.windows.net/", "https://LOGIN.microsoft.com/",
        ],
        ["contoso.example", "contoso.example/", "contoso.example/v2.0", "contoso.example/v2.0/"])
    func tenant(host: String, path: String) throws {
        let provider = try keyring.providers.named(host + path)
        #expect(provider.name == "microsoft")
        #expect(provider.issuer == "https://login.microsoftonline.com/contoso.example/v2.0")
    }

    @Test(
        "what names no provider is not found, and its query is not repeated",
        arguments: [
            "nothing", "", " ", "sso.example", "https://sso.example", "https://github.com/login", "http://github.com/x",
            "https://accounts.google.com/contoso", "https://login.microsoftonline.com/a/b/c",
            "https://login.microsoftonline.com/a/oauth2", "https://login.microsoftonline.com/..",
            "https://login.microsoftonline.com/a%2Fb", "https://ada:pw@login.microsoftonline.com/a",
            "https://login.microsoftonline.com/a?token=hunter2",
        ])
    func unknown(text: String) throws {
        let error = failure(of: KeyringError.self) { _ = try keyring.providers.named(text) }
        #expect(error?.code == .noSuchProvider)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test(
        "the clouds of countries have names",
        arguments: [
            ("microsoft-us-government", "login.usgovcloudapi.net"), ("microsoft-china", "login.chinacloudapi.cn"),
            ("microsoft-france", "login.sovcloud-identity.fr"), ("microsoft-germany", "login.sovcloud-identity.de"),
            ("microsoft-singapore", "login.sovcloud-identity.sg"),
        ])
    func clouds(name: String, host: String) throws {
        #expect(try keyring.providers.named(host).name == name)
        #expect(try keyring.providers.named("https://\(host)/contoso.example").name == name)
    }

    @Test("an authority adds its provider once, answers to its other policies, and takes no cloud's place")
    func authorities() throws {
        let path = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"
        let added = try keyring.providers.matching(Authority(path + "b2c_1_signin"), in: [work])
        #expect(added.isNew && added.provider.name == "contoso.b2clogin.com")
        #expect(added.provider.origin == .added(work) && added.provider.quirks.contains("b2c"))
        let other = try keyring.providers.matching(Authority(path + "b2c_1_edit/"), in: [work])
        #expect(!other.isNew && other.provider.issuer == path + "b2c_1_edit/v2.0")
        #expect(try keyring.providers.named(path + "b2c_1_edit/v2.0").issuer == path + "b2c_1_edit/v2.0")
        #expect(try keyring.providers.named("contoso.b2clogin.com").issuer == path + "b2c_1_signin/v2.0")
        // It counts in its group alone, and no other kind takes its host.
        #expect(code { _ = try keyring.providers.matching(Authority(path + "b2c_1_edit")) } == .alreadyExists)
        #expect(
            code { _ = try keyring.providers.matching(Authority("https://contoso.b2clogin.com/adfs")) }
                == .alreadyExists)
        #expect(try keyring.providers.matching(Authority("https://login.microsoftonline.us/a.example")).isNew == false)
        for text in ["https://login.microsoftonline.com/a", "https://sso.example/realms/staff"] {
            let authority = try Authority(text)
            #expect(code { try keyring.providers.add(NewProvider(authority: authority)) } == .usage)
        }
        #expect(
            code { _ = try keyring.providers.matching(Authority("https://login.microsoftonline.de/a")) }
                == .noSuchProvider)
        #expect(
            code {
                let document = String(decoding: added.provider.document, as: UTF8.self)
                    .replacing("contoso.onmicrosoft.com/b2c_1_signin", with: "contoso")
                try keyring.providers.add([UInt8](document.utf8), replacing: true, in: [work])
            } == .damaged)
    }

    @Test("one that is added by its issuer is found again, by another process too, and gone when removed")
    func added() throws {
        let provider = try keyring.providers.add(contoso)
        #expect(provider.origin == .added(.default) && provider.writer == .owner)
        #expect(provider.environment == "sso.contoso.example")
        for text in ["contoso", "CONTOSO", "https://sso.contoso.example/staff", "sso.contoso.example"] {
            #expect(try home.opened().providers.named(text) == provider, "\(text)")
        }
        #expect(try keyring.providers.list().last == provider)
        let removal = try keyring.providers.remove("Contoso")
        #expect(removal == .init(provider: provider, clients: 0, orphanedAccounts: 0))
        #expect(code { _ = try keyring.providers.named("contoso") } == .noSuchProvider)
        #expect(code { _ = try keyring.providers.remove("contoso") } == .noSuchProvider)
    }

    @Test("of an issuer with a port the environment has it, and its own port is left out")
    func ports() throws {
        for (issuer, environment) in [
            ("http://127.0.0.1:4600/o", "127.0.0.1:4600"), ("http://127.0.0.1:4601/o", "127.0.0.1:4601"),
            ("http://[::1]:80/o", "[::1]"), ("https://A.example:443", "a.example"),
            ("https://b.example:80", "b.example:80"),
        ] {
            #expect(try keyring.providers.add(NewProvider(issuer: issuer)).environment == environment)
        }
        #expect(try keyring.providers.named("http://127.0.0.1:4601/o").environment == "127.0.0.1:4601")
        #expect(
            try keyring.providers.description(forEnvironment: "127.0.0.1:4600")?.issuer == "http://127.0.0.1:4600/o")
    }

    @Test(
        "an issuer that will not do is refused",
        arguments: [
            "http://sso.example", "sso.example", "", "https://", "ftp://x", "https://x.example/?a", "https://x y",
        ])
    func badIssuer(issuer: String) {
        #expect(code { try keyring.providers.add(NewProvider(issuer: issuer)) } == .usage)
        #expect(code { try keyring.providers.add(NewProvider(issuer: "https://x.example", name: "a b")) } == .usage)
        #expect(code { try keyring.providers.add(NewProvider(issuer: "https://x.example", title: "\u{1B}")) } == .usage)
    }

    @Test("a name is given once, unless it is to be replaced, where it stands")
    func duplicates() throws {
        try keyring.providers.add(contoso, in: [work])
        #expect(code { try keyring.providers.add(contoso) } == .alreadyExists)
        var other = contoso
        other.title = "New"
        #expect(try keyring.providers.add(other, replacing: true).origin == .added(work))
        #expect(try keyring.providers.named("contoso").title == "New")
        #expect(try keyring.providers.list(in: [.default]).contains { $0.name == "contoso" } == false)
    }

    @Test(
        "nobody speaks for the accounts of another",
        arguments: [
            NewProvider(issuer: "https://evil.example", name: "evil", environment: "accounts.google.com"),
            NewProvider(issuer: "https://evil.example", name: "evil", environment: "login.windows.net"),
            NewProvider(issuer: "https://login.microsoftonline.com/common/v2.0", name: "evil"),
            NewProvider(issuer: "https://evil.example", name: "github.com"),
            NewProvider(issuer: "https://accounts.google.com", name: "evil", environment: "evil.example"),
            NewProvider(issuer: "https://sso.contoso.example/other", name: "evil"),
        ])
    func clashes(new: NewProvider) throws {
        try keyring.providers.add(contoso)
        #expect(code { try keyring.providers.add(new) } == .alreadyExists)
        #expect(code { try keyring.providers.add(new, replacing: true) } == .alreadyExists)
    }

    @Test("a built-in one stays what it is", arguments: ["accounts.google.com", "g.example"])
    func builtIn(environment: String) throws {
        let own = NewProvider(issuer: "https://\(environment)", name: "google", title: "Own")
        #expect(code { try keyring.providers.add(own) } == .alreadyExists)
        #expect(code { try keyring.providers.add(own, replacing: true) } == .alreadyExists)
        #expect(try keyring.providers.named("google").title == "Google")
        #expect(code { _ = try keyring.providers.remove("google") } == .usage)
    }

    @Test("of two groups the first counts")
    func firstGroup() throws {
        var other = contoso
        try keyring.providers.add(contoso, in: [.default])
        other.title = "Other"
        try keyring.providers.add(other, in: [work])
        #expect(try keyring.providers.named("contoso", in: [work, .default]).title == "Other")
        #expect(try keyring.providers.named("contoso", in: [.default, work]).title == "sso.contoso.example")
        #expect(try keyring.providers.list().count { $0.name == "contoso" } == 1)
    }

    @Test("a key for one group finds what that group has, and adds there", .embeddedAlone)
    func groupKey() throws {
        try keyring.providers.add(contoso)
        _ = try keyring.slots.grant(work, to: .keyFile(keyFile(2)))
        let limited = try home.opened(keyFile: 2)
        #expect(code { _ = try limited.providers.named("contoso") } == .noSuchProvider)
        #expect(try limited.providers.named("google").origin == .builtIn)
        #expect(try limited.providers.add(contoso).origin == .added(work))
        #expect(code { try limited.providers.add(contoso, in: [.default]) } == .groupNotGranted)
        #expect(code { _ = try limited.providers.list(in: [.default]) } == .groupNotGranted)
    }

    @Test("an account's environment leads to its provider, for its tenant")
    func environments() throws {
        func issuer(_ environment: String, _ tenant: String? = nil) throws -> String? {
            try keyring.providers.description(forEnvironment: environment, tenant: tenant)?.issuer
        }
        let home = "https://login.microsoftonline.com/"
        #expect(try issuer("login.windows.net") == home + "common/v2.0")
        #expect(try issuer("login.windows.net", "Consumers") == home + "consumers/v2.0")
        #expect(try issuer("login.microsoftonline.com", "t-1") == home + "t-1/v2.0")
        #expect(try issuer("login.chinacloudapi.cn", "t-1") == "https://login.partner.microsoftonline.cn/t-1/v2.0")
        #expect(try issuer("login.microsoftonline.com", "../x") == nil)
        #expect(try issuer("gitlab.com", "anything") == "https://gitlab.com")
        #expect(try keyring.providers.description(forEnvironment: "github.com")?.name == "github")
        #expect(try issuer("nowhere.example") == nil)
    }

    @Test("removing a provider whose accounts stay says how many, and takes its clients along")
    func inUse() throws {
        try keyring.providers.add(contoso)
        try keyring.clients.add(
            ClientRegistration(id: "app", authentication: .post), secret: secret("s"), at: "contoso")
        let ada = Account(
            id: try #require(AccountID(homeAccountID: "ada", environment: "sso.contoso.example")), username: "ada")
        try keyring.store(.access(ada), "token", for: ada, in: [work])
        let removal = try keyring.providers.remove("contoso")
        #expect(removal.clients == 1 && removal.orphanedAccounts == 1)
        #expect(try keyring.clients.list().isEmpty)
        #expect(try keyring.accounts.list().count == 1)
    }

    @Test("what makes no sense in a group is passed over with a warning")
    func nonsense() throws {
        _ = keyring.takeWarnings()
        try keyring.withState { state in
            let group = try state.group(.default)
            try keyring.change(&state, group) { writer in
                let evil = NewProvider(issuer: "https://evil.example", name: "evil", environment: "github.com")
                let text = String(decoding: try evil.description().json, as: UTF8.self)
                try writer.setSetting("provider:evil", to: text)
                try writer.setSetting("provider:x", to: "{}")
                try writer.setSetting("client:x", to: "{}")
                try writer.setSetting("client:github.com:y", to: "{}")
            }
        }
        #expect(try keyring.providers.list().count == ProviderRegistry.builtIn.count)
        #expect(keyring.takeWarnings().count == 2)
        #expect(try keyring.clients.list().isEmpty)
        #expect(keyring.takeWarnings().contains { $0.message.contains("a client of group 'default' makes no sense") })
        #expect(try keyring.providers.description(forEnvironment: "github.com")?.name == "github")
    }
}
