import Foundation
import KeyfobFiles
import KeyfobModel
import KeyfobSecretService
import KeyfobStore
import KeyfobTestSupport
import Synchronization
import Testing

@testable import KeyfobDesktop
@testable import KeyfobRecords

/// Counts the steps of a migration and dies before one of them.
private final class Death: Sendable {
    private let count = Mutex(0)
    private let step: Int

    init(before step: Int) {
        self.step = step
    }

    func take() {
        let number = count.withLock { count in
            count += 1
            return count
        }
        if number == step { kill(getpid(), SIGKILL) }
    }
}

@Suite("A migration that is killed", .waitsForPrograms)
struct MigrationCrashTests {
    private let place: MigrationHome

    init() throws {
        place = try MigrationHome()
        try place.fillSparsely()
    }

    /// Runs a migration in a process of its own that dies before a step, or at the end.
    private func die(before step: Int, toService: Bool) async throws {
        let (path, environment) = (place.directory.path, place.session.environment)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                path = path as String, environment = environment as [String: String], step = step as Int,
                toService = toService as Bool
            ] in
            let death = Death(before: step)
            try MigrationObservation.$willTake.withValue({ _ in death.take() }) {
                let directory = VaultDirectory(path: path)
                let access = MigrationHome.access(environment)
                if toService {
                    try MigrationHome.delegate(directory, access)
                } else {
                    try MigrationHome.embed(directory, access)
                }
            }
            kill(getpid(), SIGKILL)
        }
    }

    @Test("there are as many steps as are tried")
    func steps() throws {
        let steps = Mutex<[MigrationStep]>([])
        func count(_ body: () throws -> Void) rethrows -> Int {
            steps.withLock { $0 = [] }
            try MigrationObservation.$willTake.withValue(
                { step in steps.withLock { $0.append(step) } }, operation: body)
            return steps.withLock { $0.count }
        }
        #expect(try count { try place.delegate() } == Self.stepsThere)
        #expect(try count { try place.embed() } == Self.stepsBack)
    }

    private static let stepsThere = 14
    private static let stepsBack = 14

    @Test("before any step on the way to the service, it is as it was or it is done", arguments: 1...15)
    func onTheWay(step: Int) async throws {
        let before = try place.content()
        try await die(before: step, toService: true)
        #expect(try place.content() == before)
        if try place.storage().place == .embedded {
            try place.delegate()
        } else {
            // Nothing is left to do but to remove the note that it had begun.
            #expect(step >= Self.stepsThere)
        }
        #expect(try place.storage().place == .secretService)
        #expect(try place.content() == before)
        #expect(try place.items().itemCount() == before.count + 1)
        // And what it has left hinders nothing.
        try place.embed()
        #expect(try place.content() == before)
    }

    @Test("before any step on the way back, it is as it was or it is done", arguments: 1...15)
    func onTheWayBack(step: Int) async throws {
        let before = try place.content()
        try place.delegate()
        try await die(before: step, toService: false)
        #expect(try place.content() == before)
        if try place.storage().place == .secretService {
            try place.embed()
        } else {
            #expect(step > Self.stepsBack)
        }
        #expect(try place.storage().place == .embedded)
        #expect(try place.content() == before)
        #expect(try VaultDatabase.open(place.directory).integrityProblems() == [])
        #expect(try !place.directory.isMigrationLeft())
        #expect(try place.files().filter { $0.contains("new") } == [])
    }
}
