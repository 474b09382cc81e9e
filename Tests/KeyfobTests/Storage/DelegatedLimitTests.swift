import Keyfob
import KeyfobTestSupport
import Testing

@Suite("What the Secret Service does not offer")
struct DelegatedLimitTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let work: AccessGroup

    init() throws {
        home = try KeyringHome(in: SharedSession.forOneVault())
        keyring = home.keyring
        work = try AccessGroup("work")
        let ada = try Account.contoso("ada")
        try keyring.groups.create(work)
        try keyring.store(.access(ada), "token", for: ada, in: [work])
    }

    /// What is not offered changes no item and makes no backup.
    private func expectNotOffered(_ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let state = try home.state()
        let error = failure(of: KeyringError.self, body)
        #expect(error?.code == .notOffered, sourceLocation: sourceLocation)
        #expect(error?.advice == .moveToFile, sourceLocation: sourceLocation)
        #expect(try home.state() == state, sourceLocation: sourceLocation)
        #expect(try keyring.bundles.backups() == [], sourceLocation: sourceLocation)
    }

    @Test("a new key for a group")
    func rotation() throws {
        try expectNotOffered { _ = try keyring.groups.rotate(work) }
        try expectNotOffered { _ = try keyring.slots.revoke("00", of: work) }
    }

    @Test("a key for one group")
    func grants() throws {
        try expectNotOffered { _ = try keyring.slots.grant(work, to: .keyFile(keyFile(2))) }
        try expectNotOffered { _ = try keyring.slots.grant(work, to: .passphrase(secret("long enough"))) }
    }

    @Test("keys of one's own; a recipient, who opens backups, may be added")
    func slots() throws {
        try expectNotOffered { _ = try keyring.slots.add(.keyFile(keyFile(2))) }
        try expectNotOffered { _ = try keyring.slots.add(.passphrase(secret("long enough"))) }
        let options = try #require(home.session).options
        try expectNotOffered { _ = try keyring.slots.add(.secretService(options)) }
        let slot = try keyring.slots.add(.recipient(BundleKeys().recipient))
        #expect(try home.opened().slots.list().map(\.kind) == ["recipient", "recipient"])
        try keyring.slots.remove(slot)
        #expect(try home.opened().slots.list().map(\.kind) == ["recipient"])
    }

    @Test("staying unlocked for a while")
    func session() throws {
        try expectNotOffered { try keyring.keepKey(seconds: 60) }
    }
}
