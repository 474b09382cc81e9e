import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// What programs get of a vault: what was decided, and nothing else.
@Suite("The desk that programs come to")
struct AgentDeskTests {
    let home: AgentHome
    let mail: AgentCaller

    init() throws {
        home = try AgentHome()
        mail = try home.caller()
    }

    private func permit(_ account: Account?, digest: String? = nil, isAllowed: Bool = true) throws {
        try home.keyring.permit(
            ProgramPermission(
                of: mail.program, account: account?.id, digest: digest, isAllowed: isAllowed, in: .default))
    }

    @Test("A program that nobody has decided about gets nothing where there is nobody to ask, and learns no name")
    func undecided() async throws {
        for account in [nil, "ada", "nobody", home.ada.id.description] {
            let error = try #require(await home.refusal(account, for: mail))
            #expect(error.code == .notPermitted && error.candidates.isEmpty)
            #expect(!error.message.contains("contoso") && !error.message.contains("bob"))
            #expect(error.advice == .permitProgram("executable:/usr/bin/mail", account: nil, group: nil))
        }
        #expect(try await home.desk.accounts(for: mail).isEmpty)
        #expect(home.audit.entries.map(\.answer) == Array(repeating: "notPermitted", count: 4) + ["done"])
    }

    @Test("One that may use an account gets that one, also where it names none, and sees no other")
    func permitted() async throws {
        try permit(home.bob)
        #expect(try await home.token(for: mail) == "token of bob@contoso.example")
        #expect(try await home.token("bob", for: mail) == "token of bob@contoso.example")
        #expect(try await home.desk.accounts(for: mail).map(\.account.id) == [home.bob.id])
        #expect(try await home.desk.select(TokenRequest(scopes: ["mail.read"]), for: mail).account.id == home.bob.id)
        #expect(await home.refusal("ada", for: mail)?.code == .notPermitted)
        #expect(await home.refusal("ada", for: try home.caller("executable:/usr/bin/other"))?.code == .notPermitted)
        let entry = try #require(home.audit.entries.first)
        #expect(entry.account == home.bob.id && entry.group == .default && entry.permission == .always)
        #expect(entry.answer == "stored" && entry.kind == .token && entry.program == mail.program)
    }

    @Test("One that may use both has to say which")
    func ambiguous() async throws {
        try permit(nil)
        #expect(await home.refusal(for: mail)?.code == .ambiguous)
        #expect(try await home.token("ada", for: mail) == "token of ada@contoso.example")
    }

    @Test("What forbids goes before what allows")
    func denied() async throws {
        try permit(home.ada)
        try permit(nil, isAllowed: false)
        let error = try #require(await home.refusal("ada", for: mail))
        #expect(error.code == .notPermitted && error.advice == .forgetProgram("executable:/usr/bin/mail"))
        #expect(try await home.desk.accounts(for: mail).isEmpty)
        #expect(home.person.asked.isEmpty)
    }

    @Test("With another file it is asked about again, and told that it has changed")
    func changed() async throws {
        try permit(home.ada, digest: "aa")
        #expect(await home.refusal("ada", for: mail) == nil)
        let other = try home.caller(digest: "bb")
        let error = try #require(await home.refusal("ada", for: other))
        #expect(error.message.contains("has changed since it was allowed"))
        #expect(home.person.asked.count == 1)
    }

    @Test("Once is once; for the session is until it is locked; always is written down with the program's file")
    func answers() async throws {
        let send = AgentHome.token(of: home.ada, scopes: ["mail.send"])
        _ = try home.keyring.store(send, secret: secret("for sending"), for: home.ada)
        home.person.says { .allowed($0.accounts[0], .once) }
        #expect(await home.refusal("ada", for: mail) == nil)
        #expect(await home.refusal("ada", for: mail) == nil)
        #expect(home.person.asked.count == 2)
        home.person.says { .allowed($0.accounts[0], .session) }
        #expect(await home.refusal("ada", for: mail) == nil)
        home.person.says { _ in .nobodyThere }
        #expect(await home.refusal("ada", for: mail) == nil)
        #expect(await home.refusal("ada", scopes: ["mail.send"], for: mail)?.code == .notPermitted)
        #expect(home.desk.lock())
        #expect(await home.refusal("ada", for: mail)?.code == .notPermitted)
        home.person.says { .allowed($0.accounts[0], .always) }
        #expect(await home.refusal("ada", for: mail) == nil)
        let permission = try #require(try home.keyring.programPermissions().first)
        #expect(permission.account == home.ada.id && permission.digest == "aa" && permission.isAllowed)
        home.person.says { _ in .nobodyThere }
        #expect(await home.refusal("ada", scopes: ["mail.read"], for: mail) == nil)
    }

    @Test("Never is written down; who is sent away is not asked about for a minute")
    func refusals() async throws {
        home.person.says { _ in .dismissed }
        #expect(await home.refusal("ada", for: mail)?.code == .notPermitted)
        #expect(await home.refusal("ada", for: mail)?.code == .notPermitted)
        #expect(home.person.asked.count == 1)
        home.time.advance(by: 60)
        home.person.says { _ in .never }
        #expect(await home.refusal("ada", for: mail)?.code == .notPermitted)
        #expect(home.person.asked.count == 2)
        #expect(try home.keyring.programPermissions().map(\.isAllowed) == [false])
        #expect(home.audit.entries.last?.permission == .never)
    }

    @Test("Where several accounts would do, the person chooses among those that nobody has decided about")
    func choosing() async throws {
        let bob = home.bob.id
        home.person.says { question in
            question.accounts.first { $0.account.id == bob }.map { .allowed($0, .once) } ?? .dismissed
        }
        #expect(try await home.token(for: mail) == "token of bob@contoso.example")
        #expect(home.person.asked.first?.accounts.count == 2)
    }

    @Test("What cannot be written down is not given out")
    func fullDisk() async throws {
        try permit(home.ada)
        home.audit.fill()
        #expect(await home.refusal("ada", for: mail)?.code == .diskFull)
        #expect(home.audit.entries.isEmpty)
    }

    @Test("A decision goes with its account")
    func removedAccount() async throws {
        try permit(home.ada)
        _ = try await home.keyring.signOut(home.ada.id, reach: .forget, from: .default, network: nil)
        #expect(try home.keyring.programPermissions().isEmpty)
    }
}
