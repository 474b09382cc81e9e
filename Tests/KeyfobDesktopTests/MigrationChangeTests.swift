import Foundation
import KeyfobFiles
import KeyfobModel
import KeyfobSecretService
import KeyfobStoreTestSupport
import KeyfobTestSupport
import Synchronization
import Testing

@testable import KeyfobDesktop
@testable import KeyfobRecords
@testable import KeyfobVault

/// Calls a closure before one step of each kind, and counts them.
private final class StepCounter: Sendable {
    private let count = Mutex(0)

    var reached: Int { count.withLock { $0 } }

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

@Suite("A vault that is changed while it is moved", .waitsForPrograms)
struct MigrationChangeTests {
    private let place: MigrationHome

    init() throws {
        place = try MigrationHome()
        try place.fillSparsely()
    }

    /// Moves the records, with `body` before the last comparison of each attempt up to `times`.
    private func moving(
        times: Int, _ body: @escaping @Sendable (VaultDirectory, SecretServiceAccess, Int) throws -> Void,
        _ move: () throws -> Void
    ) throws -> Int {
        let (directory, access, counter) = (place.directory, place.access, StepCounter())
        try MigrationObservation.$willTake.withValue(
            { step in
                guard step == .settle else { return }
                let number = counter.next()
                guard number <= times else { return }
                do {
                    try body(directory, access, number)
                } catch {
                    Issue.record(error)
                }
            }, operation: move)
        return counter.reached
    }

    /// Changes a setting as another process would, wherever the records lie.
    private static func set(_ directory: VaultDirectory, _ access: SecretServiceAccess, _ number: Int) throws {
        let storage = try MigrationHome.storage(directory, access)
        let vault = try MigrationHome.unlocked(storage)
        _ = try storage.change(vault.group(.default).keys, sequence: vault.sequence, milliseconds: 0) { writer in
            try writer.setSetting("change \(number)", to: "made")
            _ = try writer.save(try .refresh("ada"), secret: secret("refresh number \(number)"), from: .signIn)
        }
    }

    private func settings() throws -> [String] {
        let storage = try place.storage()
        let vault = try place.unlocked()
        return try storage.settings(prefixes: ["change "], in: vault.group(.default).keys).items.map(\.value.name)
    }

    @Test("what is changed before its database is left goes along", arguments: [1, 2, 3])
    func changedDatabase(times: Int) throws {
        let attempts = try moving(times: times, Self.set) { try place.delegate() }
        #expect(attempts == times + 1)
        #expect(try place.storage().place == .secretService)
        #expect(try settings().sorted() == (1...times).map { "change \($0)" })
        let secrets = try place.content().records.compactMap { $0.secret.map { String(decoding: $0, as: UTF8.self) } }
        #expect(secrets.contains("refresh number \(times)"))
        try place.embed()
        #expect(try settings().count == times)
    }

    @Test("a group that is made meanwhile goes along")
    func changedHeader() throws {
        let change: @Sendable (VaultDirectory, SecretServiceAccess, Int) throws -> Void = { directory, access, number in
            let storage = try MigrationHome.storage(directory, access)
            var vault = try MigrationHome.unlocked(storage)
            try storage.createGroup(AccessGroup("group \(number)"), &vault)
        }
        #expect(try moving(times: 1, change) { try place.delegate() } == 2)
        #expect(try place.unlocked().groups.map(\.name.name) == ["default", "group 1"])
        #expect(try place.content().groups.count == 2)
    }

    @Test("the database cannot be changed any more when its records count elsewhere")
    func lateChange() throws {
        let old = try place.home.opened()
        try place.delegate()
        let before = try place.content()
        let vault = try MigrationHome.unlocked(old)
        #expect(
            storeError {
                _ = try old.change(vault.group(.default).keys, sequence: vault.sequence, milliseconds: 0) {
                    try $0.setSetting("late", to: "lost")
                }
            } == .movedAway)
        #expect(try place.content() == before)
    }

    @Test("what is changed among the items before they are left goes along", arguments: [1, 2])
    func changedItems(times: Int) throws {
        try place.delegate()
        let (directory, access, counter) = (place.directory, place.access, StepCounter())
        // Before the lock is taken: afterwards nobody can.
        try MigrationObservation.$willTake.withValue(
            { step in
                guard step == .build else { return }
                let number = counter.next()
                guard number <= times else { return }
                do { try Self.set(directory, access, number) } catch { Issue.record(error) }
            },
            operation: { _ = try place.embed() })
        #expect(counter.reached == times + 1)
        #expect(try place.storage().place == .embedded)
        #expect(try settings().sorted() == (1...times).map { "change \($0)" })
        try place.delegate()
        #expect(try settings().count == times)
    }

    @Test("it waits for whoever redeems a refresh token, and whoever comes later waits for it")
    func refreshing() throws {
        let held = try GrantLock.attempt(place.directory.refreshLock, grant: 77)
        #expect(storeError { _ = try RefreshPause(place.directory, orBusyAfter: .milliseconds(50)) } == .busy)
        _ = consume held
        let pause = try RefreshPause(place.directory, orBusyAfter: .seconds(5))
        #expect(try !takesLock())
        _ = consume pause
        #expect(try takesLock())
    }

    /// Whether a refresh could begin.
    private func takesLock() throws -> Bool {
        switch try GrantLock.attempt(place.directory.refreshLock, grant: 77) {
        case .some: true
        case .none: false
        }
    }

    @Test("a service that ends and comes back in the middle loses nothing", arguments: [1, 2, 4])
    func restartedService(item: Int) throws {
        let before = try place.content()
        let counter = StepCounter()
        let session = Mutex(try SecretServiceSession())
        let access = session.withLock { MigrationHome.access($0.environment) }
        MigrationObservation.$willTake.withValue({ step in
            guard step == .item, counter.next() == item else { return }
            do { try session.withLock { try $0.restartService() } } catch { Issue.record(error) }
        }) {
            // Whether it gets over it or not, the next one does.
            _ = try? MigrationHome.delegate(place.directory, access)
        }
        #expect(try VaultImage(of: MigrationHome.storage(place.directory, access)) == before)
        if try StoragePlaceFile.read(place.directory) == nil { try MigrationHome.delegate(place.directory, access) }
        #expect(try VaultImage(of: MigrationHome.storage(place.directory, access)) == before)
        #expect(try StoragePlaceFile.read(place.directory) != nil)
    }

    @Test("a service that goes away in the middle leaves all where it was")
    func lostService() throws {
        let before = try place.content()
        let counter = StepCounter()
        let session = Mutex(try SecretServiceSession())
        let access = session.withLock { MigrationHome.access($0.environment) }
        MigrationObservation.$willTake.withValue({ step in
            guard step == .item, counter.next() == 3 else { return }
            do { try session.withLock { try $0.stopService() } } catch { Issue.record(error) }
        }) {
            let error = failure(of: DesktopError.self) { try MigrationHome.delegate(place.directory, access) }
            #expect(error == .service(.noService, partly: false))
        }
        #expect(try place.content() == before)
        #expect(MigrationNote.read(place.directory) == .begun)
        try session.withLock { try $0.restartService() }
        let tally = try MigrationHome.delegate(place.directory, access)
        #expect(tally.groups.first?.kept == 2)
        #expect(try VaultImage(of: MigrationHome.storage(place.directory, access)) == before)
        #expect(MigrationNote.read(place.directory) == nil)
    }
}
