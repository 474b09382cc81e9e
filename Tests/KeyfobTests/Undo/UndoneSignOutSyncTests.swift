import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import Keyfob
@testable import KeyfobRecords

/// What other machines of a sync hear of a sign-out that was undone before they heard of it.
@Suite("Undone sign-outs on machines that synchronise", .waitsForPrograms)
struct UndoneSignOutSyncTests {
    enum Way: String, CaseIterable {
        case signOut, everywhere, forget, removal

        /// Ends the sign-in on a machine, as a command would.
        func end(_ account: Account, on machine: SyncMachine) async throws {
            machine.clock.advance(by: 1)
            let accounts = machine.keyring.accounts
            switch self {
            case .signOut: _ = try await accounts.signOut(account.id, from: .default, network: nil)
            case .everywhere:
                _ = try await accounts.signOut(account.id, reach: .everywhere, from: .default, network: nil)
            case .forget: _ = try await accounts.signOut(account.id, reach: .forget, from: .default, network: nil)
            case .removal: _ = try accounts.remove(account.id, from: .default)
            }
        }
    }

    /// Three machines, each with a sign-in of its own.
    private func home(_ ada: Account) throws -> SyncHome {
        let home = try SyncHome("one", "two", "three")
        for machine in home.machines {
            try machine.signIn(ada, token: "of \(machine.name)")
            try home.settle()
        }
        for machine in home.machines { #expect(try machine.grant(ada)?.state == .active) }
        return home
    }

    @Test("it ends nothing anywhere, and comes back where it was", arguments: Way.allCases)
    func undone(way: Way) async throws {
        let ada = try Account.contoso("ada")
        let home = try home(ada)
        let one = try home["one"]
        try await way.end(ada, on: one)
        #expect(try one.grant(ada)?.state != .active)
        home.clock.advance(by: 1)
        let undone = try one.keyring.undo.undo()
        #expect(undone.bringsBack)
        try home.settle()
        for machine in home.machines {
            #expect(try machine.grant(ada)?.state == .active, "\(machine.name)")
            #expect(try machine.accounts().map(\.id) == [ada.id], "\(machine.name)")
            let secrets = try machine.items().values.compactMap {
                $0.secret.map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(secrets == ["of \(machine.name)"], "\(machine.name)")
        }
    }

    @Test("one that was not undone ends the sign-ins of the others", arguments: Way.allCases)
    func kept(way: Way) async throws {
        let ada = try Account.contoso("ada")
        let home = try home(ada)
        try await way.end(ada, on: try home["one"])
        try home.settle()
        for machine in home.machines { #expect(try machine.grant(ada)?.state != .active, "\(machine.name)") }
    }

    @Test("an earlier sign-out that was heard of still ends what began before it", arguments: Way.allCases)
    func earlier(way: Way) async throws {
        let ada = try Account.contoso("ada")
        let home = try home(ada)
        let (one, two) = (try home["one"], try home["two"])
        // Three has not heard of it when one signs in anew, signs out and undoes that.
        try await way.end(ada, on: two)
        try home.settle(["one", "two"])
        try one.signIn(ada, token: "anew")
        try await Way.signOut.end(ada, on: one)
        home.clock.advance(by: 1)
        _ = try one.keyring.undo.undo()
        try home.settle()
        #expect(try one.grant(ada)?.state == .active)
        #expect(try home["three"].grant(ada)?.state != .active)
    }
}
