import KeyfobSecretService
import KeyfobSodium
import KeyfobTestSupport
import Testing

/// Against KeePassXC, which prompts before it makes or deletes an item, even where it then asks nothing.
@Suite(.waitsForPrograms, .enabled(if: SecretServiceSession.hasKeePassXC, "KeePassXC is not installed"), .serialized)
struct KeePassXCTests {
    @Test func keepsItemsAndChangesThem() throws {
        let session = try SecretServiceSession(.keePassXC(asking: false))
        let service = try session.connect(mayPrompt: true, promptDeadline: .seconds(30))
        let collection = try service.defaultPath()
        #expect(service.providerName == "KeePassXC")
        let item = try service.create(
            label: "label", attributes: attributes, secret: secret("{TITLE}"), in: collection)
        let other = try service.create(
            label: "other", attributes: attributes.merging(["key": "k2"]) { $1 }, secret: secret("2"), in: collection)

        // The rest needs no prompt.
        let quiet = try session.connect()
        #expect(try quiet.search(attributes, in: collection).items == [item])
        #expect(try quiet.readings(of: [item, other]) == [.text("{TITLE}"), .text("2")])
        #expect(try quiet.attributes(of: item).filter { attributes.keys.contains($0.key) } == attributes)
        try quiet.setSecret(of: item, to: secret("changed"))
        try quiet.setAttributes(of: item, to: attributes.merging(["key": "k3"]) { $1 }, label: "renamed")
        #expect(try quiet.readings(of: [item]) == [.text("changed")])
        #expect(try quiet.label(of: item) == "renamed")
        #expect(try quiet.attributes(of: item)["key"] == "k3")
        let long = SecretBytes.random(count: 1 << 20)
        try quiet.setSecret(of: item, to: long)
        #expect(try quiet.readings(of: [item]) == [.bytes(contents(of: long))])

        #expect(failure { try quiet.delete(item) } == SecretServiceError.needsPrompt)
        try service.delete(item)
        #expect(failure { _ = try quiet.label(of: item) } == SecretServiceError.noItem)
        #expect(try quiet.readings(of: [item, other]) == [.failure(.noItem), .text("2")])
        #expect(failure { try quiet.delete(item) } == SecretServiceError.noItem)
    }

    @Test(arguments: [true, false])
    func makesItemsWithoutAskingAnybody(asking: Bool) throws {
        let session = try SecretServiceSession(.keePassXC(asking: asking))
        let service = try session.connect()
        let item = try service.create(
            label: "label", attributes: attributes, secret: secret("s"), in: service.defaultPath())
        #expect(try service.search(attributes, in: nil).items == [item])
        #expect(try service.items(attributes, in: service.defaultPath()) == [item])
    }

    @Test func showsNothingOfALockedDatabase() throws {
        let session = try SecretServiceSession(.keePassXC(asking: false))
        let service = try session.connect(mayPrompt: true, promptDeadline: .seconds(30))
        let collection = try service.defaultPath()
        let item = try service.create(label: "label", attributes: attributes, secret: secret("s"), in: collection)
        try service.lock(collection)
        let quiet = try session.connect(deadline: .seconds(15))
        #expect(try quiet.collections().map(\.isLocked) == [true])
        #expect(failure { try quiet.unlock(collection) } == SecretServiceError.locked)
        #expect(failure { _ = try quiet.slotKeys(vault: "a", slot: "b") { _ in true } } == SecretServiceError.locked)
        #expect(try quiet.readings(of: [item]) == [.failure(.noItem)])
        // It asks the person, and does not answer before.
        #expect(failure { _ = try quiet.search(attributes, in: nil) } == SecretServiceError.locked)
    }

    @Test func locksItemsThatNobodyHasAllowedYet() throws {
        let session = try SecretServiceSession(.keePassXC(asking: true))
        let service = try session.connect(mayPrompt: true, promptDeadline: .seconds(30))
        let collection = try service.defaultPath()
        let item = try service.create(label: "label", attributes: attributes, secret: secret("s"), in: collection)
        #expect(try service.readings(of: [item]) == [.text("s")])
        let quiet = try session.connect()
        let found = try quiet.search(attributes, in: collection)
        #expect(found.items == [item])
        #expect(found.lockedCount == 1)
        #expect(try quiet.readings(of: [item]) == [.failure(.locked)])
        #expect(failure { try quiet.delete(item) } == SecretServiceError.needsPrompt)
        #expect(try service.readings(of: [item]) == [.text("s")])
    }

    @Test func keepsASlotsKey() throws {
        let session = try SecretServiceSession(.keePassXC(asking: false))
        let service = try session.connect(mayPrompt: true, promptDeadline: .seconds(30))
        let (vault, slot) = (String(repeating: "a", count: 32), String(repeating: "b", count: 32))
        try service.storeSlotKey(keyFile(1), vault: vault, slot: slot, label: "Keyfob: unlocks keyfob")
        var found = false
        try session.connect().slotKeys(vault: vault, slot: slot) { key in
            found = key.isEqual(to: keyFile(1))
            return true
        }
        #expect(found)
        try service.removeSlotKey(vault: vault, slot: slot)
        #expect(failure { try service.removeSlotKey(vault: vault, slot: slot) } == SecretServiceError.noItem)
    }
}
