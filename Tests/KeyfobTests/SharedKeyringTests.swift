import Foundation
import Keyfob
import KeyfobTestSupport
import Synchronization
import Testing

@Suite("A keyring that several use at once", .eachStorageInFullRun)
struct SharedKeyringTests {
    private let home: KeyringHome
    private let mine: Keyring
    private let theirs: Keyring
    private let ada: Account
    private let request = TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"])

    init() throws {
        home = try KeyringHome()
        mine = home.keyring
        theirs = try home.opened()
        ada = try .contoso("ada")
        try mine.store(.access(ada), "first", for: ada)
    }

    @Test("a token that somebody else replaced is not served again")
    func replaced() throws {
        #expect(try mine.tokenText(request) == "first")
        #expect(try mine.tokenText(request) == "first")
        try theirs.store(.access(ada, expires: 7_200), "second", for: ada)
        #expect(try mine.tokenText(request) == "second")
        try mine.store(.access(ada, expires: 7_201), "third", for: ada)
        #expect(try theirs.tokenText(request) == "third")
        #expect(try mine.tokenText(request) == "third")
    }

    @Test("a token that somebody else removed is not served again")
    func removed() throws {
        #expect(try mine.tokenText(request) == "first")
        _ = try theirs.accounts.removeForGood(ada.id, from: .default)
        #expect(mine.refusal(request) == .noSuchAccount)
        try mine.store(.access(ada), "second", for: ada)
        #expect(try mine.tokenText(request) == "second")
        _ = try mine.accounts.removeForGood(ada.id, from: .default)
        #expect(mine.refusal(request) == .noSuchAccount)
    }

    @Test("a token is not served again once it is too old")
    func expired() throws {
        let time = Mutex(noon.seconds)
        let clock = Clock(time)
        let keyring = try home.opened(clock: clock.wallClock)
        #expect(try keyring.tokenText(request) == "first")
        clock.advance(3_590)
        #expect(try keyring.tokenText(request) == "first")
        clock.advance(1)
        #expect(keyring.refusal(request) == .signInNeeded)
    }

    @Test("a group that somebody else made, rotated or removed is known at once", .embeddedAlone)
    func groups() throws {
        let work = try AccessGroup("work")
        try theirs.groups.create(work)
        try mine.store(.access(ada), "at work", for: ada, in: [work])
        _ = try theirs.groups.rotate(work)
        #expect(try mine.tokenText(request, in: [work]) == "at work")
        _ = try theirs.groups.rotate(work)
        try mine.store(.access(ada, expires: 9_000), "newer", for: ada, in: [work])
        #expect(try theirs.tokenText(request, in: [work]) == "newer")
        _ = try theirs.groups.remove(work)
        #expect(mine.refusal(request, in: [work]) == .noSuchGroup)
        #expect(try mine.health.verify().problems == [])
    }

    @Test("readers and writers at the same time see old or new, never damage")
    func concurrency() async throws {
        let rounds = 60
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [theirs, ada] in
                for round in 0..<rounds {
                    try theirs.store(.access(ada, expires: 4_000 + Int64(round)), "token \(round)", for: ada)
                }
            }
            group.addTask { [mine, request] in
                for _ in 0..<rounds * 4 {
                    let text = try mine.tokenText(request)
                    #expect(text == "first" || text.hasPrefix("token "))
                }
            }
            try await group.waitForAll()
        }
        #expect(try mine.tokenText(request) == "token \(rounds - 1)")
        #expect(try mine.health.verify().problems == [])
    }

    @Test("a label that two give to two accounts at once is one account's")
    func labels() async throws {
        let bob = try Account.contoso("bob")
        try mine.store(.access(bob), "token of bob", for: bob)
        for round in 0..<20 {
            let label = "label \(round)"
            let codes = await withTaskGroup(of: KeyringError.Code?.self) { group in
                for (keyring, account) in [(mine, ada), (theirs, bob)] {
                    group.addTask {
                        failure(of: KeyringError.self) {
                            try keyring.accounts.setLabel(label, of: account.id, in: .default)
                        }?.code
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(codes) == [nil, .alreadyExists])
        }
    }

    @Test("nobody who writes waits for the derivation of a new slot's key", .embeddedAlone)
    func derivation() throws {
        let progress = Progress()
        // A thread of its own: the tests' threads may all be taken.
        Thread.detachNewThread { [mine] in
            _ = try? mine.slots.add(.passphrase(secret("correct"), memory: 512 << 20))
            progress.isDone.withLock { $0 = true }
        }
        var written: Int64 = 0
        while !progress.isDone.withLock({ $0 }) {
            try theirs.store(.access(ada, expires: 4_000 + written), "token \(written)", for: ada)
            written += 1
        }
        #expect(written > 3)
        #expect(try mine.slots.list().count == 3)
    }

    /// Whether something has come to its end.
    private final class Progress: Sendable {
        let isDone = Mutex(false)
    }

    /// A clock that is set by hand.
    private final class Clock: Sendable {
        private let seconds: Mutex<Int64>

        init(_ start: consuming Mutex<Int64>) {
            seconds = start
        }

        var wallClock: WallClock { WallClock { self.seconds.withLock { $0 * 1_000 } } }

        func advance(_ step: Int64) {
            seconds.withLock { $0 += step }
        }
    }
}
