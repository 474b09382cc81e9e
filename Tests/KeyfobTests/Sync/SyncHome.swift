import Foundation
import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import Keyfob

/// A machine with a keyring of its own.
final class SyncMachine {
    let name: String
    let location: KeyringLocation
    let keyring: Keyring
    let clock: MovingClock

    init(_ name: String, in folder: ScratchFolder, clock: MovingClock = MovingClock()) throws {
        (self.name, self.clock) = (name, clock)
        location = KeyringLocation(
            vault: folder.path + "/\(name)/vault", state: folder.path + "/\(name)/state")
        keyring = try Keyring.create(at: location, slot: .keyFile(keyFile(1)), clock: clock.clock).keyring
    }

    /// The keyring once more, as another process would have it, perhaps at another place.
    func reopened(vault: String? = nil) throws -> Keyring {
        var place = location
        if let vault { place.vault = vault }
        return try LockedKeyring(at: place, clock: clock.clock).unlock(with: .keyFile(keyFile(1)))
    }

    func accounts(in group: AccessGroup = .default) throws -> [Account] {
        try keyring.accounts.list(in: [group]).map(\.account)
    }
}

/// Some machines, and a folder that something carries between them at once.
final class SyncHome {
    let folder: ScratchFolder
    let remote: String
    let clock = MovingClock()
    private(set) var machines: [SyncMachine] = []

    /// - Parameter names: The machines; the first begins the sync and lets the others in.
    init(_ names: String..., groups: [String: [AccessGroup]] = [:]) throws {
        folder = try ScratchFolder()
        remote = folder.path + "/remote"
        try FileManager.default.createDirectory(atPath: remote, withIntermediateDirectories: true)
        for name in names { _ = try machine(name) }
        guard let first = machines.first else { return }
        try first.keyring.sync.begin(at: remote, named: first.name)
        _ = try first.keyring.sync.run(through: remote)
        for machine in machines.dropFirst() { try letIn(machine, by: first, groups: groups[machine.name]) }
        try settle()
    }

    /// One more machine, which takes no part.
    func machine(_ name: String) throws -> SyncMachine {
        let machine = try SyncMachine(name, in: folder, clock: clock)
        machines.append(machine)
        return machine
    }

    /// Has one machine let another in, both comparing words.
    func letIn(_ machine: SyncMachine, by first: SyncMachine, groups: [AccessGroup]? = nil) throws {
        let words = try first.keyring.sync.status().own.words
        try machine.keyring.sync.join(at: remote, named: machine.name, trusting: words, through: remote)
        let own = try machine.keyring.sync.status().own.words
        _ = try first.keyring.sync.approve(own, groups: groups, through: remote)
        _ = try first.keyring.sync.run(through: remote)
        _ = try machine.keyring.sync.run(through: remote)
    }

    subscript(name: String) -> SyncMachine {
        get throws { try #require(machines.first { $0.name == name }) }
    }

    @discardableResult
    func sync(_ name: String) throws -> SyncReport {
        clock.advance(by: 1)
        return try self[name].keyring.sync.run(through: remote)
    }

    /// Synchronises all until nobody has anything new.
    func settle(_ names: [String]? = nil) throws {
        for _ in 0..<10 {
            var isQuiet = true
            for machine in machines where machine.keyring.sync.isSetUp && names?.contains(machine.name) != false {
                clock.advance(by: 1)
                let report = try machine.keyring.sync.run(through: remote)
                if report.hasPublished || report.changed > 0 { isQuiet = false }
            }
            if isQuiet { return }
        }
        Issue.record("the machines do not come to rest")
    }

    /// The files of a machine at the remote, by name.
    func files(of machine: SyncMachine) throws -> [String: Data] {
        let folder = remote + "/" + (try machine.keyring.sync.status().ownFolder)
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            files[name] = try Data(contentsOf: URL(filePath: folder + "/" + name))
        }
        return files
    }

    /// Puts files in the place of all of a machine's.
    func replace(_ files: [String: Data], of machine: SyncMachine) throws {
        let folder = remote + "/" + (try machine.keyring.sync.status().ownFolder)
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, data) in files { try data.write(to: URL(filePath: folder + "/" + name)) }
    }

    /// What a machine has to say of others.
    func findings(_ name: String) throws -> Set<String> {
        Set(try self[name].keyring.sync.status().findings.map(\.kind))
    }
}
