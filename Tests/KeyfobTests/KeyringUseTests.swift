import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@Suite("The uses of tokens that a keyring notes", .eachStorageInFullRun)
struct KeyringUseTests {
    private let home: KeyringHome
    private let ada: Account

    init() throws {
        home = try KeyringHome()
        ada = try .contoso("ada")
        try home.keyring.store(.access(ada), "token", for: ada)
    }

    private func request(_ host: String = "git.example") -> TokenRequest {
        TokenRequest(
            account: "ada@contoso.example",
            context: RequestContext(
                url: ResourceURL(host: host, path: ["a"]), tool: "mine",
                remote: ResourceURL(host: "git.example", path: ["contoso", "app"])),
            allowedHost: host)
    }

    @Test("a token that was given is noted once a minute, with what the request says")
    func noted() throws {
        let keyring = home.keyring
        for path in ["a", "b", "SECRET"] {
            var request = request()
            request.context.url = ResourceURL(host: "git.example", path: [path])
            _ = try keyring.tokens.stored(for: request)
        }
        _ = try keyring.tokens.stored(for: request("other.example"))
        let (uses, unreadable) = try keyring.uses.list()
        #expect(uses.count == 2 && unreadable == 0)
        let use = try #require(uses.first)
        #expect(use.isOf(ada) && use.account == ada.id.description && use.name != nil && use.time == noon)
        #expect(use.door == .library && use.tool == "mine" && use.host == "git.example" && use.origin == .stored)
        #expect(use.repository == "git.example/contoso/app" && use.directory == nil && use.group == .default)
        _ = try home.opened(at: noon.advanced(by: 60)).tokens.stored(for: request())
        #expect(try home.opened(at: noon.advanced(by: 60)).uses.list().uses.count == 3)
    }

    @Test("what is older than 30 days is not told, and is removed")
    func old() throws {
        _ = try home.keyring.tokens.stored(for: request())
        #expect(try home.opened(at: noon.advanced(by: 29 * 86_400)).uses.list().uses.count == 1)
        #expect(try home.opened(at: noon.advanced(by: 31 * 86_400)).uses.list().uses.isEmpty)
        #expect(try home.opened(at: noon.advanced(by: 60 * 86_400)).uses.list().uses.isEmpty)
        #expect(try home.keyring.uses.list().uses.isEmpty)
    }

    @Test("what gives nobody a token notes nothing, and turned off nothing is noted")
    func nothing() throws {
        let keyring = home.keyring
        _ = try keyring.tokens.kept(for: request())
        _ = try keyring.accounts.select(request())
        #expect(try keyring.uses.list().uses.isEmpty)
        try keyring.uses.turnOff()
        #expect(!keyring.uses.isOn)
        _ = try keyring.tokens.stored(for: request())
        #expect(try keyring.uses.list().uses.isEmpty)
        try keyring.uses.turnOn()
        _ = try keyring.tokens.stored(for: request("other.example"))
        #expect(try keyring.uses.list().uses.count == 1)
    }

    @Test("who has the key of one group sees the uses in that group")
    func groups() throws {
        let work = try home.sharedGroup("work")
        let bob = try Account.contoso("bob")
        try home.keyring.store(.access(bob), "token", for: bob, in: [work])
        _ = try home.keyring.tokens.stored(for: request())
        var other = request()
        other.account = "bob@contoso.example"
        _ = try home.keyring.tokens.stored(for: other)
        #expect(try home.keyring.uses.list().uses.map(\.group) == [.default, work])
        #expect(try home.opened(keyFile: 2).uses.list().uses.map(\.group) == [work])
    }
}

@Suite("The uses of tokens that old keys sealed")
struct OldUseTests {
    private let home: KeyringHome
    private let ada: Account

    init() throws {
        home = try KeyringHome()
        ada = try .contoso("ada")
        try home.keyring.store(.access(ada), "token", for: ada)
    }

    @Test("what was noted under older keys goes with them, and that of a group with the group")
    func oldKeys() throws {
        let work = try home.sharedGroup("work")
        let bob = try Account.contoso("bob")
        try home.keyring.store(.access(bob), "token", for: bob, in: [work])
        func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: uses) }
        func use(_ keyring: Keyring) throws {
            for name in ["ada", "bob"] {
                _ = try keyring.tokens.stored(for: TokenRequest(account: "\(name)@contoso.example"))
            }
        }
        try use(home.keyring)
        let before = try files()
        #expect(before.count == 2)
        _ = try home.keyring.groups.rotate(work)
        #expect(try files().count == 1)
        try use(try home.opened())
        let slot = try #require(try home.keyring.slots.list().first { $0.group == work })
        _ = try home.keyring.slots.revoke(slot.id, of: work)
        #expect(try files().count == 1)
        try use(try home.opened())
        // Whoever still had the old key.
        for name in before { try Data(count: 512).write(to: URL(fileURLWithPath: "\(uses)/\(name)")) }
        _ = try home.keyring.uses.list()
        #expect(try files().count == 2)
        var rekeying = try home.keyring.slots.beginRekey()
        try rekeying.keep(keyFile: keyFile(1))
        let rekeyed = try rekeying.commit { _ in }
        #expect(try files().isEmpty && !rekeyed.oldFiles.contains { $0.contains("/uses/") })
        try use(try home.opened())
        #expect(try files().count == 2)
        _ = try home.keyring.groups.remove(work)
        #expect(try files().count == 1)
    }

    private var uses: String { home.keyring.location.vault + "/uses" }
}
