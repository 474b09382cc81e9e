import Keyfob
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

@Suite("The groups of a keyring")
struct KeyringGroupTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let work: AccessGroup
    private let ada: Account
    private let bob: Account
    private let request = TokenRequest()

    /// Ada is in `default`, Bob in `work`, which key file 2 opens alone.
    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
        work = try AccessGroup("work")
        (ada, bob) = (try .contoso("ada"), try .contoso("bob"))
        try keyring.groups.create(work)
        try keyring.store(.access(ada), "token of ada", for: ada)
        try keyring.store(.access(bob), "token of bob", for: bob, in: [work])
        _ = try keyring.slots.grant(work, to: .keyFile(keyFile(2)))
    }

    private func code(_ body: () throws -> Void) -> KeyringError.Code? {
        failure(of: KeyringError.self, body)?.code
    }

    @Test("whoever holds a group's key sees that group alone")
    func limited() throws {
        let limited = try home.opened(keyFile: 2)
        #expect(!limited.opensWholeVault)
        #expect(try limited.groups.list().map(\.name) == [work])
        #expect(try limited.accounts.list().map(\.account) == [bob])
        #expect(try limited.tokenText(request) == "token of bob")
        #expect(limited.refusal(request, in: [.default]) == .groupNotGranted)
        #expect(limited.refusal(request, in: [work, .default]) == .groupNotGranted)
        #expect(limited.refusal(request, in: [try AccessGroup("nowhere")]) == .groupNotGranted)
        #expect(code { _ = try limited.accounts.list(in: [.default]) } == .groupNotGranted)
        #expect(limited.refusal(TokenRequest(account: "ada@contoso.example")) == .noSuchAccount)
        #expect(try limited.slots.list().map(\.group) == [work])
        let report = try limited.health.verify()
        #expect(report.problems == [] && report.isPartial && report.records == 2)
    }

    @Test("it stores into its group without being told which")
    func storing() throws {
        let limited = try home.opened(keyFile: 2)
        let eve = try Account.contoso("eve")
        try limited.store(.access(eve), "token of eve", for: eve)
        #expect(try keyring.accounts.list(in: [work]).map(\.account) == [bob, eve])
        #expect(code { try limited.store(.access(eve), "x", for: eve, in: [.default]) } == .groupNotGranted)
    }

    @Test("it changes neither groups nor slots")
    func needsVaultKey() throws {
        let limited = try home.opened(keyFile: 2)
        let slot = try #require(limited.slots.list().first).id
        let codes = [
            code { try limited.groups.create(AccessGroup("x")) },
            code { try limited.groups.rename(work, to: AccessGroup("x")) },
            code { _ = try limited.groups.remove(work) },
            code { _ = try limited.groups.rotate(work) },
            code { _ = try limited.slots.grant(work, to: .keyFile(keyFile(3))) },
            code { _ = try limited.slots.add(.keyFile(keyFile(3))) },
            code { try limited.slots.remove(slot) },
            code { _ = try limited.health.repair() },
        ]
        #expect(codes == Array(repeating: .needsVaultKey, count: codes.count))
    }

    @Test("a group that there is not is told from one that is not granted")
    func missing() throws {
        let nowhere = try AccessGroup("nowhere")
        #expect(keyring.refusal(request, in: [nowhere]) == .noSuchGroup)
        #expect(code { _ = try keyring.groups.remove(nowhere) } == .noSuchGroup)
        #expect(code { try keyring.groups.create(work) } == .alreadyExists)
        #expect(code { try keyring.groups.rename(work, to: .default) } == .alreadyExists)
    }

    @Test("after a group's key was replaced, those who stay go on and those who left do not")
    func rotation() throws {
        let third = try keyring.slots.grant(work, to: .keyFile(keyFile(3)))
        let (stays, leaves) = (try home.opened(keyFile: 2), try home.opened(keyFile: 3))
        try keyring.slots.remove(third)
        #expect(try keyring.groups.rotate(work) == 2)
        #expect(try keyring.tokenText(request, in: [work]) == "token of bob")
        #expect(try stays.tokenText(request) == "token of bob")
        #expect(leaves.refusal(request) != nil)
        #expect(code { _ = try home.opened(keyFile: 3) } == .wrongKey)
        #expect(try keyring.groups.list().map(\.epoch) == [1, 2])
        #expect(try home.opened().health.verify().problems == [])
    }

    @Test("a group that was removed takes its records with it")
    func removal() throws {
        let limited = try home.opened(keyFile: 2)
        #expect(try keyring.groups.remove(work) == 2)
        #expect(try keyring.accounts.list().map(\.account) == [ada])
        #expect(limited.refusal(request) != nil)
        #expect(try home.database().numbers("SELECT count(*) FROM records WHERE kind != 10") == [2])
        #expect(try home.database().numbers("SELECT count(*) FROM secrets") == [1])
        // Kept in the group that is left: that it cannot be undone.
        #expect(try home.database().numbers("SELECT count(*) FROM records WHERE kind = 10") == [1])
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("a renamed group is found under its new name by everyone")
    func renaming() throws {
        let other = try home.opened()
        let new = try AccessGroup("Büro")
        try keyring.groups.rename(work, to: new)
        #expect(try other.tokenText(request, in: [new]) == "token of bob")
        #expect(try home.opened(keyFile: 2).groups.list().map(\.name) == [new])
    }

    @Test("a group's summary counts what is in it")
    func summaries() throws {
        let all = try keyring.groups.list()
        #expect(all.map(\.name) == [.default, work])
        #expect(all.map(\.accounts) == [1, 1] && all.map(\.credentials) == [1, 1] && all.map(\.grants) == [0, 1])
    }
}
