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
    private(set) var (races, merges, acts) = (0, 0, 0)
    /// What a person did that other machines were to follow at once, and that one of them did not.
    private(set) var undone: [String] = []
    private let keys = BundleKeys()
    private var files: [(owner: String?, path: String)] = []

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
        switch number(26) {
        case 0, 1, 2: try machine.signIn(account, client: client, token: "token \(number(1_000))")
        case 3, 4, 11:
            let grant = try machine.grant(account, client: client)
            guard try machine.refresh(account, client: client, token: "token \(number(1_000))") else { return }
            if let grant, signOuts.contains(where: { $0.key == key && $0.epoch >= grant.epoch }) { races += 1 }
        case 5, 23:
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
        case 16: try keep(of: machine)
        case 17, 18: try replace(on: machine)
        case 19: try fill(machine, with: account)
        case 20: try rename(on: machine)
        case 21: try removeGroup(on: machine)
        case 22: try move(account, on: machine)
        default: if try home.sync(machine.name).changed > 0 { merges += 1 }
        }
    }

    private static let names = ["team", "crew"].compactMap { try? AccessGroup($0) }

    private func groups(_ machine: SyncMachine) throws -> [AccessGroup] { try machine.groups() }

    private mutating func fill(_ machine: SyncMachine, with account: Account) throws {
        let group = Self.names[number(2)]
        if try !groups(machine).contains(group) { try machine.keyring.groups.create(group) }
        try machine.signIn(account, client: "one", token: "token \(number(1_000))", in: group)
    }

    private mutating func rename(on machine: SyncMachine) throws {
        let here = try groups(machine)
        let other = here.first { $0 != .default }
        guard let other, let free = Self.names.first(where: { !here.contains($0) }) else { return }
        home.clock.advance(by: 1)
        try machine.keyring.groups.rename(other, to: free)
        acts += 1
    }

    private mutating func removeGroup(on machine: SyncMachine) throws {
        guard let group = try groups(machine).first(where: { $0 != .default }) else { return }
        home.clock.advance(by: 1)
        _ = try machine.keyring.groups.remove(group)
        acts += 1
    }

    private mutating func move(_ account: Account, on machine: SyncMachine) throws {
        let here = try groups(machine)
        let (from, to) = (here[number(here.count)], here[number(here.count)])
        guard from != to, try machine.accounts(in: from).contains(where: { $0.id == account.id }),
            try !machine.accounts(in: to).contains(where: { $0.id == account.id })
        else { return }
        home.clock.advance(by: 1)
        _ = try machine.keyring.accounts.move(account.id, from: from, to: to)
    }

    /// At times all machines have to follow at once what one of them has just done.
    private mutating func follow(_ machine: SyncMachine, since before: [Shared: String]) throws {
        guard number(2) == 0 else { return }
        // What was gone before, and is gone still, nobody decided anew; nor what other groups are called elsewhere.
        let decided = try machine.shared().filter { key, text in
            key.group == .default && ["account", "setting"].contains(key.kind)
                && !(text.hasPrefix("tombstone") && before[key] == text)
        }
        try home.settle()
        for other in home.machines {
            let now = try other.shared()
            for (key, text) in decided where now[key] != text {
                undone.append("\(key) of \(machine.name) on \(other.name): \(text), \(now[key] ?? "-")")
            }
        }
    }

    /// Makes a backup or an export.
    private mutating func keep(of machine: SyncMachine) throws {
        let path = home.folder.path + "/file-\(files.count).age"
        let isBackup = number(2) == 0
        if isBackup {
            _ = try machine.keyring.bundles.backUp(to: path, for: [keys.recipient])
        } else {
            try Data(try machine.keyring.bundle(for: keys.seal)).write(to: URL(filePath: path))
        }
        files.append((isBackup ? machine.name : nil, path))
    }

    /// Takes a machine back to what a backup or an export holds; at times all have to follow at once.
    private mutating func replace(on machine: SyncMachine) throws {
        guard !files.isEmpty else { return }
        let (owner, path) = files[number(files.count)]
        let file = try BundleFile(path: path)
        home.clock.advance(by: 1)
        let before = try machine.shared()
        if let owner {
            guard owner == machine.name else { return }
            _ = try machine.keyring.bundles.restore(file, with: keys.opener)
        } else {
            _ = try machine.keyring.bundles.import(file, with: keys.opener, mode: .replace, taking: .all)
        }
        acts += 1
        try follow(machine, since: before)
    }

    /// An item of a group, or the group itself.
    struct Shared: Hashable, CustomStringConvertible {
        let group: AccessGroup
        let key: ItemKey?

        var kind: String { key?.kind.rawValue ?? "group" }
        var description: String { "\(group)/\(key.map { "\($0)" } ?? "")" }
    }
}

extension SyncMachine {
    func groups() throws -> [AccessGroup] { try keyring.groups.list().map(\.name) }

    /// What must be the same everywhere: everything but the sign-ins that each machine has for itself.
    func shared() throws -> [SyncHistory.Shared: String] {
        var shown: [SyncHistory.Shared: String] = [:]
        for group in try groups() {
            shown[.init(group: group, key: nil)] = "there"
            for (key, (item, secret)) in try items(in: group)
            where !item.isThisDeviceOnly && SyncTravel.travels(key) {
                shown[.init(group: group, key: key)] = Self.text(item, secret)
            }
        }
        return shown
    }

    private static func text(_ item: ItemRecord, _ secret: [UInt8]?) -> String {
        // A record may be newer than all that it says, where a field was set to what it was.
        guard let credential = item.content.credential else { return "\(item.content)" }
        let grant = credential.grant ?? Grant()
        let isShared = credential.account.environment == "accounts.google.com"
        return isShared
            ? "\(grant.state) \(grant.epoch) \(grant.generation) \(secret.map { $0 } ?? [])"
            : "known \(max(grant.epoch, grant.known))"
    }
}
