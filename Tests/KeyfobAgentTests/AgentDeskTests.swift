import Foundation
@testable import Keyfob
import KeyfobAgent
import KeyfobTestSupport
import Testing

@Suite("What the desk gives to programs")
struct AgentDeskTests {
    let home: DeskHome
    let desk: AgentDesk
    let mailer: AgentCaller

    init() throws {
        home = try DeskHome()
        desk = home.desk()
        mailer = try home.caller()
    }

    @Test("who was permitted has the token, and nobody is asked")
    func permitted() async throws {
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, account: home.ada.id, in: .default))
        #expect(await home.token(desk, mailer, of: home.ada).text == "token of ada@contoso.example")
        #expect(home.person.asked.isEmpty)
        let entry = try #require(home.trail.entries.last)
        #expect(entry.kind == .token && entry.permission == .always && entry.answer == "stored")
        #expect(entry.account == home.ada.id && entry.group == .default && entry.scopes == ["mail.read"])
        #expect(entry.program == mailer.program && entry.process == 4_711 && entry.reason != nil)
    }

    @Test("without a name it is the account that the program may use")
    func onlyOne() async throws {
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, account: home.bob.id, in: .default))
        #expect(await home.token(desk, mailer).text == "token of bob@contoso.example")
    }

    @Test("several accounts that it may use are ambiguous, and only those are named")
    func severalPermitted() async throws {
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, in: .default))
        let error = try #require(await home.token(desk, mailer).error)
        #expect(error.code == .ambiguous)
        #expect(Set(error.candidates) == [home.ada.id.description, home.bob.id.description])
        #expect(home.trail.entries.last?.answer == "ambiguous")
    }

    @Test("who is forbidden has nothing, and nobody is asked")
    func denied() async throws {
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, isAllowed: false, in: .default))
        let other = ProgramPermission(of: mailer.program, account: home.ada.id, in: .default)
        try home.keyring.programs.permit(other)
        home.person.allow(.always)
        #expect(await home.token(desk, mailer, of: home.ada).error?.code == .notPermitted)
        #expect(home.person.asked.isEmpty)
        let entry = try #require(home.trail.entries.last)
        #expect(entry.permission == .never && entry.answer == "notPermitted" && entry.group == .default)
    }

    @Test("once is once")
    func once() async throws {
        home.person.allow(.once)
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        #expect(home.trail.entries.last?.permission == .once)
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        #expect(home.person.asked.count == 2)
        #expect(try home.keyring.programs.permissions().isEmpty)
    }

    @Test("for the session is until the agent ends or is locked, for what was asked and no more")
    func session() async throws {
        home.person.allow(.session)
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        #expect(home.trail.entries.last?.permission == .session)
        home.person.answer { _ in .nobodyThere }
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        #expect(home.trail.entries.last?.permission == .session)
        #expect(await home.token(desk, mailer, of: home.bob).error?.code == .notPermitted)
        #expect(await home.token(desk, mailer, of: home.ada, client: "mailer").error?.code == .notPermitted)
        #expect(await home.token(desk, mailer, of: home.ada, scopes: []).error?.code == .notPermitted)
        #expect(await home.token(home.desk(), mailer, of: home.ada).error?.code == .notPermitted)
        #expect(desk.lock())
        desk.vault.adopt(home.keyring)
        #expect(await home.token(desk, mailer, of: home.ada).error?.code == .notPermitted)
    }

    @Test("for the session is for the vault that was there: what takes its place has to be asked about")
    func replaced() async throws {
        let vault = AgentVault { [home] () throws(KeyringError) in
            try LockedKeyring(at: home.location, clock: .standing(at: DeskHome.noon)).unlock(with: .keyFile(keyFile(1)))
        }
        let desk = AgentDesk(
            vault, audit: home.trail, questions: home.person,
            network: { () throws(KeyringError) in throw KeyringError(.offline, "there is no network here") },
            clock: .standing(at: DeskHome.noon))
        home.person.allow(.session)
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        home.person.answer { _ in .nobodyThere }
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        let (file, aside) = (home.location.vault + "/keyring.db", home.folder.path + "/aside.db")
        try FileManager.default.moveItem(atPath: file, toPath: aside)
        try FileManager.default.copyItem(atPath: aside, toPath: file)
        let refused = await home.token(desk, mailer, of: home.ada)
        #expect(refused.error?.code == .notPermitted, "\(refused)")
    }

    @Test("always is for the program as it is now, and outlives the agent")
    func always() async throws {
        home.person.allow(.always)
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        #expect(home.trail.entries.last?.permission == .always)
        let permission = try #require(try home.keyring.programs.permissions().first)
        #expect(permission.digest == "aa" && permission.account == home.ada.id && permission.writer == .owner)
        home.person.answer { _ in .nobodyThere }
        #expect(await home.token(home.desk(), mailer, of: home.ada).text != nil)
    }

    @Test("a program that has changed is asked about again, and told so")
    func changed() async throws {
        home.person.allow(.always)
        _ = await home.token(desk, mailer, of: home.ada)
        let other = try home.caller(digest: "bb")
        home.person.answer { _ in .nobodyThere }
        let error = try #require(await home.token(desk, other, of: home.ada).error)
        #expect(error.code == .notPermitted && error.message.contains("has changed since it was allowed"))
        home.person.allow(.session)
        #expect(await home.token(desk, other, of: home.ada).text != nil)
        home.person.answer { _ in .nobodyThere }
        #expect(await home.token(desk, other, of: home.ada).text != nil)
    }

    @Test("a file that nobody can read is not allowed for good, whatever it will hold")
    func unreadable() async throws {
        home.person.allow(.always)
        let unreadable = try home.caller(digest: nil)
        #expect(await home.token(desk, unreadable, of: home.ada).text != nil)
        #expect(home.trail.entries.last?.permission == .session)
        #expect(try home.keyring.programs.permissions().isEmpty)
    }

    @Test("a service has no file to compare")
    func service() async throws {
        home.person.allow(.always)
        let service = try home.caller("service:backup.service", digest: nil)
        #expect(await home.token(desk, service, of: home.ada).text != nil)
        #expect(try home.keyring.programs.permissions().map(\.digest) == [nil])
    }

    @Test("never is for each account of the group, and for good")
    func never() async throws {
        home.person.answer { _ in .never }
        #expect(await home.token(desk, mailer, of: home.ada).error?.code == .notPermitted)
        #expect(home.trail.entries.last?.permission == .never)
        home.person.allow(.always)
        #expect(await home.token(home.desk(), mailer, of: home.bob).error?.code == .notPermitted)
        #expect(home.person.asked.count == 1)
    }

    @Test("who was sent away is not asked about for a minute")
    func dismissed() async throws {
        home.person.answer { _ in .dismissed }
        #expect(await home.token(desk, mailer, of: home.ada).error?.code == .notPermitted)
        home.person.allow(.once)
        home.advance(by: 59)
        #expect(await home.token(desk, mailer, of: home.bob).error?.code == .notPermitted)
        let other = try home.caller("/usr/bin/other")
        #expect(await home.token(desk, other, of: home.bob).text != nil)
        home.advance(by: 1)
        #expect(await home.token(desk, mailer, of: home.bob).text != nil)
        #expect(home.person.asked.count == 3)
        #expect(home.trail.entries.map(\.answer) == ["notPermitted", "notPermitted", "stored", "stored"])
    }

    @Test("where nobody is there nothing is given, and the error says what to do")
    func nobody() async throws {
        let error = try #require(await home.token(desk, mailer, of: home.ada).error)
        #expect(error.code == .notPermitted)
        #expect(error.advice == .permitProgram("executable:/usr/bin/mailer", action: nil, account: nil, group: nil))
        #expect(home.trail.entries.last?.permission == nil)
    }

    @Test("an answer about somebody who was not in the question counts as none")
    func otherAnswer() async throws {
        let eve = try home.candidate(home.eve, in: home.tools)
        home.person.answer { _ in .allowed(eve, .always) }
        #expect(await home.token(desk, mailer, of: home.ada).error?.code == .notPermitted)
        #expect(try home.keyring.programs.permissions().isEmpty)
    }

    @Test("of several accounts the person chooses")
    func chosen() async throws {
        let bob = try home.candidate(home.bob)
        home.person.answer { _ in .allowed(bob, .session) }
        #expect(await home.token(desk, mailer, in: [.default]).text == "token of bob@contoso.example")
        #expect(Set(try #require(home.person.asked.first).accounts.map(\.account.id)) == [home.ada.id, home.bob.id])
        #expect(home.trail.entries.last?.account == home.bob.id)
    }

    @Test("a permission of another group says nothing here, whoever wrote it")
    func otherGroup() async throws {
        let theirs = try home.opened(keyFile: 2)
        try theirs.programs.permit(ProgramPermission(of: mailer.program, in: home.tools))
        #expect(try home.keyring.programs.permissions().map(\.writer) == [.group])
        #expect(await home.token(desk, mailer, of: home.ada).error?.code == .notPermitted)
        #expect(await home.token(desk, mailer, of: home.eve).text == "token of eve@contoso.example")
    }

    @Test("accounts that a program may not have are not named to it")
    func names() async throws {
        #expect(try await desk.accounts(for: mailer).isEmpty)
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, account: home.ada.id, in: .default))
        #expect(try await desk.accounts(for: mailer).map(\.account.id) == [home.ada.id])
        #expect(try await desk.select(TokenRequest(), for: mailer).account.id == home.ada.id)
        // One that is there and one that is not are the same to it, and no error names another.
        for name in ["bo", "bob@contoso.example", "bob@", "zoe", home.bob.id.description] {
            let request = TokenRequest(account: name, scopes: ["mail.read"])
            let error = await #expect(throws: KeyringError.self) { try await desk.select(request, for: mailer) }
            #expect(error?.candidates.isEmpty == true && error?.code == .noSuchAccount, "\(name)")
        }
        let strange = TokenRequest(scopes: ["files.write"])
        let error = await #expect(throws: KeyringError.self) {
            try await desk.token(TokenAcquisition(strange), for: mailer)
        }
        #expect(error?.candidates.contains { $0.contains("bob") } == false, "\(String(describing: error))")
        let stranger = try home.caller("/usr/bin/stranger")
        let refused = await #expect(throws: KeyringError.self) {
            try await desk.select(TokenRequest(account: "ada"), for: stranger)
        }
        #expect(refused?.code == .notPermitted && refused?.candidates.isEmpty == true)
    }

    @Test("who may have nothing hears the same of an account that is there and of one that is not")
    func existence() async throws {
        let stranger = try home.caller("/usr/bin/stranger")
        let there = try #require(await home.token(desk, stranger, of: home.ada).error)
        let request = TokenRequest(account: "zoe@contoso.example", scopes: ["mail.read"])
        let missing = await #expect(throws: KeyringError.self) {
            try await desk.token(TokenAcquisition(request), for: stranger)
        }
        #expect(there.code == missing?.code && there.message == missing?.message && there.advice == missing?.advice)
    }

    @Test("always is for the scopes that were shown, and those that were allowed before")
    func alwaysForScopes() async throws {
        home.person.allow(.always)
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        #expect(try home.keyring.programs.permissions().map(\.scopes) == [["mail.read"]])
        try home.keyring.programs.permit(
            ProgramPermission(
                of: mailer.program, account: home.ada.id, scopes: ["calendar"], digest: "aa", in: .default))
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        #expect(try home.keyring.programs.permissions().map(\.scopes) == [["mail.read", "calendar"]])
    }

    @Test(
        "who locks the vault while somebody is asked is heeded, and so is who forbids the program",
        arguments: [true, false])
    func meanwhile(isLocked: Bool) async throws {
        let (desk, home, program) = (desk, home, mailer.program)
        home.person.answer { question in
            if isLocked {
                _ = desk.lock()
                desk.vault.adopt(home.keyring)
            } else {
                try? home.keyring.programs.permit(ProgramPermission(of: program, isAllowed: false, in: .default))
            }
            return .allowed(question.accounts[0], .always)
        }
        let error = try #require(await home.token(desk, mailer, of: home.ada).error)
        #expect(error.code == (isLocked ? .locked : .notPermitted))
        #expect(try !home.keyring.programs.permissions().contains(where: \.isAllowed))
    }

    @Test("what was allowed until the agent ends is taken back of one program, in the groups that are named")
    func forgotten() async throws {
        home.person.allow(.session)
        let other = try home.caller("/usr/bin/other")
        for caller in [mailer, other] { #expect(await home.token(desk, caller, of: home.ada).text != nil) }
        home.person.answer { _ in .nobodyThere }
        #expect(desk.forget([mailer.program], in: [home.tools]) == 0)
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        #expect(desk.forget([mailer.program]) == 1)
        #expect(await home.token(desk, mailer, of: home.ada).error?.code == .notPermitted)
        #expect(await home.token(desk, other, of: home.ada).text != nil)
        #expect(desk.forget([mailer.program]) == 0)
    }

    @Test("who was sent away just now may be asked about again once that is forgotten")
    func dismissalForgotten() async throws {
        home.person.answer { _ in .dismissed }
        for _ in 0..<2 { #expect(await home.token(desk, mailer, of: home.ada).error?.code == .notPermitted) }
        #expect(home.person.asked.count == 1)
        #expect(desk.forget([mailer.program]) == 0)
        #expect(await home.token(desk, mailer, of: home.ada).error?.code == .notPermitted)
        #expect(home.person.asked.count == 2)
    }

    @Test("who may sign an account out of one client does not sign it out of another")
    func otherClient() async throws {
        try home.keyring.programs.permit(
            ProgramPermission(of: mailer.program, to: .all, account: home.ada.id, clientID: "other", in: .default))
        await #expect(throws: KeyringError(.notPermitted, "")) {
            _ = try await desk.signOut(home.ada.id, clientID: "mailer", for: mailer)
        }
        #expect(try home.candidate(home.ada).state == .tokensOnly)
    }

    @Test("of several processes that ask at once, the person is asked about one")
    func together() async throws {
        home.person.allow(.session)
        let texts = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { await home.token(desk, mailer, of: home.ada).text } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "token of ada@contoso.example", count: 20))
        #expect(home.person.asked.count == 1)
    }

    @Test("what cannot be written down is not given out")
    func fullDisk() async throws {
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, in: .default))
        home.trail.fill()
        #expect(await home.token(desk, mailer, of: home.ada).error?.code == .inputOutput)
        await #expect(throws: KeyringError.self) { try await desk.accounts(for: mailer) }
    }

    @Test("a locked vault answers nothing")
    func locked() async throws {
        #expect(desk.lock())
        #expect(!desk.lock())
        #expect(await home.token(desk, mailer, of: home.ada).error?.code == .locked)
    }

    @Test("who lets a program sign them in lets it have the tokens for that client as long")
    func signIn() async throws {
        home.person.allow(.session)
        let signIns = SignIns(home.ada)
        var request = SignInRequest(provider: "microsoft")
        (request.clientID, request.scopes) = ("mailer", ["mail.read"])
        let report = try await desk.signIn(request, for: mailer, by: signIns) { _ in }
        #expect(report.account.id == home.ada.id)
        home.person.answer { _ in .nobodyThere }
        #expect(await home.token(desk, mailer, of: home.ada, client: "mailer").text != nil)
        #expect(await home.token(desk, mailer, of: home.bob, client: "mailer").error?.code == .notPermitted)
        #expect(home.person.asked.map(\.action).first == .signIn)
        #expect(home.trail.entries.first?.kind == .signIn)
        #expect(home.trail.entries.first?.permission == .session)
        #expect(home.trail.entries.first?.answer == "done")
    }

    @Test("who may never have a group's tokens signs nobody in to it")
    func signInDenied() async throws {
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, isAllowed: false, in: .default))
        let signIns = SignIns(home.ada)
        let error = await #expect(throws: KeyringError.self) {
            try await desk.signIn(SignInRequest(provider: "microsoft"), for: mailer, by: signIns) { _ in }
        }
        #expect(error?.code == .notPermitted && home.trail.entries.last?.permission == .never)
    }
}

/// Signs the same person in again and again.
private struct SignIns: AgentSignIns {
    let account: Account

    init(_ account: Account) { self.account = account }

    func signIn(
        _ request: SignInRequest, in groups: [AccessGroup]?, _ keyring: Keyring,
        show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> SignInReport {
        await show(.browser(url: "https://login.example"))
        return SignInReport(
            account: account, group: .default, clientID: request.clientID ?? "mailer", scopes: request.scopes,
            declinedScopes: [], isNew: false, hasRefreshToken: true, tokenEndsOn: nil)
    }
}
