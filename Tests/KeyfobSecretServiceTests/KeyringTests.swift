import KeyfobSecretService
import KeyfobSodium
import KeyfobTestSupport
import Testing

/// Against GNOME's keyring.
@Suite(.waitsForPrograms) struct KeyringTests {
    private let session: SecretServiceSession
    private let service: SecretService
    private let collection: String

    init() throws {
        session = try SecretServiceSession(.keyring)
        service = try session.connect()
        collection = try service.defaultPath()
    }

    private func create(
        _ text: String = "hidden", _ attributes: [String: String] = attributes
    ) throws -> SecretService.ItemPath {
        try service.create(label: "Keyfob: k1", attributes: attributes, secret: secret(text), in: collection)
    }

    @Test func givesBackWhatItWasGiven() throws {
        let item = try create("täglich\n{TITLE} \0")
        #expect(try service.readings(of: [item]) == [.text("täglich\n{TITLE} \0")])
        #expect(try service.label(of: item) == "Keyfob: k1")
        #expect(try service.attributes(of: item) == attributes)
    }

    @Test func keepsSecretsAsText() throws {
        let item = try create("\u{FF}\0{TITLE}")
        #expect(try session.rawSecret(at: item.path) == "w78Ae1RJVExFfQ")
    }

    @Test(arguments: [1, 31, 32, 33, 100_000, 1 << 20, SecretService.secretLimit])
    func takesSecretsOfAnyLength(count: Int) throws {
        let key = SecretBytes.random(count: count)
        let item = try service.create(label: "long", attributes: attributes, secret: key, in: collection)
        #expect(try service.readings(of: [item]) == [.bytes(contents(of: key))])
    }

    @Test func refusesSecretsThatAreTooLong() throws {
        let limit = SecretService.secretLimit
        let key = SecretBytes.random(count: limit + 1)
        let item = try create()
        #expect(
            failure {
                _ = try service.create(label: "long", attributes: attributes, secret: key, in: collection)
            } == SecretServiceError.tooLarge(limit: limit))
        #expect(failure { try service.setSecret(of: item, to: key) } == SecretServiceError.tooLarge(limit: limit))
        #expect(try service.readings(of: [item]) == [.text("hidden")])
    }

    @Test func changesASecretInPlace() throws {
        let item = try create()
        try service.setSecret(of: item, to: secret("another"))
        #expect(try service.readings(of: [item]) == [.text("another")])
        #expect(try service.attributes(of: item) == attributes)
        #expect(try service.search(attributes, in: collection).items == [item])
    }

    @Test func changesAttributesAndTheLabelInPlace() throws {
        let item = try create()
        try service.setAttributes(of: item, to: ["xdg:schema": "io.keyfob.Other", "key": "ü"], label: "Käse")
        #expect(try service.attributes(of: item) == ["xdg:schema": "io.keyfob.Other", "key": "ü"])
        #expect(try service.label(of: item) == "Käse")
        #expect(try service.readings(of: [item]) == [.text("hidden")])
        #expect(try service.search(attributes, in: nil).items == [])
    }

    @Test func makesASecondItemWithTheSameAttributes() throws {
        let items = [try create("one"), try create("two")]
        #expect(items[0] != items[1])
        #expect(Set(try service.search(attributes, in: nil).items) == Set(items))
        #expect(try service.readings(of: items) == [.text("one"), .text("two")])
    }

    @Test func findsOnlyItemsThatHaveAllAttributes() throws {
        let item = try create()
        let other = try create("other", attributes.merging(["key": "k2"]) { $1 })
        #expect(Set(try service.search(["vault": attributes["vault", default: ""]], in: nil).items) == [item, other])
        #expect(try service.search(attributes, in: nil).items == [item])
        #expect(try service.search(attributes.merging(["more": "x"]) { $1 }, in: nil).items == [])
        #expect(try service.search(["xdg:schema": "io.keyfob.Slot"], in: nil).items == [])
    }

    @Test func searchesOneCollectionOnly() throws {
        let kept = "/org/freedesktop/secrets/collection/session"
        let item = try create()
        let other = try service.create(label: "x", attributes: attributes, secret: secret("s"), in: kept)
        #expect(try service.search(attributes, in: collection).items == [item])
        #expect(try service.search(attributes, in: kept).items == [other])
        #expect(try service.search(attributes, in: "\(collection)/1").items == [])
        #expect(Set(try service.search(attributes, in: nil).items) == [item, other])
    }

    @Test(arguments: [[:], ["vault": ""], ["": "x"], ["vault": "v", "key": ""], ["vault": "v\0"], ["v\0": "v"]])
    func refusesASearchThatWouldFindWhatWasNotMeant(wanted: [String: String]) throws {
        _ = try create()
        #expect(
            failure { _ = try service.search(wanted, in: nil) }
                == SecretServiceError.refused("org.freedesktop.DBus.Error.InvalidArgs"))
    }

    @Test func refusesTextsThatWouldBeCutOff() throws {
        let refusal = SecretServiceError.refused("org.freedesktop.DBus.Error.InvalidArgs")
        let item = try create()
        #expect(
            failure {
                _ = try service.create(label: "a\0b", attributes: [:], secret: secret("s"), in: collection)
            } == refusal)
        #expect(failure { try service.setAttributes(of: item, to: attributes, label: "a\0b") } == refusal)
        #expect(failure { try service.setAttributes(of: item, to: ["a": "\0"], label: "a") } == refusal)
        #expect(try service.attributes(of: item) == attributes)
    }

    @Test func saysThatAnItemIsGone() throws {
        let item = try create()
        let kept = try create("kept")
        try service.delete(item)
        let gone: SecretServiceError = .noItem
        #expect(try service.readings(of: [item, kept]) == [.failure(gone), .text("kept")])
        #expect(failure { try service.setSecret(of: item, to: secret("x")) } == gone)
        #expect(failure { try service.setAttributes(of: item, to: attributes, label: "x") } == gone)
        #expect(failure { try service.delete(item) } == gone)
        #expect(failure { _ = try service.label(of: item) } == gone)
        #expect(failure { _ = try service.attributes(of: item) } == gone)
        #expect(try service.search(attributes, in: nil).items == [kept])
    }

    @Test(arguments: ["", "nothing", "/", "/org/freedesktop/secrets/collection/login/../x", "/a\0"])
    func takesWhatIsNoPathForNothing(path: String) throws {
        let item = SecretService.ItemPath(path: path)
        #expect(failure { _ = try service.label(of: item) } == SecretServiceError.noItem)
        #expect(failure { try service.delete(item) } == SecretServiceError.noItem)
        #expect(try service.readings(of: [item]) == [.failure(.noItem)])
        #expect(failure { _ = try service.collection(at: path) } == SecretServiceError.noCollection)
        #expect(
            failure {
                _ = try service.create(label: "x", attributes: attributes, secret: secret("s"), in: path)
            } == SecretServiceError.noCollection)
    }

    @Test func readsManySecretsInOrder() throws {
        let kept = "/org/freedesktop/secrets/collection/session"
        var items: [SecretService.ItemPath] = []
        for number in 0..<1_000 {
            items.append(
                try service.create(
                    label: "\(number)", attributes: attributes, secret: secret("secret \(number)"), in: kept))
        }
        items.reverse()
        #expect(try service.readings(of: items) == (0..<1_000).reversed().map { .text("secret \($0)") })
        let found = try service.search(attributes, in: kept)
        #expect(Set(found.items) == Set(items))
        #expect(found.lockedCount == 0)
    }

    @Test func saysWhatIsNoTextOfKeyfobs() throws {
        let item = try create()
        try session.putRawSecret("not base64!", at: item.path)
        #expect(try service.readings(of: [item]) == [.failure(.damaged)])
    }
}
