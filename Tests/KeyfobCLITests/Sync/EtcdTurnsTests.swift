import Foundation
import KeyfobModel
import KeyfobOAuth
import KeyfobSignIn
import KeyfobTestSupport
import Synchronization
import Testing

@testable import Keyfob
@testable import KeyfobCLI
@testable import KeyfobRecords

@Suite("Turns at a shared refresh token over etcd", .waitsForPrograms)
struct EtcdTurnsTests {
    private let etcd: EtcdServers
    private let google = Google()
    private static let name = [UInt8](repeating: 7, count: 32)

    init() throws { etcd = try EtcdServers() }

    /// Turns as a process of its own would have them.
    ///
    /// Etcd is waited for long, since a machine that does not hear from it goes on by itself.
    private func turns(seconds: Int64 = 8, at remote: String? = nil, callSeconds: Int64 = 60) throws -> RefreshTurns {
        let network = try Network.ofThisMachine(certificateFile: nil, environment: [:]) { _ in }
        return EtcdTurns(
            try EtcdAddress(remote ?? etcd.remote), over: network, turnSeconds: seconds, callSeconds: callSeconds
        ).turns
    }

    /// What all machines get that ask at once.
    private func tokens(_ keyrings: [Keyring], seconds: Int64 = 60) async throws -> [String] {
        try await withThrowingTaskGroup(of: String.self) { group in
            for keyring in keyrings {
                let (google, turns) = (google, try turns(seconds: seconds))
                group.addTask { try await google.token(of: keyring, turns) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("of twenty machines that want a token of one sign-in at once, one redeems it")
    func twenty() async throws {
        let machines = try SharedSignIn(count: 20)
        #expect(try await tokens(machines.keyrings) == Array(repeating: "at-1", count: 20))
        #expect(google.requests == 1)
        let contents = try etcd.contents()
        for word in ["at-1", "grace", "mailer"] { #expect(!contents.holds(Data(word.utf8))) }
        #expect(contents.holds(Data("/shared/".utf8)))
    }

    @Test("where the one whose turn it is has been killed, another one follows, and none but that")
    func killed() async throws {
        let machines = try SharedSignIn(count: 5)
        let seen = Mutex<[UInt8]?>(nil)
        // Long enough to be seen on a busy machine.
        let real = try turns(seconds: 5)
        // It takes its turn, and never comes back.
        let stuck = RefreshTurns(
            patience: .zero, look: { await real.look($0) },
            take: { name, sight in
                _ = await real.take(name, sight)
                seen.withLock { $0 = name }
                return .refused
            }, end: { _, _, _, _ in })
        google.away.withLock { $0 = true }
        await #expect(throws: KeyringError.self) { try await google.token(of: machines.keyrings[0], stuck) }
        google.away.withLock { $0 = false }
        let name = try #require(seen.withLock { $0 })
        #expect(await real.look(name)?.isTaken == true)
        let before = google.requests
        let others = Array(machines.keyrings.dropFirst())
        let told = try await tokens(others)
        #expect(Set(told).count == 1 && told.count == 4 && google.requests == before + 1)
    }

    @Test("a turn that has ended tells nothing any more, and nobody has two")
    func lateTurn() async throws {
        let (first, second) = (try turns(seconds: 6), try turns(seconds: 60))
        let nothing = try #require(await first.look(Self.name))
        #expect(nothing == .init(token: nil, version: "0", isTaken: false))
        let turn = try #require(await first.take(Self.name, nothing).turn)
        #expect(await second.take(Self.name, nothing) == .lost)
        var sight = try #require(await second.look(Self.name))
        #expect(sight.isTaken)
        while sight.isTaken {
            try await Task.sleep(for: .milliseconds(50))
            sight = try #require(await second.look(Self.name))
        }
        let other = try #require(await second.take(Self.name, sight).turn)
        await first.end(Self.name, turn, [1], 60)
        #expect(await second.look(Self.name) == .init(token: nil, version: "0", isTaken: true))
        await second.end(Self.name, other, [2], 60)
        let told = try #require(await first.look(Self.name))
        #expect(told.token == [2] && !told.isTaken)
        // Who has not seen it takes no turn.
        #expect(await first.take(Self.name, nothing) == .lost)
        #expect(await first.take(Self.name, told).turn != nil)
    }

    @Test("what was told goes when the token does")
    func expiry() async throws {
        let turns = try turns()
        let nothing = try #require(await turns.look(Self.name))
        await turns.end(Self.name, try #require(await turns.take(Self.name, nothing).turn), [1], 2)
        try await eventually { try #require(await turns.look(Self.name)).token == nil }
    }

    @Test("where no etcd is, a machine goes on by itself within a moment")
    func nowhere() async throws {
        let machines = try SharedSignIn(count: 2)
        let begin = ContinuousClock.now
        let away = try turns(at: "etcd+http://127.0.0.1:1,127.0.0.1:2/k", callSeconds: 2)
        #expect(try await google.token(of: machines.keyrings[0], away) == "at-1")
        #expect(ContinuousClock.now - begin < .seconds(60))
        // A folder is no place for it.
        let network = try Network.ofThisMachine(certificateFile: nil, environment: [:]) { _ in }
        #expect(EtcdTurns.turns("/home/ada/Sync", network) == nil && EtcdTurns.turns(etcd.remote, network) != nil)
    }
}

extension RefreshTurns.Attempt {
    fileprivate var turn: RefreshTurns.Turn? { if case .taken(let turn) = self { turn } else { nil } }
}

/// The provider, which counts what it is asked.
private final class Google: Sendable {
    private let state = Mutex(0)
    let away = Mutex(false)
    var requests: Int { state.withLock { $0 } }

    private var network: Network {
        Network(
            send: { request, _ in
                let url = request.url.description
                let text: String
                if url.hasSuffix("/token") {
                    if self.away.withLock({ $0 }) { return .failed(.unreachable(.refused)) }
                    let number = self.state.withLock { count in
                        count += 1
                        return count
                    }
                    try? await Task.sleep(for: .milliseconds(200))
                    text = #"{"access_token": "at-\#(number)", "token_type": "Bearer", "expires_in": 3600}"#
                } else {
                    text = """
                        {"issuer": "https://accounts.google.com", "token_endpoint": "https://accounts.google.com/token",
                        "authorization_endpoint": "https://accounts.google.com/o",
                        "jwks_uri": "https://accounts.google.com/keys"}
                        """
                }
                guard let response = try? HTTPResponse(status: 200, body: secret(text)) else {
                    return .failed(.outcomeUnknown)
                }
                return .answered(response)
            }, flaw: { _, _ in nil })
    }

    func token(of keyring: Keyring, _ turns: RefreshTurns) async throws -> String {
        var acquisition = TokenAcquisition(
            TokenRequest(account: "grace-uid@accounts.google.com", clientID: "mailer"), network: { self.network })
        acquisition.turns = { _, _ in turns }
        return text(of: try await keyring.tokens.acquire(acquisition).secret)
    }
}

/// Keyrings that share one sign-in with Google.
private struct SharedSignIn {
    let folder: ScratchFolder
    let keyrings: [Keyring]

    init(count: Int) throws {
        folder = try ScratchFolder()
        let remote = folder.path + "/remote"
        try FileManager.default.createDirectory(atPath: remote, withIntermediateDirectories: true)
        keyrings = try (0..<count).map { [folder] number in
            let place = KeyringLocation(
                vault: folder.path + "/\(number)/vault", state: folder.path + "/\(number)/state")
            return try Keyring.create(at: place, slot: .keyFile(keyFile(1))).keyring
        }
        let first = keyrings[0]
        let id = try #require(AccountID(homeAccountID: "grace-uid", environment: "accounts.google.com"))
        try first.withState { state in
            try first.change(&state, try state.group(.default)) { writer in
                _ = try writer.save(Account(id: id, username: "grace@google.example"), from: .signIn)
                _ = try writer.save(
                    Credential(kind: .refreshToken, account: id, clientID: "mailer", grant: Grant()),
                    secret: secret("rt"), from: .signIn)
            }
        }
        try first.sync.begin(at: remote, named: "0")
        _ = try first.sync.run(through: remote)
        let words = try first.sync.status().own.words
        for (number, keyring) in keyrings.enumerated().dropFirst() {
            try keyring.sync.join(at: remote, named: "\(number)", trusting: words, through: remote)
            _ = try first.sync.approve(try keyring.sync.status().own.words, through: remote)
        }
        _ = try first.sync.run(through: remote)
        for keyring in keyrings.dropFirst() { _ = try keyring.sync.run(through: remote) }
    }
}
