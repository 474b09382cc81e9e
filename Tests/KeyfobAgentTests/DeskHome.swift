import Keyfob
import KeyfobAgent
import KeyfobTestSupport
import Synchronization
import Testing

/// A keyring at noon with Ada and Bob in it, and a desk that answers from it.
///
/// Each has a token for `mail.read` from the client `mailer`; Eve is in group `tools`, which key file 2 opens alone.
final class DeskHome: Sendable {
    static let noon = Timestamp(seconds: 1_700_000_000)

    let folder: ScratchFolder
    let location: KeyringLocation
    let keyring: Keyring
    let tools: AccessGroup
    let ada: Account
    let bob: Account
    let eve: Account
    let person = Person()
    let trail = Trail()
    let time = Mutex(noon)

    init() throws {
        folder = try ScratchFolder()
        location = KeyringLocation(vault: folder.path + "/vault", state: folder.path + "/state")
        keyring = try Keyring.create(
            at: location, slot: .keyFile(keyFile(1)), clock: .standing(at: Self.noon)
        ).keyring
        tools = try AccessGroup("tools")
        try keyring.groups.create(tools)
        _ = try keyring.slots.grant(tools, to: .keyFile(keyFile(2)))
        ada = try Self.account("ada")
        bob = try Self.account("bob")
        eve = try Self.account("eve")
        for (account, group) in [(ada, AccessGroup.default), (bob, .default), (eve, tools)] {
            try store(account, in: group)
        }
    }

    private static func account(_ name: String) throws -> Account {
        let id = try #require(AccountID(homeAccountID: "\(name)-uid.contoso", environment: "login.microsoftonline.com"))
        return Account(id: id, username: "\(name)@contoso.example")
    }

    func store(_ account: Account, in group: AccessGroup, _ text: String? = nil) throws {
        let token = Credential(
            kind: .accessToken, account: account.id, clientID: "mailer", realm: "contoso", scopes: ["mail.read"],
            cachedAt: Self.noon, expiresOn: Self.noon.advanced(by: 3_600))
        _ = try keyring.tokens.store(
            token, secret: secret(text ?? "token of \(account.name)"), for: account, in: [group])
    }

    func opened(keyFile number: UInt8 = 1) throws -> Keyring {
        try LockedKeyring(at: location, clock: .standing(at: Self.noon)).unlock(with: .keyFile(keyFile(number)))
    }

    /// A desk of an agent that has just begun.
    ///
    /// - Parameter audit: Where it writes down what it was asked, where that is not kept here.
    func desk(
        audit: (any AuditTrail)? = nil, asking person: (any ProgramQuestions)? = nil,
        patience: Duration = .seconds(120),
        network: @escaping @Sendable () throws(KeyringError) -> Network = { () throws(KeyringError) in
            throw KeyringError(.offline, "there is no network here")
        }
    ) -> AgentDesk {
        let vault = AgentVault { () throws(KeyringError) in throw KeyringError(.locked, "the vault is locked") }
        vault.adopt(keyring)
        return AgentDesk(
            vault, audit: audit ?? trail, questions: person ?? self.person, network: network,
            clock: WallClock { self.time.withLock { $0.seconds } * 1_000 }, patience: patience)
    }

    func advance(by seconds: Int64) { time.withLock { $0 = $0.advanced(by: seconds) } }

    func caller(_ program: String = "executable:/usr/bin/mailer", digest: String? = "aa") throws -> AgentCaller {
        AgentCaller(try #require(Program(program)), process: 4_711, user: 1_000, door: .socket) { digest }
    }

    func candidate(_ account: Account, in group: AccessGroup = .default) throws -> Candidate {
        try keyring.accounts.named(account.id.description, in: [group])
    }

    /// Asks for a token; its text, or the error's code.
    func token(
        _ desk: AgentDesk, _ caller: AgentCaller, of account: Account? = nil, scopes: ScopeSet = ["mail.read"],
        client: String? = nil, in groups: [AccessGroup]? = nil
    ) async -> Result<String, KeyringError> {
        do throws(KeyringError) {
            let request = TokenRequest(account: account?.id.description, clientID: client, scopes: scopes)
            let box = try await desk.token(TokenAcquisition(request, in: groups), for: caller)
            return .success(text(of: box.secret))
        } catch {
            return .failure(error)
        }
    }
}

extension Result where Success == String, Failure == KeyringError {
    var text: String? { try? get() }
    var error: KeyringError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

/// Somebody who is asked, and answers as a test says.
final class Person: ProgramQuestions {
    private struct State {
        var answer: @Sendable (ProgramQuestion) -> ProgramAnswer = { _ in .nobodyThere }
        var choice: @Sendable (ProgramQuestion) -> AccountAnswer = { _ in .nobodyThere }
        var (asked, offered): ([ProgramQuestion], [ProgramQuestion]) = ([], [])
    }
    private let state = Mutex(State())

    var asked: [ProgramQuestion] { state.withLock { $0.asked } }
    /// The accounts that were to choose from, by their names, each time.
    var offered: [[String]] { state.withLock { $0.offered.map { $0.accounts.map(\.account.name) } } }

    func answer(_ answer: @escaping @Sendable (ProgramQuestion) -> ProgramAnswer) {
        state.withLock { $0.answer = answer }
    }

    /// Lets the program have the first account that is asked about.
    func allow(_ time: ProgramAnswer.ForHowLong) {
        answer { question in .allowed(question.accounts.first, time) }
    }

    /// Chooses the account of that name.
    func choose(_ account: Account) {
        choose { question in
            question.accounts.first { $0.account.id == account.id }.map { .account($0) } ?? .dismissed
        }
    }

    func choose(_ choice: @escaping @Sendable (ProgramQuestion) -> AccountAnswer) {
        state.withLock { $0.choice = choice }
    }

    func ask(_ question: ProgramQuestion) async -> ProgramAnswer {
        state.withLock { state in
            state.asked.append(question)
            return state.answer(question)
        }
    }

    func chooseAccount(_ question: ProgramQuestion) async -> AccountAnswer {
        state.withLock { state in
            state.offered.append(question)
            return state.choice(question)
        }
    }
}

/// Keeps what is written down.
final class Trail: AuditTrail {
    private let state = Mutex<(entries: [AuditEntry], isFull: Bool)>(([], false))

    var entries: [AuditEntry] { state.withLock { $0.entries } }

    func fill() { state.withLock { $0.isFull = true } }

    /// Forgets all entries, and has room again.
    func empty() { state.withLock { $0 = ([], false) } }

    func append(_ entry: AuditEntry, _ keyring: Keyring) throws(KeyringError) {
        let isFull = state.withLock { state in
            if !state.isFull { state.entries.append(entry) }
            return state.isFull
        }
        if isFull { throw KeyringError(.inputOutput, "the disk is full") }
    }
}
