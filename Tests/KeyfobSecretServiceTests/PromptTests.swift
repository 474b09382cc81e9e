import Foundation
import KeyfobSecretService
import KeyfobSodium
import KeyfobTestSupport
import Synchronization
import Testing

/// Against a service whose prompts end as they are told to.
@Suite(.waitsForPrograms) struct PromptTests {
    /// How a prompt ends: the flag, and what comes of it.
    static let unhappyEnds: [(String, SecretServiceError)] = [
        ("dismiss", .promptDismissed), ("ignore", .promptDismissed), ("vanish", .noService),
    ]

    private func create(_ service: SecretService, _ label: String = "Keyfob") throws -> SecretService.ItemPath {
        try service.create(label: label, attributes: attributes, secret: secret("hidden"), in: service.defaultPath())
    }

    @Test func unlocksWhenItIsAnswered() throws {
        let session = try SecretServiceSession(.misbehaving(["locked", "accept"]))
        let service = try session.connect(mayPrompt: true)
        let collection = try service.defaultPath()
        #expect(try service.collection(at: collection).isLocked)
        try service.unlock(collection)
        #expect(try service.collection(at: collection).isLocked == false)
    }

    @Test(arguments: unhappyEnds)
    func unlocksNothingWhenItIsNot(end: String, expected: SecretServiceError) throws {
        let session = try SecretServiceSession(.misbehaving(["locked", end]))
        let service = try session.connect(
            mayPrompt: true, promptDeadline: end == "ignore" ? .seconds(3) : .seconds(30))
        let collection = try service.defaultPath()
        #expect(failure { try service.unlock(collection) } == expected)
    }

    @Test(arguments: ["accept", "dismiss", "ignore", "vanish"])
    func isNotShownWhereAskingIsNotAllowed(end: String) throws {
        let session = try SecretServiceSession(.misbehaving(["locked", end]))
        let service = try session.connect()
        let collection = try service.defaultPath()
        #expect(failure { try service.unlock(collection) } == SecretServiceError.locked)
        #expect(try service.collection(at: collection).isLocked)
    }

    @Test func isAnsweredEvenIfTheServiceEndsThen() throws {
        let session = try SecretServiceSession(.misbehaving(["locked", "accept", "ends"]))
        let service = try session.connect(mayPrompt: true)
        try service.unlock(service.defaultPath())
    }

    @Test func saysThatSomethingWasUnlockedThatWasNot() throws {
        let session = try SecretServiceSession(.misbehaving(["locked", "accept", "lies"]))
        let service = try session.connect(mayPrompt: true)
        let collection = try service.defaultPath()
        #expect(failure { try service.unlock(collection) } == SecretServiceError.locked)
    }

    @Test func deletesWhenItIsAnswered() throws {
        let session = try SecretServiceSession(.misbehaving(["ask-to-delete", "accept"]))
        let service = try session.connect(mayPrompt: true)
        let item = try create(service)
        try service.delete(item)
        #expect(try service.search(attributes, in: nil).items == [])
    }

    @Test(arguments: unhappyEnds)
    func deletesNothingWhenItIsNot(end: String, expected: SecretServiceError) throws {
        let session = try SecretServiceSession(.misbehaving(["ask-to-delete", end]))
        let service = try session.connect(
            mayPrompt: true, promptDeadline: end == "ignore" ? .seconds(3) : .seconds(30))
        let item = try create(service)
        #expect(failure { try service.delete(item) } == expected)
        if expected != .noService { #expect(try service.readings(of: [item]) == [.text("hidden")]) }
    }

    @Test func isNeededToDelete() throws {
        let session = try SecretServiceSession(.misbehaving(["ask-to-delete", "accept"]))
        let service = try session.connect()
        let item = try create(service)
        #expect(failure { try service.delete(item) } == SecretServiceError.needsPrompt)
        #expect(try service.readings(of: [item]) == [.text("hidden")])
    }

    @Test func isNeededToCreate() throws {
        let session = try SecretServiceSession(.misbehaving(["ask-to-create", "ignore"]))
        let service = try session.connect(deadline: .seconds(3))
        #expect(failure { _ = try create(service) } == SecretServiceError.needsPrompt)
        #expect(try service.search(attributes, in: nil).items == [])
    }

    @Test(arguments: [true, false])
    func isPassingWhereItShowsNothing(mayPrompt: Bool) throws {
        let session = try SecretServiceSession(.misbehaving(["ask-to-create", "accept"]))
        let service = try session.connect(mayPrompt: mayPrompt)
        let item = try create(service)
        #expect(try service.readings(of: [item]) == [.text("hidden")])
        #expect(try service.search(attributes, in: nil).items == [item])
    }

    @Test func isNotCausedByASearchWhereNothingIsOpen() throws {
        let folder = try ScratchFolder()
        let mark = folder.path + "/searched"
        let session = try SecretServiceSession(.misbehaving(["no-default", "locked", "tells-searches:\(mark)"]))
        let keys = { (service: SecretService) in _ = try service.slotKeys(vault: "a", slot: "b") { _ in true } }
        #expect(failure { try keys(session.connect()) } == SecretServiceError.locked)
        #expect(!FileManager.default.fileExists(atPath: mark))
        // Who may be asked is.
        #expect(failure { try keys(session.connect(mayPrompt: true)) } == SecretServiceError.noItem)
        #expect(FileManager.default.fileExists(atPath: mark))
    }

    @Test func isToldWhereSomebodyIsWaitedFor() throws {
        let count = Counter()
        let session = try SecretServiceSession(.misbehaving(["locked", "ignore"]))
        let service = try session.connect(mayPrompt: true, promptDeadline: .seconds(5)) { count.note() }
        #expect(failure { try service.unlock(service.defaultPath()) } == SecretServiceError.promptDismissed)
        #expect(count.value == 1)
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }

        func note() { count.withLock { $0 += 1 } }
    }

    @Test func unlocksItemsOneByOne() throws {
        let session = try SecretServiceSession(.misbehaving(["items-locked", "accept"]))
        let service = try session.connect(mayPrompt: true)
        let items = try (0..<5).map { try create(service, "\($0)") }
        #expect(try service.search(attributes, in: nil).lockedCount == 5)
        #expect(try service.readings(of: items) == Array(repeating: .text("hidden"), count: 5))
        #expect(try service.search(attributes, in: nil).lockedCount == 0)
    }

    @Test func isNotShownForItemsWhereAskingIsNotAllowed() throws {
        let session = try SecretServiceSession(.misbehaving(["items-locked", "accept"]))
        let service = try session.connect(mayPrompt: true)
        let items = try (0..<5).map { try create(service, "\($0)") }
        try service.unlock([items[1], items[3]])
        // The service refuses all when one of them is locked.
        let locked = Reading.failure(.locked)
        #expect(
            try session.connect().readings(of: items) == [locked, .text("hidden"), locked, .text("hidden"), locked])
    }

    @Test func isDismissedForItems() throws {
        let session = try SecretServiceSession(.misbehaving(["items-locked", "dismiss"]))
        let service = try session.connect(mayPrompt: true)
        let item = try create(service)
        #expect(failure { _ = try service.readings(of: [item]) } == SecretServiceError.promptDismissed)
    }
}
