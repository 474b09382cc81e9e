import Foundation
import KeyfobModel
import KeyfobRecords
import KeyfobSync
import KeyfobTestSupport
import Testing

@testable import Keyfob

/// Two to five machines that do random things, and synchronise in any order over a folder.
///
/// What they do is done by the writers, the reading and the merging that ship.
struct SyncHistory {
    /// A sign-in in one epoch.
    struct Ended: Hashable {
        let key: ItemKey
        let epoch: UInt64
    }

    private var generator: SeededGenerator
    let home: SyncHome
    private(set) var signOuts: Set<Ended> = []
    private(set) var (races, merges) = (0, 0)

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        home = try SyncHome("one", "two")
        for name in ["three", "four", "five"].prefix(Int.random(in: 0...3, using: &generator)) {
            // Whoever is in may let others in.
            let by = home.machines.randomElement(using: &generator)
            try home.letIn(try home.machine(name), by: try #require(by))
        }
        try home.settle()
    }

    private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    mutating func play(steps: Int) throws {
        for _ in 0..<steps { try step(home.machines[number(home.machines.count)]) }
        try home.settle()
    }

    private mutating func step(_ machine: SyncMachine) throws {
        let accounts = [try Account.contoso("ada"), try .contoso("ben"), try .google("grace")]
        let account = accounts[number(3)]
        let client = number(4) == 0 ? "two" : "one"
        let key = ItemKey(.refresh(account, client: client))
        switch number(16) {
        case 0, 1, 2: try machine.signIn(account, client: client, token: "token \(number(1_000))")
        case 3, 4, 11:
            let grant = try machine.grant(account, client: client)
            guard try machine.refresh(account, client: client, token: "token \(number(1_000))") else { return }
            if let grant, signOuts.contains(where: { $0.key == key && $0.epoch >= grant.epoch }) { races += 1 }
        case 5:
            guard try machine.grant(account, client: client) != nil,
                let epoch = try machine.signOut(account, client: client)
            else { return }
            signOuts.insert(Ended(key: key, epoch: epoch))
        case 6:
            guard try machine.accounts().contains(where: { $0.id == account.id }) else { return }
            for client in ["one", "two"] {
                guard let grant = try machine.grant(account, client: client), grant.state == .active else { continue }
                signOuts.insert(Ended(key: ItemKey(.refresh(account, client: client)), epoch: grant.epoch))
            }
            _ = try machine.keyring.accounts.removeForGood(account.id, from: .default)
        case 7, 8:
            let label = ["a", "b", nil][number(3)]
            try machine.change { writer in
                if try writer.hasAccount(account.id) { try writer.update(account.id) { $0.label = label } }
            }
        case 9: try machine.set("binding:tool:\(number(2)):", to: ["ada", "ben", nil][number(3)])
        case 10: try machine.keyring.accounts.setDefault(number(2) == 0 ? nil : account.id, in: .default)
        default: if try home.sync(machine.name).changed > 0 { merges += 1 }
        }
    }

    /// What must be the same everywhere: everything but the sign-ins that each machine has for itself.
    func shared(_ machine: SyncMachine) throws -> [ItemKey: String] {
        var shown: [ItemKey: String] = [:]
        for (key, (item, secret)) in try machine.items() where !item.isThisDeviceOnly {
            if let credential = item.content.credential {
                let grant = credential.grant ?? Grant()
                let isShared = credential.account.environment == "accounts.google.com"
                if isShared {
                    shown[key] = "\(grant.state) \(grant.epoch) \(grant.generation) \(secret.map { $0 } ?? [])"
                } else {
                    shown[key] = "known \(max(grant.epoch, grant.known))"
                }
            } else {
                // A record may be newer than all that it says, where a field was set to what it was.
                shown[key] = "\(item.content)"
            }
        }
        return shown
    }
}
