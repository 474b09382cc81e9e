import KeyfobSecretService
import KeyfobSodium
import KeyfobTestSupport
import Testing

/// Against GNOME's keyring, which has nobody here who could ask the person.
@Suite(.waitsForPrograms) struct LockTests {
    private let session: SecretServiceSession

    init() throws {
        session = try SecretServiceSession(.keyring)
    }

    private func create(_ service: SecretService) throws -> SecretService.ItemPath {
        try service.create(
            label: "Keyfob", attributes: attributes, secret: secret("hidden"), in: service.defaultPath())
    }

    @Test func hidesSecretsAndCountsThem() throws {
        let service = try session.connect()
        let collection = try service.defaultPath()
        let item = try create(service)
        try service.lock(collection)
        #expect(try service.defaultCollection().isLocked)
        let found = try service.search(attributes, in: collection)
        #expect(found.items == [item])
        #expect(found.lockedCount == 1)
        #expect(try service.readings(of: [item]) == [.failure(.locked)])
        #expect(failure { try service.setSecret(of: item, to: secret("x")) } == SecretServiceError.locked)
        #expect(failure { _ = try create(service) } == SecretServiceError.locked)
        #expect(failure { try service.delete(item) } == SecretServiceError.locked)
        #expect(
            failure { try service.setAttributes(of: item, to: attributes, label: "x") } == SecretServiceError.locked)

        try session.unlock()
        #expect(try service.search(attributes, in: collection).lockedCount == 0)
        #expect(try service.readings(of: [item]) == [.text("hidden")])
    }

    @Test func staysWhereAskingIsNotAllowed() throws {
        let service = try session.connect()
        let collection = try service.defaultPath()
        try service.lock(collection)
        #expect(failure { try service.unlock(collection) } == SecretServiceError.locked)
        #expect(try service.collection(at: collection).isLocked)
    }

    @Test func staysWhereNobodyCanAsk() throws {
        let service = try session.connect(mayPrompt: true)
        let collection = try service.defaultPath()
        let item = try create(service)
        try service.lock(collection)
        #expect(failure { try service.unlock(collection) } == SecretServiceError.promptDismissed)
        #expect(failure { _ = try service.readings(of: [item]) } == SecretServiceError.promptDismissed)
        #expect(try service.collection(at: collection).isLocked)
    }

    @Test func openIsLeftAlone() throws {
        let service = try session.connect()
        let collection = try service.defaultPath()
        try service.unlock(collection)
        #expect(try service.collection(at: collection).isLocked == false)
        try service.lock(collection)
        try service.lock(collection)
        #expect(try service.collection(at: collection).isLocked)
    }

    @Test func isTheStateOfAKeyringThatNobodyUnlocked() throws {
        let item = try create(session.connect())
        try session.restartServiceLocked()
        let service = try session.connect()
        #expect(try service.defaultCollection().isLocked)
        // Nothing is found by its schema then, and the rest is only there as hashes.
        #expect(try service.search(attributes, in: nil).items == [])
        #expect(try service.search(attributes.filter { $0.key != "xdg:schema" }, in: nil).lockedCount == 1)
        #expect(try service.readings(of: [item]) == [.failure(.locked)])
    }

    @Test(arguments: ["/org/freedesktop/secrets/collection/none", "/", ""])
    func needsACollection(path: String) throws {
        let service = try session.connect()
        #expect(failure { try service.unlock(path) } == SecretServiceError.noCollection)
        #expect(failure { try service.lock(path) } == SecretServiceError.noCollection)
    }
}

/// What happens to a collection, and to the service, while one is connected.
@Suite(.waitsForPrograms) struct ServiceChangeTests {
    private let session: SecretServiceSession
    private let service: SecretService

    init() throws {
        session = try SecretServiceSession(.keyring)
        service = try session.connect()
    }

    @Test func renamingACollectionKeepsItsPath() throws {
        let collection = try service.defaultCollection()
        #expect(try service.collections().contains(collection))
        try session.rename(to: "Other name")
        let renamed = try service.collection(at: collection.path)
        #expect(renamed == collection)
        #expect(try service.defaultCollection() == renamed)
    }

    @Test func aRestartedServiceIsFoundAgain() throws {
        let collection = try service.defaultPath()
        let item = try service.create(
            label: "Keyfob", attributes: attributes, secret: secret("hidden"), in: collection)
        #expect(try service.readings(of: [item]) == [.text("hidden")])
        try session.restartService()
        #expect(try service.readings(of: [item]) == [.text("hidden")])
        try session.restartService()
        try service.setSecret(of: item, to: secret("changed"))
        try session.restartService()
        #expect(try service.search(attributes, in: collection).items == [item])
        #expect(try service.readings(of: [item]) == [.text("changed")])
    }

    @Test func aServiceThatEndedIsMissed() throws {
        let collection = try service.defaultPath()
        try session.stopService()
        #expect(failure { _ = try service.collection(at: collection) } == SecretServiceError.noService)
        #expect(failure { _ = try service.search(attributes, in: nil) } == SecretServiceError.noService)
        try session.restartService()
        #expect(try service.collection(at: collection).path == collection)
    }

    @Test func aBusThatEndedIsMissed() throws {
        let collection = try service.defaultPath()
        session.stop()
        #expect(failure { _ = try service.collection(at: collection) } == SecretServiceError.noBus)
    }

    @Test func aServiceThatHangsIsNotWaitedFor() throws {
        let collection = try service.defaultPath()
        let service = try session.connect(deadline: .seconds(3))
        try session.freezeService()
        #expect(failure { _ = try service.collection(at: collection) } == SecretServiceError.timedOut)
        #expect(
            failure {
                _ = try service.create(label: "x", attributes: attributes, secret: secret("s"), in: collection)
            } == SecretServiceError.timedOut)
    }
}
