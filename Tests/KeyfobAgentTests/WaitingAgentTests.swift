import Foundation
import Keyfob
import KeyfobFiles
import KeyfobTestSupport
import Synchronization
import Testing

@testable import KeyfobAgent

@Suite("An agent whose vault another process has", .waitsForPrograms)
struct WaitingAgentTests {
    private final class Counter: Sendable { let count = Atomic(0) }

    private let home: DeskHome

    init() throws { home = try DeskHome() }

    @Test("tells all who ask together that it is busy, and locks while they wait")
    func waiting() async throws {
        let (home, patience) = (home, Duration.seconds(3))
        // What is at hand opens the vault once.
        let audit = AuditFiles(state: home.location.state)
        let vault = AgentVault(
            open: { () throws(KeyringError) in throw KeyringError(.locked, "the vault is locked") },
            closing: { audit.noteHeads(in: $0) })
        vault.adopt(home.keyring)
        let desk = AgentDesk(
            vault, audit: audit, questions: home.person,
            network: { () throws(KeyringError) in throw KeyringError(.offline, "there is no network here") },
            clock: .standing(at: DeskHome.noon))
        home.person.allow(.session)
        let caller = try home.caller()
        #expect(await home.token(desk, caller, of: home.ada).text != nil)
        let begun = Counter()
        let place = try VarlinkPlace { call, _, replies in
            if call.method == AgentInterface.lock {
                let wasOpen = desk.lock()
                return replies.send(.reply { $0.member("wasOpen", wasOpen) })
            }
            begun.count.add(1, ordering: .relaxed)
            let answer = await home.token(desk, caller, of: home.ada)
            replies.send(.reply { $0.member("code", answer.error?.code.rawValue ?? "") })
        }
        let holder = try DatabaseHolder(home.location.vault + "/keyring.db")
        defer { holder.release() }
        try await Patience.$usual.withValue(patience) {
            let start = ContinuousClock.now
            let waiting = try (0..<40).map { _ in try place.connect() }
            for client in waiting { client.call("a.Token") }
            let owner = try place.connect()
            try await place.turn(until: { begun.count.load(ordering: .relaxed) == waiting.count })
            owner.call(AgentInterface.lock)
            var replies: [String] = []
            try await place.turn(until: {
                replies += owner.replies()
                return !replies.isEmpty
            })
            #expect(replies == [#"{"parameters":{"wasOpen":true}}"#])
            // They wait on, but for those that have found it locked already.
            var told = waiting.flatMap { $0.replies() }
            #expect(ContinuousClock.now - start < patience && told.count < waiting.count)
            #expect(told.allSatisfy { $0.contains("locked") })
            #expect(!vault.isOpen)
            try await place.turn(until: {
                told += waiting.flatMap { $0.replies() }
                return told.count == waiting.count
            })
            #expect(told.allSatisfy { $0.contains("busy") || $0.contains("locked") })
            // One after the other it would be as many times as long.
            #expect(ContinuousClock.now - start < patience * 4)
        }
        try await eventually { !vault.isClosing }
    }
}
