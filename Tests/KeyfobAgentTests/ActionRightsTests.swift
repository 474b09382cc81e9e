import Foundation
import KeyfobModel
import KeyfobTestSupport
import Synchronization
import Testing

@testable import Keyfob
@testable import KeyfobAgent

/// Every right beside every action, by every door: a right is to one action, and none has another with it.
@Suite("A right is to one action", .waitsForPrograms)
struct ActionRightsTests {
    /// How a program has rights.
    enum Source: CaseIterable {
        /// Its owner has said so.
        case stored
        /// It has those until the agent ends.
        case session
        /// It was let do all, and then forbidden the rest.
        case notForbidden
    }

    /// All sets of rights.
    private static let sets: [Set<ProgramAction>] = (0..<1 << ProgramAction.allCases.count).map { number in
        Set(ProgramAction.allCases.enumerated().filter { number >> $0.offset & 1 == 1 }.map(\.element))
    }

    /// Gives a program these rights to an account, and no others; to whoever signs in too where it is the right to that.
    private func give(
        _ rights: Set<ProgramAction>, by source: Source, to caller: AgentCaller, _ desk: AgentDesk, _ keyring: Keyring
    ) throws {
        _ = try? keyring.programs.forgetPermissions(of: [caller.program])
        _ = desk.forget([caller.program])
        func permit(_ actions: Set<ProgramAction>, isAllowed: Bool = true) throws {
            guard !actions.isEmpty else { return }
            try keyring.programs.permit(
                ProgramPermission(of: caller.program, to: actions, isAllowed: isAllowed, in: .default))
        }
        switch source {
        case .stored: try permit(rights)
        case .session:
            for scope in ["mail.read", "User.Read"] {
                for client in ["mailer", "c", nil] {
                    let digest = caller.program.kind.isPath ? caller.digest() : nil
                    desk.session.withLock {
                        $0.allow(caller, to: rights, nil, in: .default, [scope], client, digest: digest)
                    }
                }
            }
        case .notForbidden:
            try permit(.all)
            try permit(.all.subtracting(rights), isAllowed: false)
        }
    }

    @Test("over the socket", arguments: Source.allCases)
    func socket(source: Source) async throws {
        let home = try DeskHome()
        let desk = home.desk()
        let signIns = Wanted()
        let keys = AgentKeys(
            unlock: { _, _, _ in }, lock: { false },
            status: { AgentKeys.Status(place: VaultPlace(path: "/v", folder: nil), isOpen: true, id: nil, until: nil) })
        let door = SocketDoor(to: desk, signIns: signIns, keys: keys, changes: VaultChanges(), hint: { _ in nil })
        let place = try VarlinkPlace(isSeen: true, answer: { await door.answer($0, $1, $2) })
        let client = try place.connect()
        func ask(_ method: String, _ parameters: String, isLong: Bool = false) async throws -> String {
            client.call(
                "io.keyfob.Agent.\(method)", #","parameters":\#(parameters)\#(isLong ? #","more":true"# : "")"#)
            var replies: [String] = []
            try await place.turn(until: {
                replies += client.replies()
                return replies.contains { !$0.contains(#""continues":true"#) }
            })
            return replies.joined()
        }
        let caller = AgentCaller(
            try #require(Program(.executable, "/bin/ls")), process: 1, user: geteuid(), door: .socket
        ) { FileDigests().digest(of: "/bin/ls") }
        let ada = home.ada.id.description
        for rights in Self.sets {
            try give(rights, by: source, to: caller, desk, home.keyring)
            let text = "\(source) \(rights.inOrder)"
            let listed = try await ask("Accounts", "{}")
            #expect(listed.contains(ada) == rights.contains(.list), "\(text): \(listed)")
            let selected = try await ask("Select", #"{"account":"\#(ada)"}"#)
            #expect(selected.contains(ada) == rights.contains(.list), "\(text): \(selected)")
            #expect(try desk.looks(for: caller).isEmpty == !rights.contains(.list), "\(text)")
            let token = try await ask("Token", #"{"account":"\#(ada)","scopes":["mail.read"]}"#)
            #expect(token.contains("token of ada") == rights.contains(.token), "\(text): \(token)")
            #expect(token.contains("NotPermitted") == !rights.contains(.token), "\(text): \(token)")
            let signIn = try await ask(
                "SignIn", #"{"provider":"microsoft","client":"mailer","scopes":["mail.read"]}"#, isLong: true)
            #expect(signIn.contains("NotPermitted") == !rights.contains(.signIn), "\(text): \(signIn)")
            #expect(signIns.count.exchange(0, ordering: .relaxed) == (rights.contains(.signIn) ? 1 : 0), "\(text)")
        }
        #expect(home.person.asked.allSatisfy { [.token, .signIn].contains($0.action) })
    }

    @Test("over the bus", arguments: Source.allCases)
    func bus(source: Source) throws {
        let place = try BrokerPlace()
        let (ada, other) = (try place.store("ada"), try place.store("bob"))
        let program = place.program
        let caller = AgentCaller(program, process: 1, user: geteuid(), door: .bus) {
            FileDigests().digest(of: program.name)
        }
        let account = #"{"homeAccountId":"\#(ada.id.homeAccountID)","environment":"login.windows.net"}"#
        for rights in Self.sets {
            try give(rights, by: source, to: caller, place.desk, place.keyring)
            let text = "\(source) \(rights.inOrder)"
            let listed = try place.call(.getAccounts, #"{"clientId":"c"}"#)
            #expect("\(listed)".contains("ada@contoso.example") == rights.contains(.list), "\(text): \(listed)")
            let token = try place.token(account)
            #expect((token["accessToken"] != nil) == rights.contains(.token), "\(text): \(token)")
            #expect(place.status(token) == (rights.contains(.token) ? nil : 8), "\(text): \(token)")
            // Who sits there does not want to sign in.
            let signIn = try place.token(account, .acquireTokenInteractively)
            #expect(place.status(signIn) == (rights.contains(.signIn) ? 7 : 8), "\(text): \(signIn)")
            let wanted = place.signIns.wanted.withLock { wanted in
                defer { wanted = [] }
                return wanted.count
            }
            #expect(wanted == (rights.contains(.signIn) ? 1 : 0), "\(text)")
            let signOut = try place.call(.removeAccount, #"{"clientId":"c","account":\#(account)}"#)
            let refusal = (signOut["brokerTokenResponse"] as? NSDictionary)?["error"] as? NSDictionary
            #expect(refusal?["status"] as? Int == (rights.contains(.signOut) ? nil : 8), "\(text): \(signOut)")
            #expect(refusal.map { $0.count } ?? 4 == 4, "\(text): \(signOut)")
            #expect(try place.clients(of: ada) == (rights.contains(.signOut) ? [] : ["c"]), "\(text)")
            #expect(try place.clients(of: other) == ["c"], "\(text)")
            if rights.contains(.signOut) { _ = try place.store("ada") }
        }
    }

    @Test(
        "a question is about the action that is wanted, and Never forbids that one alone",
        arguments: ProgramAction.allCases)
    func never(action: ProgramAction) async throws {
        let home = try DeskHome()
        let (desk, mailer) = (home.desk(), try home.caller())
        home.person.answer { _ in .never }
        func attempt(_ action: ProgramAction) async -> Bool {
            do {
                switch action {
                case .token: return await home.token(desk, mailer, of: home.ada).text != nil
                case .list: return try await !desk.accounts(for: mailer).isEmpty
                case .signIn:
                    _ = try await desk.signIn(SignInRequest(provider: "microsoft"), for: mailer, by: Wanted()) { _ in }
                case .signOut: _ = try await desk.signOut(home.ada.id, clientID: "mailer", for: mailer)
                }
                return true
            } catch {
                // Nobody signs in here.
                return error.code == .cancelled
            }
        }
        #expect(await !attempt(action))
        // A list is what a program may have or not: nobody is asked.
        #expect(home.person.asked.map(\.action) == (action == .list ? [] : [action]))
        let denied = try home.keyring.programs.permissions()
        #expect(denied.map(\.actions) == (action == .list ? [] : [[action]]))
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, to: .all, in: .default))
        // The sign-out last: it leaves no token.
        for other in [.list, .token, .signIn, .signOut] as [ProgramAction] {
            #expect(await attempt(other) == (other != action || action == .list), "\(other)")
        }
        #expect(home.person.asked.count == (action == .list ? 0 : 1))
    }

    @Test("who allows a sign-in always lets the program have it done by anybody, and have the tokens of who signed in")
    func signInAlways() async throws {
        let home = try DeskHome()
        let (desk, mailer) = (home.desk(), try home.caller())
        home.person.allow(.always)
        var request = SignInRequest(provider: "microsoft")
        (request.clientID, request.scopes) = ("mailer", ["mail.read"])
        let report = try await desk.signIn(request, for: mailer, by: Signed(account: home.ada)) { _ in }
        #expect(report.account.id == home.ada.id)
        let rows = try home.keyring.programs.permissions().map { "\($0.actions.inOrder) \($0.account == nil)" }.sorted()
        #expect(rows.count == 2 && rows[0].contains("signIn") && rows[0].hasSuffix("true"), "\(rows)")
        home.person.answer { _ in .nobodyThere }
        #expect(await home.token(home.desk(), mailer, of: home.ada, client: "mailer").text != nil)
        #expect(await home.token(home.desk(), mailer, of: home.bob, client: "mailer").error?.code == .notPermitted)
        _ = try await home.desk().signIn(request, for: mailer, by: Signed(account: home.bob)) { _ in }
        // A right to sign people in is none to their tokens.
        #expect(await home.token(desk, mailer, of: home.bob, client: "mailer").error?.code == .notPermitted)
        await #expect(throws: KeyringError(.notPermitted, "")) {
            _ = try await desk.signOut(home.ada.id, clientID: "mailer", for: mailer)
        }
    }

    @Test("a right to one account, client or scope is none to another, whatever the action")
    func narrow() async throws {
        let home = try DeskHome()
        let (desk, mailer) = (home.desk(), try home.caller())
        try home.keyring.programs.permit(
            ProgramPermission(
                of: mailer.program, to: .all, account: home.ada.id, clientID: "mailer", scopes: ["mail.read"],
                in: .default))
        #expect(try await desk.accounts(for: mailer).map(\.account.id) == [home.ada.id])
        for (account, client, scope, isAllowed) in [
            (home.ada.id, "mailer", "mail.read", true), (nil, "mailer", "mail.read", false),
            (home.bob.id, "mailer", "mail.read", false), (home.ada.id, "other", "mail.read", false),
            (home.ada.id, "mailer", "files", false), (home.ada.id, nil, "mail.read", false),
            (home.ada.id, "mailer", nil, false),
        ] as [(AccountID?, String?, String?, Bool)] {
            var request = SignInRequest(provider: "microsoft")
            (request.account, request.clientID, request.scopes) = (account, client, ScopeSet(scope.map { [$0] } ?? []))
            let signIns = Wanted()
            await #expect(throws: KeyringError.self) {
                _ = try await desk.signIn(request, for: mailer, by: signIns) { _ in }
            }
            let text = "\(String(describing: account)) \(client ?? "-") \(scope ?? "-")"
            #expect((signIns.count.load(ordering: .relaxed) == 1) == isAllowed, "\(text)")
        }
        for (account, client) in [(home.bob.id, "mailer"), (home.ada.id, "other")] {
            await #expect(throws: KeyringError(.notPermitted, "")) {
                _ = try await desk.signOut(account, clientID: client, for: mailer)
            }
        }
        _ = try await desk.signOut(home.ada.id, clientID: "mailer", isShared: true, for: mailer)
    }

    @Test("who may sign out hears the same of an account that is there and of one that is not")
    func existence() async throws {
        let home = try DeskHome()
        let (desk, mailer) = (home.desk(), try home.caller())
        let nobody = try #require(AccountID(homeAccountID: "zoe.contoso", environment: "login.microsoftonline.com"))
        var said: [String] = []
        for account in [home.ada.id, nobody] {
            let error = await #expect(throws: KeyringError.self) {
                _ = try await desk.signOut(account, clientID: "mailer", for: mailer)
            }
            said.append("\(String(describing: error?.message)) \(String(describing: error?.advice))")
        }
        #expect(said[0] == said[1])
    }
}

/// Counts sign-ins that were begun, at which nobody signs in.
private final class Wanted: AgentSignIns {
    let count = Atomic(0)

    func signIn(
        _ request: SignInRequest, in groups: [AccessGroup]?, _ keyring: Keyring,
        show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> SignInReport {
        count.add(1, ordering: .relaxed)
        throw KeyringError(.cancelled, "nobody signed in")
    }
}

/// Signs one person in.
private struct Signed: AgentSignIns {
    let account: Account

    func signIn(
        _ request: SignInRequest, in groups: [AccessGroup]?, _ keyring: Keyring,
        show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> SignInReport {
        SignInReport(
            account: account, group: .default, clientID: request.clientID ?? "mailer", scopes: request.scopes,
            declinedScopes: [], isNew: false, hasRefreshToken: true, tokenEndsOn: nil)
    }
}
