import KeyfobTestSupport
import Synchronization
import Testing

@testable import Keyfob
@testable import KeyfobAgent

/// Signs Carl in, or whoever is named; notes what was wanted.
private final class SignsIn: AgentSignIns {
    let home: DeskHome
    let wanted = Mutex<[SignInRequest]>([])

    init(_ home: DeskHome) { self.home = home }

    func signIn(
        _ request: SignInRequest, in groups: [AccessGroup]?, _ keyring: Keyring,
        show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> SignInReport {
        wanted.withLock { $0.append(request) }
        let account =
            if let id = request.account { Account(id: id, username: "") } else {
                Account(
                    id: AccountID(homeAccountID: "carl-uid.contoso", environment: "login.microsoftonline.com")
                        ?? home.ada.id, username: "carl@contoso.example")
            }
        do { try home.store(account, in: groups?.first ?? .default, "token after a sign-in") } catch {
            throw KeyringError(.fault, "\(error)")
        }
        return SignInReport(
            account: account, group: groups?.first ?? .default, clientID: request.clientID ?? "mailer",
            scopes: request.scopes, declinedScopes: [], isNew: true, hasRefreshToken: true, tokenEndsOn: nil)
    }
}

/// Where a program made with MSAL wants a sign-in and names nobody, the person chooses an account of the keyring.
@Suite("Who signs in for a program of the broker") struct AccountChoiceTests {
    let home: DeskHome
    let desk: AgentDesk
    let mailer: AgentCaller
    private let signIns: SignsIn

    init() throws {
        home = try DeskHome()
        desk = home.desk()
        mailer = try home.caller()
        signIns = SignsIn(home)
    }

    private func permit(_ account: Account, isAllowed: Bool = true, in group: AccessGroup = .default) throws {
        try home.keyring.programs.permit(
            ProgramPermission(of: mailer.program, account: account.id, isAllowed: isAllowed, in: group))
    }

    /// What an interactive call gives.
    private func token(
        _ more: String = "", authority: String = "common", client: String = "mailer", scope: String = "mail.read"
    ) async throws -> Result<String, KeyringError> {
        let json =
            #"{"authParameters":{"authority":"https://login.microsoftonline.com/\#(authority)","clientId":"\#(client)","#
            + #""requestedScopes":["\#(scope)"]\#(more)}}"#
        let request = try Array(json.utf8).withBytes { bytes in
            try BrokerRequest(.acquireTokenInteractively, bytes)
        }
        do throws(KeyringError) {
            let box = try await desk.interactiveToken(request, for: mailer, by: signIns) { _ in }
            return .success(text(of: box.secret))
        } catch {
            return .failure(error)
        }
    }

    private var signedIn: [AccountID?] { signIns.wanted.withLock { $0.map(\.account) } }

    @Test("The account that is chosen gives its token, without a sign-in and without a second question")
    func chosen() async throws {
        for account in [home.ada, home.bob] { try permit(account) }
        home.person.choose(home.bob)
        #expect(try await token().text == "token of bob@contoso.example")
        #expect(home.person.offered == [["ada@contoso.example", "bob@contoso.example", "eve@contoso.example"]])
        #expect(home.person.asked.isEmpty && signedIn.isEmpty)
        let line = try #require(home.trail.entries.last)
        #expect(line.kind == .token && line.account == home.bob.id && line.permission == .always)
        #expect(line.answer == "stored" && home.trail.entries.count == 1)
    }

    @Test("Of an account that the program may not have yet the person is asked; what is said holds as elsewhere")
    func asked() async throws {
        home.person.choose(home.bob)
        home.person.allow(.session)
        #expect(try await token().text == "token of bob@contoso.example")
        #expect(home.person.asked.map { $0.accounts.map(\.account.id) } == [[home.bob.id]])
        home.person.answer { _ in .nobodyThere }
        #expect(await home.token(desk, mailer, of: home.bob, client: "mailer").text != nil)
        #expect(await home.token(desk, mailer, of: home.ada, client: "mailer").error?.code == .notPermitted)
    }

    @Test("Once is for this request")
    func once() async throws {
        home.person.choose(home.ada)
        home.person.allow(.once)
        #expect(try await token().text == "token of ada@contoso.example")
        #expect(home.trail.entries.last?.permission == .once)
        home.person.answer { _ in .nobodyThere }
        #expect(await home.token(desk, mailer, of: home.ada, client: "mailer").error?.code == .notPermitted)
    }

    @Test("Never forbids it, and gives nothing")
    func never() async throws {
        home.person.choose(home.ada)
        home.person.answer { _ in .never }
        #expect(try await token().error?.code == .notPermitted)
        #expect(try home.keyring.programs.permissions(in: nil).map(\.isAllowed) == [false])
        // That counts for the group.
        #expect(try await token().error?.code == .cancelled)
        #expect(home.person.offered.last == ["eve@contoso.example"] && signedIn.isEmpty)
    }

    @Test("Who chooses none, at either question, has cancelled; they are asked again the next time")
    func cancelled() async throws {
        home.person.choose { _ in .dismissed }
        #expect(try await token().error?.code == .cancelled)
        home.person.choose(home.ada)
        home.person.answer { _ in .dismissed }
        #expect(try await token().error?.code == .cancelled)
        #expect(signedIn.isEmpty && home.person.offered.count == 2)
        #expect(home.trail.entries.map(\.kind) == [.signIn, .signIn])
        #expect(home.trail.entries.map(\.answer) == ["cancelled", "cancelled"])
        home.person.allow(.once)
        #expect(try await token().text != nil)
    }

    @Test("Another account signs in, and that one's token is given")
    func another() async throws {
        home.person.choose { _ in .another }
        #expect(try await token().text == "token after a sign-in")
        #expect(signedIn == [nil])
    }

    @Test(
        "Where nobody can be asked, somebody signs in if the program may have that done, and it has what tokens it may")
    func nobodyThere() async throws {
        let refused = try #require(try await token().error)
        #expect(refused.code == .notPermitted && signedIn.isEmpty)
        #expect(
            refused.advice
                == .permitProgram("executable:/usr/bin/mailer", action: "sign-in", account: nil, group: nil))
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, to: [.signIn], in: .default))
        #expect(try await token().error?.code == .notPermitted)
        #expect(signedIn == [nil])
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, in: .default))
        #expect(try await token().text == "token after a sign-in")
        #expect(home.person.offered.count == 3 && signedIn == [nil, nil])
    }

    @Test(
        "What the request names is not asked for",
        arguments: [
            #","username":"ada@contoso.example""#,
            #","account":{"homeAccountId":"ada-uid.contoso","environment":"login.windows.net"}"#,
        ])
    func named(more: String) async throws {
        home.person.choose(home.bob)
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, to: [.signIn], in: .default))
        _ = try await token(more)
        #expect(home.person.offered.isEmpty && signedIn.count == 1)
    }

    @Test("What the program may never have is not offered, nor given where it is chosen all the same")
    func denied() async throws {
        try permit(home.bob, isAllowed: false)
        let bob = try home.candidate(home.bob)
        home.person.choose { _ in .account(bob) }
        #expect(try await token().error?.code == .cancelled)
        #expect(home.person.offered == [["ada@contoso.example", "eve@contoso.example"]])
    }

    @Test("What is forbidden while the person thinks is not given")
    func forbiddenMeanwhile() async throws {
        try permit(home.ada)
        let (keyring, program, ada) = (home.keyring, mailer.program, home.ada)
        home.person.choose { question in
            try? keyring.programs.permit(
                ProgramPermission(of: program, account: ada.id, isAllowed: false, in: .default))
            return question.accounts.first.map { .account($0) } ?? .dismissed
        }
        #expect(try await token().error?.code == .notPermitted)
        #expect(home.person.asked.isEmpty && signedIn.isEmpty)
    }

    @Test("A vault that is locked while the person thinks gives nothing")
    func lockedMeanwhile() async throws {
        try permit(home.ada)
        let desk = desk
        home.person.choose { question in
            _ = desk.lock()
            return question.accounts.first.map { .account($0) } ?? .dismissed
        }
        #expect(try await token().error?.code == .locked)
    }

    @Test(
        "Only accounts that do for the client and the authority are offered",
        arguments: [
            ("consumers", "mailer", 0), ("organizations", "mailer", 1), ("common", "another client", 0),
            ("7b1c0a94-3d0e-4a57-9c1f-2f1d5f6a0e11", "mailer", 0),
        ])
    func fitting(authority: String, client: String, count: Int) async throws {
        for account in [home.ada, home.bob] { try permit(account) }
        _ = try await token(authority: authority, client: client)
        #expect(home.person.offered.count == count)
    }

    @Test("What a refresh does not give, a sign-in of that account does; Once stays once")
    func signInOfChosen() async throws {
        home.person.choose(home.ada)
        home.person.allow(.once)
        #expect(try await token(#","decodedClaims":"{}""#).text == "token after a sign-in")
        #expect(signedIn == [home.ada.id] && home.person.asked.map(\.action) == [.token])
        home.person.answer { _ in .nobodyThere }
        #expect(await home.token(desk, mailer, of: home.ada, client: "mailer").error?.code == .notPermitted)
    }
}
