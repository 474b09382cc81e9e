import Foundation
@testable import Keyfob
import KeyfobLookup
import KeyfobRecords
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

@Suite("The bindings of a keyring", .eachStorageInFullRun)
struct KeyringBindingTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let ada: Account
    private let bob: Account
    /// Bob at another provider.
    private let hub: Account
    private let work: AccessGroup

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
        (ada, bob) = (try .contoso("ada"), try .contoso("bob"))
        hub = Account(
            id: try #require(AccountID(homeAccountID: "bob", environment: "git.example:8443")), username: "bob@hub")
        work = try AccessGroup("work")
        try keyring.groups.create(work)
        for account in [ada, bob, hub] { try keyring.store(.access(account), "token", for: account) }
        try keyring.store(.access(bob), "token", for: bob, in: [work])
    }

    private func code(_ body: () throws -> Void) -> KeyringError.Code? {
        failure(of: KeyringError.self, body)?.code
    }

    private static let subjects: [Binding.Subject] = [
        .directory("/home/ada/work: *%"), .url(ResourceURL(host: "git.example:443", path: ["contoso", "a%2Fb"])),
        .host("[::1]:8443"), .tool("terraform"),
    ]

    @Test("what is bound is found again, by another process too", arguments: subjects)
    func bound(subject: Binding.Subject) throws {
        try keyring.bindings.set(subject, to: .account(ada.id), in: .default)
        let expected = [Binding(subject, to: .account(ada.id), from: .keyring(.default), by: .owner)]
        #expect(try keyring.bindings.list() == expected)
        #expect(try home.opened().bindings.list() == expected)
        #expect(try keyring.bindings.list(in: [work]).isEmpty)
    }

    @Test("a subject has one account at each provider; 'none' takes the place of all, and any account that of it")
    func onePerProvider() throws {
        let subject = Binding.Subject.directory("/x")
        func targets() throws -> [Binding.Target] { try keyring.bindings.list().map(\.target) }
        try keyring.bindings.set(subject, to: .account(ada.id), in: .default)
        try keyring.bindings.set(subject, to: .account(hub.id), in: .default)
        try keyring.bindings.set(subject, to: .account(bob.id), in: .default)
        #expect(try targets() == [.account(bob.id), .account(hub.id)])
        try keyring.bindings.set(subject, to: .nobody, in: .default)
        #expect(try targets() == [.nobody])
        try keyring.bindings.set(subject, to: .account(hub.id), in: .default)
        #expect(try targets() == [.account(hub.id)])
    }

    @Test("subjects that begin alike, and groups, do not touch one another")
    func neighbours() throws {
        for path in ["/x", "/x:y", "/x:git.example%3A8443", "/x/y"] {
            try keyring.bindings.set(.directory(path), to: .account(ada.id), in: .default)
            try keyring.bindings.set(.directory(path), to: .account(hub.id), in: .default)
        }
        try keyring.bindings.set(.directory("/x"), to: .account(bob.id), in: work)
        #expect(try keyring.bindings.list().count == 9)
        try keyring.bindings.set(.directory("/x"), to: .nobody, in: .default)
        #expect(try keyring.bindings.list().count == 8)
        #expect(try keyring.bindings.remove(.directory("/x"), in: [.default]) == 1)
        #expect(try keyring.bindings.remove(.directory("/x:y")) == 2)
        #expect(try keyring.bindings.list(in: [work]).map(\.subject) == [.directory("/x")])
        #expect(try keyring.bindings.list(in: [.default]).count == 4)
    }

    @Test("the order does not depend on that of binding")
    func order() throws {
        for subject in Self.subjects.reversed() {
            try keyring.bindings.set(subject, to: .account(ada.id), in: .default)
        }
        let kinds = try keyring.bindings.list().map(\.subject)
        #expect(kinds == Self.subjects)
    }

    @Test("what is not bound cannot be unbound, and a group is not written for it")
    func unbound() throws {
        #expect(code { _ = try keyring.bindings.remove(.tool("gh")) } == .noSuchBinding)
        try keyring.bindings.set(.tool("gh"), to: .nobody, in: work)
        #expect(code { _ = try keyring.bindings.remove(.tool("gh"), in: [.default]) } == .noSuchBinding)
        #expect(try keyring.bindings.remove(.tool("gh")) == 1)
        #expect(try keyring.bindings.list().isEmpty)
    }

    @Test("an account that is not in the group, or a group that is not there, is told")
    func missing() throws {
        #expect(code { try keyring.bindings.set(.tool("gh"), to: .account(ada.id), in: work) } == .noSuchAccount)
        let nowhere = try AccessGroup("nowhere")
        #expect(code { try keyring.bindings.set(.tool("gh"), to: .nobody, in: nowhere) } == .noSuchGroup)
        #expect(code { _ = try keyring.bindings.list(in: [nowhere]) } == .noSuchGroup)
        #expect(try keyring.bindings.list().isEmpty)
    }

    @Test(
        "a binding outlives its account unless it is taken back, and stays the owner's under a new key", .embeddedAlone)
    func lifetime() throws {
        for account in [ada, bob] {
            try keyring.bindings.set(.tool(account.username), to: .account(account.id), in: .default)
        }
        let both = try keyring.bindings.list()
        try keyring.accounts.setDefault(bob.id, in: .default)
        _ = try keyring.accounts.removeForGood(bob.id, from: .default)
        _ = try keyring.groups.rotate(.default)
        #expect(try keyring.bindings.list() == both && both.allSatisfy { $0.writer == .owner })
        #expect(try keyring.accounts.meanings(of: bob.id).map(\.kind) == [.binding, .defaultAccount])
        #expect(try keyring.accounts.former().map(\.account.id) == [bob.id])
        let request = TokenRequest(environment: ada.id.environment)
        #expect(code { _ = try keyring.tokenText(request, in: [.default]) } == .noSuchAccount)
        #expect(try keyring.accounts.removeForGood(bob.id, from: .default, unbinds: true) == 0)
        let left = Binding(.tool(ada.username), to: .account(ada.id), from: .keyring(.default), by: .owner)
        #expect(try keyring.bindings.list() == [left])
        #expect(try keyring.accounts.meanings(of: bob.id).isEmpty && keyring.accounts.former().isEmpty)
        #expect(try keyring.tokenText(request, in: [.default]) == "token")
        #expect(
            code { _ = try keyring.accounts.removeForGood(bob.id, from: .default, unbinds: true) } == .noSuchAccount)
    }

    @Test("bindings lie sealed: the file holds neither subject nor account", .embeddedAlone)
    func sealed() throws {
        try keyring.bindings.set(.directory("/home/ada/very-private-project"), to: .account(ada.id), in: .default)
        let bytes = String(
            decoding: try Data(contentsOf: URL(filePath: home.location.vault + "/keyring.db")), as: UTF8.self)
        #expect(!bytes.contains("very-private-project"))
        #expect(!bytes.contains("binding:"))
    }

    @Test("a damaged setting is passed over with a warning, and said to be missing", .embeddedAlone)
    func damage() throws {
        try keyring.bindings.set(.tool("gh"), to: .account(ada.id), in: .default)
        try keyring.bindings.set(.tool("az"), to: .account(ada.id), in: .default)
        try home.database().run(
            "UPDATE records SET attributes = zeroblob(200) WHERE id = (SELECT max(id) FROM records WHERE kind = 7)")
        let other = try home.opened()
        let found = try other.withState { state in try other.search.decisions(&state, state.groups(nil)) }
        #expect(found.bindings.map(\.subject) == [.tool("gh")])
        #expect(!found.isWhole)
        #expect(other.takeWarnings().contains { $0.message.contains("damaged") })
    }

    @Test("a setting that makes no sense to this Keyfob is passed over with a warning")
    func newer() throws {
        try keyring.withState { state in
            let group = try state.group(.default)
            try keyring.change(&state, group) { writer in
                for (name, value) in [
                    ("binding:moon:x:*", "none"), ("binding:tool:gh:*", "ada@git.example"), ("binding:tool:gh", "none"),
                    ("binding:tool:gh:git.example", "none"), ("binding:", "none"), ("binding::", "none"),
                    ("binding:::", "none"), ("binding:directory:x:*", "none"), ("binding:tool:gh:*", ""),
                ] {
                    try writer.setSetting(name, to: value)
                }
            }
        }
        #expect(try keyring.bindings.list().isEmpty)
        #expect(keyring.takeWarnings().count { $0.message.contains("makes no sense") } == 1)
    }
}
