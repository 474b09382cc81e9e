import Dispatch
import Foundation
import Keyfob
import KeyfobTestSupport
import Synchronization
import Testing

@testable import KeyfobAgent

/// Tokens that are replaced in advance, while the agent is told to end.
@Suite("Tokens in the agent's care")
struct AgentUpkeepTests {
    let home: DeskHome
    let mailer: AgentCaller

    init() throws {
        home = try DeskHome()
        mailer = try home.caller()
        try home.keyring.programs.permit(ProgramPermission(of: mailer.program, in: .default))
        for account in [home.ada, home.bob] {
            let token = Credential(
                kind: .refreshToken, account: account.id, clientID: "mailer", cachedAt: DeskHome.noon)
            _ = try home.keyring.tokens.store(token, secret: secret("refresh token"), for: account, in: [.default])
        }
    }

    @Test("Who ends the agent has the replacement that is under way end, and none begin")
    func end() async throws {
        let (asked, gate, count) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Counter())
        let desk = home.desk { () throws(KeyringError) in
            count.value.withLock { $0 += 1 }
            asked.signal()
            gate.wait()
            throw KeyringError(.offline, "there is no network here")
        }
        let home = home
        let clock = WallClock { home.time.withLock { $0.seconds } * 1_000 }
        desk.vault.adopt(try LockedKeyring(at: home.location, clock: clock).unlock(with: .keyFile(keyFile(1))))
        for account in [home.ada, home.bob] { #expect(await home.token(desk, mailer, of: account).text != nil) }
        home.advance(by: 3_500)
        let upkeep = Task { @concurrent in await desk.keepTokensFresh() }
        try #require(await Task { @concurrent in asked.isSignalled() }.value)
        upkeep.cancel()
        #expect(desk.isBusy)
        gate.signal()
        await upkeep.value
        #expect(!desk.isBusy && count.value.withLock { $0 } == 1)
    }

    @Test("Where the vault was moved away under it, nothing is written, and the next call opens what is in its place")
    func moved() async throws {
        let desk = home.desk()
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        let held = try desk.vault.keyring()
        try FileManager.default.moveItem(atPath: home.location.vault, toPath: home.folder.path + "/moved")
        try FileManager.default.copyItem(atPath: home.folder.path + "/moved", toPath: home.location.vault)
        let permission = try #require(Program("executable:/usr/bin/other"))
        // What is under way does not know it before it writes.
        let error = #expect(throws: KeyringError.self) {
            try held.programs.permit(ProgramPermission(of: permission, in: .default))
        }
        #expect(error?.code == .busy)
        desk.vault.reconsider(after: try #require(error))
        #expect(!desk.vault.isOpen)
    }

    @Test("Who ends the agent waits until a token is written down")
    func written() async throws {
        let trail = WatchingTrail()
        let desk = home.desk(audit: trail)
        trail.desk.withLock { $0 = desk }
        #expect(await home.token(desk, mailer, of: home.ada).text != nil)
        #expect(trail.wasBusy.withLock { $0 } == [true] && !desk.isBusy)
        trail.desk.withLock { $0 = nil }
    }

    @Test("Who watches hears of a token that comes in the second of the one before it")
    func sameSecond() throws {
        let desk = home.desk()
        var watch = AccountWatch(try desk.looks(for: mailer))
        try home.store(home.ada, in: .default, "another token")
        #expect(watch.events(try desk.looks(for: mailer)).map(\.kind) == [.renewed])
        #expect(watch.events(try desk.looks(for: mailer)).isEmpty)
    }
}

/// Notes whether an end would wait while something is written down.
private final class WatchingTrail: AuditTrail {
    let desk = Mutex<AgentDesk?>(nil)
    let wasBusy = Mutex<[Bool]>([])

    func append(_ entry: AuditEntry, _ keyring: Keyring) throws(KeyringError) {
        let isBusy = desk.withLock { $0?.isBusy ?? false }
        wasBusy.withLock { $0.append(isBusy) }
    }
}

private final class Counter: Sendable {
    let value = Mutex(0)
}

extension DispatchSemaphore {
    /// Whether somebody signals within a time that a test never takes otherwise.
    fileprivate func isSignalled() -> Bool { wait(timeout: .now() + 30) == .success }
}
