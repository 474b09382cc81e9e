import Foundation
@testable import Keyfob
import KeyfobTestSupport
import Testing

@Suite("Sign-outs, removals and undoing in a process that is killed", .serialized)
struct UndoCrashTests {
    /// What the process does that is killed.
    enum Action: String, CaseIterable {
        case remove, logout, undo, clear
    }

    private static let delays = [1, 3, 6, 12, 25, 50, 100, 120_000] + (TestLength.isFull ? Array(2..<80) : [])

    @Test("leave what was before or what is after, and what went comes back", arguments: Action.allCases, delays)
    func killed(action: Action, delay: Int) async throws {
        let home = try KeyringHome()
        let ada = try Account.contoso("ada", label: "boss")
        for client in 0..<100 {
            try home.keyring.store(.refresh(ada, client: "client\(client)"), "t\(client)", for: ada)
        }
        try home.keyring.bindings.set(.tool("gh"), to: .account(ada.id), in: .default)
        let whole = try KeyringContent(home.keyring)
        let isThere = action == .remove || action == .logout
        if !isThere {
            let policy = UndoPolicy.keep(home.keyring.undo.command("account remove"))
            _ = try home.keyring.accounts.remove(ada.id, from: .default, undo: policy)
        }
        let path = home.folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, delay = delay as Int, name = action.rawValue as String] in
            let location = KeyringLocation(vault: path + "/vault", state: path + "/state")
            let keyring = try LockedKeyring(at: location, clock: .standing(at: noon)).unlock(with: .keyFile(keyFile(1)))
            let ada = try Account.contoso("ada")
            Thread {
                usleep(UInt32(delay) * 1_000)
                kill(getpid(), SIGKILL)
            }.start()
            let policy = UndoPolicy.keep(keyring.undo.command(name))
            switch Action(rawValue: name) {
            case .remove: _ = try? keyring.accounts.remove(ada.id, from: .default, undo: policy)
            case .logout:
                _ = try? await keyring.accounts.signOut(
                    ada.id, reach: .everywhere, from: .default, undo: policy, network: nil)
            case .undo: _ = try? keyring.undo.undoTaken()
            case .clear, nil: _ = try? keyring.undo.clear()
            }
            kill(getpid(), SIGKILL)
        }
        let keyring = try home.opened()
        #expect(try keyring.health.verify().problems == [])
        let (content, entries) = (try KeyringContent(keyring), try keyring.undo.taken().count)
        if action == .clear {
            #expect(content != whole && entries <= 1)
            if delay == 120_000 { #expect(entries == 0) }
            return
        }
        // Both in one change: all is there and nothing to undo, or the other way round.
        #expect((content == whole) == (entries == 0))
        if delay == 120_000 { #expect((content == whole) == !isThere) }
        if entries > 0 { _ = try keyring.undo.undoTaken() }
        #expect(try KeyringContent(keyring) == whole && keyring.health.verify().problems == [])
    }
}
