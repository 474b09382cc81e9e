import KeyfobModel
import KeyfobTestSupport
import Synchronization
import Testing

@testable import Keyfob

@Suite("One refresh for machines that share a refresh token", .waitsForPrograms)
final class SharedRefreshTests {
    private let home: SyncHome
    private let place = MemoryTurns()
    private let provider = ScriptedNetwork()
    private let grace: Account

    private var requests: Int { provider.tokenRequests.count }
    private var turns: RefreshTurns { place.turns() }

    init() throws {
        home = try SyncHome("one", "two")
        let other = try AccessGroup("other")
        try home["one"].keyring.groups.create(other)
        try home.letIn(home.machine("three"), by: home["one"], groups: [other])
        grace = try .google("grace")
        try home["one"].signIn(grace, token: "rt")
        try home.settle()
        provider.answer { [provider] _ in
            let number = provider.tokenRequests.count
            try await Task.sleep(for: .milliseconds(20))
            return .tokens("at-\(number)", scope: "openid email")
        }
    }

    private func token(_ machine: String, _ account: Account? = nil) async throws -> String {
        try await home[machine].keyring.token(of: account ?? grace, provider, turns)
    }

    /// The name under which the machines tell each other of the account's tokens.
    private func name() async throws -> [UInt8] {
        _ = try await token("one")
        return try #require(place.names.last)
    }

    /// Puts something where the last token was told, and has the second machine ask when its own is no more.
    private func second(after seconds: Int64 = 10, _ body: ([UInt8]) throws -> [UInt8]) async throws -> String {
        let name = try await name()
        home.clock.advance(by: seconds)
        place.put(try body(name), name)
        return try await token("two")
    }

    @Test("the one that is first redeems it, and the others take and keep what it got")
    func one() async throws {
        #expect(try await token("one") == "at-1")
        #expect(try await token("two") == "at-1")
        #expect(requests == 1)
        // It is stored as if it had been got there.
        #expect(try await home["two"].keyring.token(of: grace, provider, nil) == "at-1")
        let stored = try home["two"].keyring.accounts.credentials(of: grace.id, in: .default).filter {
            $0.kind == .accessToken
        }
        #expect(stored.map(\.scopes) == [["openid", "email"]])
        #expect(stored[0].expiresOn == home.clock.now.advanced(by: 3_600))
        // Where it has expired, the next one is one as well.
        home.clock.advance(by: 3_601)
        #expect(try await token("two") == "at-2")
        #expect(try await token("one") == "at-2")
        #expect(requests == 2)
    }

    @Test("a name and what is told say nothing of whose token it is, and nothing of it opens it")
    func silence() async throws {
        let name = try await name()
        let bytes = try #require(place.tokens[name])
        for word in ["at-1", "grace", "openid", "mailer", "google"] { #expect(!bytes.contains(Array(word.utf8))) }
        // Another refresh token is another name.
        try home["one"].signIn(grace, token: "rt-2")
        home.clock.advance(by: 4_000)
        #expect(try await self.name() != name)
    }

    @Test("who forces a new one, and an account whose refresh token stays at home, asks nobody")
    func alone() async throws {
        #expect(try await home["one"].keyring.token(of: grace, provider, turns, forced: true) == "at-1")
        let ada = try Account.contoso("ada")
        try home["one"].signIn(ada, token: "rt-ada")
        _ = try? await token("one", ada)
        #expect(place.names.isEmpty && requests == 2)
    }

    @Test("where nothing answers, and where somebody's turn does not end, each goes on by itself")
    func unreachable() async throws {
        place.state.withLock { $0.isAway = true }
        #expect(try await token("one") == "at-1")
        #expect(try await token("two") == "at-2")
        place.state.withLock { $0.isAway = false }
        home.clock.advance(by: 4_000)
        // It lets itself be read, and takes nothing: nobody waits for a turn that does not come.
        place.state.withLock { ($0.refuses, $0.looks) = (true, 0) }
        #expect(try await token("one") == "at-3")
        #expect(place.state.withLock { $0.looks } == 1)
        place.state.withLock { $0.refuses = false }
        home.clock.advance(by: 4_000)
        let name = try await name()
        home.clock.advance(by: 4_000)
        place.state.withLock { $0.held[name] = "somebody" }
        #expect(
            try await home["two"].keyring.token(of: grace, provider, place.turns(patience: .milliseconds(50))) == "at-5"
        )
        #expect(place.state.withLock { $0.held[name] } == "somebody")
    }

    @Test("who was killed in its turn is followed by one other, however many wait")
    func killed() async throws {
        let name = try await name()
        home.clock.advance(by: 4_000)
        place.state.withLock { state in
            state.held[name] = "killed"
            state.end = state.looks + 8
        }
        let (one, two, grace, provider, turns) =
            (try home["one"].keyring, try home["two"].keyring, grace, provider, turns)
        async let first = one.token(of: grace, provider, turns)
        async let second = two.token(of: grace, provider, turns)
        #expect(try await [first, second] == ["at-2", "at-2"])
        #expect(requests == 2)
    }

    @Test("a refusal ends the turn, and tells nothing")
    func refused() async throws {
        provider.answer { _ in .refused("invalid_grant") }
        await #expect(throws: KeyringError.self) { try await self.token("one") }
        #expect(place.tokens.isEmpty && place.state.withLock { $0.held.isEmpty })
    }

    @Test("what a member tells is taken")
    func told() async throws {
        let text = try await second(after: 4_000) { name in
            try home["one"].sharedToken(name: name, issued: home.clock.now)
        }
        #expect(text == "told" && requests == 1)
    }

    @Test("what somebody else has signed, what was altered, and what was told of another account is not")
    func forged() async throws {
        let other = try Account.google("other")
        try home["one"].signIn(other, token: "rt")
        try home.settle()
        func refused(_ body: ([UInt8]) throws -> [UInt8]) async throws {
            let before = requests
            let text = try await second(after: 4_000, body)
            #expect(text.hasPrefix("at-") && requests > before)
        }
        // Signed by three in the name of one, and by three, who does not share the group.
        try await refused { name in
            try home["three"].sharedToken(name: name, issued: home.clock.now, by: home["one"])
        }
        try await refused { name in try home["three"].sharedToken(name: name, issued: home.clock.now) }
        try await refused { name in
            var bytes = try home["one"].sharedToken(name: name, issued: home.clock.now)
            bytes[bytes.count - 40] ^= 1
            return bytes
        }
        try await refused { _ in [] }
        // By another refresh token, and with one of its own.
        try await refused { name in
            try home["one"].sharedToken(name: name, issued: home.clock.now, refreshToken: "rt-other")
        }
        try await refused { name in
            try home["one"].sharedToken(
                name: name, issued: home.clock.now, more: ", \"refresh_token\": \"evil\"")
        }
        // Of the other account, whose refresh token has the very same text here.
        try await refused { name in
            _ = try home["one"].sharedToken(name: name, issued: home.clock.now)
            return try home["one"].sharedToken(name: [UInt8](repeating: 7, count: 32), issued: home.clock.now)
        }
    }

    @Test("what is old, endless, of another clock, or about to expire is not")
    func times() async throws {
        let cases: [(issued: Int64, lifetime: Int64, told: Int64?)] = [
            (-5_000, 3_600, nil), (0, 10 * 365 * 86_400, nil), (0, 0, nil), (0, -1, nil), (3_600, 3_600, nil),
            (Int64.max / 2, 3_600, nil), (-Int64.max / 2, 3_600, nil), (-3_500, 3_600, nil), (0, 3_600, 86_400),
        ]
        for (issued, lifetime, told) in cases {
            let before = requests
            let text = try await second(after: 4_000) { name in
                try home["one"].sharedToken(
                    name: name, issued: Timestamp(seconds: home.clock.now.seconds &+ issued), lifetime: lifetime,
                    told: told)
            }
            #expect(text.hasPrefix("at-") && requests > before, "\(issued) \(lifetime)")
        }
    }

    @Test("what was told before what is stored here is not taken again")
    func replayed() async throws {
        let name = try await name()
        let old = try #require(place.tokens[name])
        home.clock.advance(by: 10)
        // By two, which knows of nothing yet.
        #expect(try await home["two"].keyring.token(of: grace, provider, nil) == "at-2")
        place.put(old, name)
        // Both live still: this one is wanted to live longer than either.
        home.clock.advance(by: 10)
        #expect(try await home["two"].keyring.token(of: grace, provider, turns, minimumValidity: 3_595) == "at-3")
    }

    @Test("what a revoked device tells is not")
    func revoked() async throws {
        let name = try await name()
        home.clock.advance(by: 4_000)
        let bytes = try home["one"].sharedToken(name: name, issued: home.clock.now)
        _ = try home["two"].keyring.sync.revoke("one")
        place.put(bytes, name)
        #expect(try await token("two") == "at-2")
        #expect(requests == 2)
    }
}

extension Sequence<UInt8> {
    fileprivate func contains(_ other: [UInt8]) -> Bool {
        let bytes = Array(self)
        guard bytes.count >= other.count else { return false }
        return (0...bytes.count - other.count).contains { bytes[$0..<$0 + other.count].elementsEqual(other) }
    }
}
