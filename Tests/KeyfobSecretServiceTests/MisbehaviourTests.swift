import KeyfobSecretService
import KeyfobSodium
import KeyfobTestSupport
import Testing

/// Against a service that answers oddly, or not at all.
@Suite(.waitsForPrograms) struct MisbehaviourTests {
    private static let oddAnswer = SecretServiceError.refused("org.freedesktop.DBus.Error.InconsistentMessage")

    /// Each method of a service, and something that calls it.
    static let methods: [String] = [
        "ReadAlias", "GetAll", "Get", "SearchItems", "OpenSession", "CreateItem", "GetSecrets", "SetSecret", "Set",
        "Unlock", "Lock", "Delete",
    ]

    /// Calls a method of a service that has one item.
    private func call(_ method: String, _ service: SecretService) throws {
        let collection = "/org/freedesktop/secrets/collection/odd"
        let item = SecretService.ItemPath(path: "\(collection)/n2")
        switch method {
        case "ReadAlias": _ = try service.defaultCollection()
        case "GetAll": _ = try service.details(of: item)
        case "Get": _ = try service.collection(at: collection)
        case "SearchItems": _ = try service.search(attributes, in: nil)
        case "OpenSession", "CreateItem":
            _ = try service.create(label: "x", attributes: attributes, secret: secret("s"), in: collection)
        case "GetSecrets":
            if case .failure(let error) = try service.readings(of: [item]).first { throw error }
        case "SetSecret": try service.setSecret(of: item, to: secret("x"))
        case "Set": try service.setAttributes(of: item, to: attributes, label: "x")
        case "Unlock": try service.unlock([item])
        case "Lock": try service.lock(collection)
        default: try service.delete(item)
        }
    }

    private func failureOf(
        _ method: String, _ misbehaviour: String, deadline: Duration = .seconds(30)
    ) throws -> SecretServiceError? {
        let session = try SecretServiceSession(.misbehaving(["\(misbehaviour):\(method)", "accept"]))
        return failure { try call(method, session.connect(mayPrompt: true, deadline: deadline)) }
    }

    @Test(arguments: methods)
    func oddAnswersAreRefused(method: String) throws {
        #expect(try failureOf(method, "nonsense") == Self.oddAnswer)
    }

    @Test(arguments: methods)
    func errorsComeOutWithTheirNameOnly(method: String) throws {
        #expect(try failureOf(method, "refuse") == .refused("org.example.Refused"))
    }

    @Test(arguments: methods)
    func anEndInTheMiddleIsNoticed(method: String) throws {
        #expect(try failureOf(method, "die") == .noService)
    }

    @Test(arguments: methods)
    func silenceIsNotWaitedFor(method: String) throws {
        #expect(try failureOf(method, "silent", deadline: .milliseconds(400)) == .timedOut)
    }

    @Test func placeholdersInSecretsDoNotMatter() throws {
        let session = try SecretServiceSession(.misbehaving(["placeholders"]))
        let service = try session.connect()
        let item = try service.create(
            label: "label", attributes: attributes, secret: secret("{TITLE}"), in: service.defaultPath())
        #expect(try service.readings(of: [item]) == [.text("{TITLE}")])
    }

    @Test(arguments: ["damage", "other-session"])
    func secretsThatAreNotWhatWasStoredAreDamaged(flag: String) throws {
        let session = try SecretServiceSession(.misbehaving([flag]))
        let service = try session.connect()
        let item = try service.create(
            label: "label", attributes: attributes, secret: secret("hidden"), in: service.defaultPath())
        #expect(try service.readings(of: [item]) == [.failure(.damaged)])
    }

    @Test func aDefaultCollectionCanBeMissing() throws {
        let session = try SecretServiceSession(.misbehaving(["no-default"]))
        #expect(failure { _ = try session.connect().defaultCollection() } == SecretServiceError.noCollection)
    }

    @Test func aLockedCollectionCanShowNothing() throws {
        let session = try SecretServiceSession(.misbehaving(["hides-locked"]))
        let service = try session.connect()
        let collection = try service.defaultPath()
        _ = try service.create(label: "label", attributes: attributes, secret: secret("hidden"), in: collection)
        try service.lock(collection)
        let found = try service.search(attributes, in: collection)
        #expect(found.items == [])
        #expect(found.lockedCount == 0)
        #expect(try service.collection(at: collection).isLocked)
    }
}
