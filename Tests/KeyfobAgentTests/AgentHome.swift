import Keyfob
import KeyfobAgent
import KeyfobTestSupport
import Synchronization
import Testing

let noon = Timestamp(seconds: 1_700_000_000)

/// A vault in a folder with Ada and Bob, each with a token for mail, and a desk that answers from it.
struct AgentHome {
    let folder: ScratchFolder
    let location: KeyringLocation
    let keyring: Keyring
    let desk: AgentDesk
    let audit = RecordedAudit()
    let person = SaidAnswers()
    let time = SetClock()
    let ada: Account
    let bob: Account

    init() throws {
        folder = try ScratchFolder()
        location = KeyringLocation(vault: folder.path + "/vault", state: folder.path + "/state")
        keyring = try Keyring.create(
            at: location, slot: .keyFile(keyFile(1)), clock: time.clock
        ).keyring
        ada = try Self.account("ada")
        bob = try Self.account("bob")
        for account in [ada, bob] {
            _ = try keyring.store(Self.token(of: account), secret: secret("token of \(account.username)"), for: account)
        }
        let keyring = keyring
        desk = AgentDesk(
            AgentVault(open: { keyring }), audit: audit, questions: person,
            network: { () throws(KeyringError) in throw KeyringError(.offline, "there is no network here") },
            clock: time.clock)
    }

    static func account(_ name: String) throws -> Account {
        let id = try #require(AccountID(homeAccountID: "\(name)-uid.contoso", environment: "login.microsoftonline.com"))
        return Account(id: id, username: "\(name)@contoso.example")
    }

    static func token(of account: Account, scopes: ScopeSet = ["mail.read"]) -> Credential {
        Credential(
            kind: .accessToken, account: account.id, clientID: "mailer", realm: "contoso", scopes: scopes,
            cachedAt: noon, expiresOn: noon.advanced(by: 3_600))
    }

    /// A program that asks.
    func caller(_ program: String = "executable:/usr/bin/mail", digest: String? = "aa") throws -> AgentCaller {
        AgentCaller(try #require(Program(program)), process: 7, user: 0, door: .socket, digest: { digest })
    }

    /// The token that a program gets, as text.
    func token(
        _ account: String? = nil, scopes: ScopeSet = ["mail.read"], client: String? = nil,
        for caller: AgentCaller
    ) async throws(KeyringError) -> String {
        let request = TokenRequest(account: account, clientID: client, scopes: scopes)
        return text(of: try await desk.token(TokenAcquisition(request), for: caller).secret)
    }

    /// Why a program gets none; nil where it gets one.
    func refusal(
        _ account: String? = nil, scopes: ScopeSet = ["mail.read"], client: String? = nil, for caller: AgentCaller
    ) async -> KeyringError? {
        do throws(KeyringError) {
            _ = try await token(account, scopes: scopes, client: client, for: caller)
            return nil
        } catch {
            return error
        }
    }
}

/// An audit in memory, or a disk that is full.
final class RecordedAudit: AuditTrail {
    private let state = Mutex<(entries: [AuditEntry], isFull: Bool)>(([], false))

    var entries: [AuditEntry] { state.withLock { $0.entries } }

    func fill() { state.withLock { $0.isFull = true } }

    func append(_ entry: AuditEntry, _ keyring: Keyring) throws(KeyringError) {
        let isFull = state.withLock { state in
            if !state.isFull { state.entries.append(entry) }
            return state.isFull
        }
        if isFull { throw KeyringError(.diskFull, "the disk is full") }
    }
}

/// A person who says what the test has them say, and keeps what was asked.
final class SaidAnswers: ProgramQuestions {
    typealias Answer = @Sendable (ProgramQuestion) -> ProgramAnswer
    private let state = Mutex<(asked: [ProgramQuestion], answer: Answer)>(([], { _ in .nobodyThere }))

    var asked: [ProgramQuestion] { state.withLock { $0.asked } }

    func says(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    func ask(_ question: ProgramQuestion) async -> ProgramAnswer {
        let answer = state.withLock { state in
            state.asked.append(question)
            return state.answer
        }
        return answer(question)
    }
}

/// A clock that stands until it is set.
final class SetClock: Sendable {
    private let now = Mutex(noon)

    var clock: WallClock { WallClock { self.now.withLock { $0.seconds } * 1_000 } }

    func advance(by seconds: Int64) { now.withLock { $0 = $0.advanced(by: seconds) } }
}
