import KeyfobSecretService
import KeyfobSodium
import KeyfobTestSupport
import Testing

/// The one item that holds a slot's key.
@Suite(.waitsForPrograms) struct SlotTests {
    private let vault = "00112233445566778899aabbccddeeff"
    private let slot = "ffeeddccbbaa99887766554433221100"
    private let session: SecretServiceSession
    private let service: SecretService

    init() throws {
        session = try SecretServiceSession(.keyring)
        service = try session.connect()
    }

    private func store(_ number: UInt8, slot: String? = nil) throws {
        try service.storeSlotKey(
            keyFile(number), vault: vault, slot: slot ?? self.slot, label: "Keyfob: unlocks keyfob")
    }

    /// The keys that come, up to the one that is right.
    private func keys(
        _ service: SecretService? = nil, rightOne: UInt8? = nil
    ) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try (service ?? self.service).slotKeys(vault: vault, slot: slot) { key in
            keys.append(contents(of: key))
            return keys.last?.first == rightOne
        }
        return keys
    }

    private func bytes(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    private func items() throws -> [SecretService.ItemPath] {
        try service.search(SlotItem(vault: vault, slot: slot).attributes, in: nil).items
    }

    @Test func givesItsKeyBack() throws {
        try store(1)
        #expect(try keys() == [bytes(1)])
        #expect(try keys(session.connect()) == [bytes(1)])
        let item = try #require(try items().first)
        #expect(try service.label(of: item) == "Keyfob: unlocks keyfob")
    }

    @Test func isFoundByAllOfItsAttributes() throws {
        try store(1, slot: String(repeating: "0", count: 32))
        #expect(failure { _ = try keys() } == SecretServiceError.noItem)
        try store(2)
        #expect(try keys() == [bytes(2)])
    }

    @Test func isOneOfSeveral() throws {
        try store(1)
        try store(2)
        // What another program put there, under the same attributes.
        let foreign = secret([UInt8](repeating: 3, count: 31))
        _ = try service.create(
            label: "foreign", attributes: SlotItem(vault: vault, slot: slot).attributes, secret: foreign,
            in: service.defaultPath())
        #expect(Set(try keys()) == [bytes(1), bytes(2)])
        #expect(try keys(rightOne: 2).last == bytes(2))
        #expect(try keys(rightOne: 1).last == bytes(1))
    }

    @Test(arguments: ["", "QQ", "not base64!", "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"])
    func isDamagedWhenItsBytesWereChanged(text: String) throws {
        try store(1)
        let item = try #require(try items().first)
        try session.putRawSecret(text, at: item.path)
        #expect(failure { _ = try keys() } == SecretServiceError.damaged)
    }

    @Test(arguments: ["\n", " \n"])
    func isTheSameWithTheEndOfALineBehindIt(end: String) throws {
        try store(1)
        let item = try #require(try items().first)
        try session.putRawSecret(session.rawSecret(at: item.path) + end, at: item.path)
        #expect(try keys() == [bytes(1)])
    }

    @Test func isLockedWithItsCollection() throws {
        try store(1)
        try session.lock()
        #expect(failure { _ = try keys() } == SecretServiceError.locked)
        #expect(failure { try store(2) } == SecretServiceError.locked)
        #expect(failure { try service.removeSlotKey(vault: vault, slot: slot) } == SecretServiceError.locked)
        #expect(
            failure { _ = try keys(session.connect(mayPrompt: true)) } == SecretServiceError.promptDismissed)
        try session.unlock()
        #expect(try keys() == [bytes(1)])
    }

    @Test func isLockedAndNotMissingBeforeAnybodyHasUnlockedTheKeyring() throws {
        try store(1)
        try session.restartServiceLocked()
        #expect(failure { _ = try keys() } == SecretServiceError.locked)
        #expect(failure { try service.removeSlotKey(vault: vault, slot: slot) } == SecretServiceError.locked)
        try session.unlock()
        #expect(try keys() == [bytes(1)])
    }

    @Test func isRemovedWithItsCopies() throws {
        try store(1)
        try store(2)
        try service.removeSlotKey(vault: vault, slot: slot)
        #expect(failure { _ = try keys() } == SecretServiceError.noItem)
        #expect(failure { try service.removeSlotKey(vault: vault, slot: slot) } == SecretServiceError.noItem)
    }

    @Test func isNotTakenForMissingWhereALockHidesIt() throws {
        try session.misbehave(["hides-locked", "accept"])
        try store(1)
        try service.lock(service.defaultPath())
        #expect(failure { _ = try keys() } == SecretServiceError.locked)
        #expect(try keys(session.connect(mayPrompt: true)) == [bytes(1)])
    }

    @Test func isNotStoredWhereItComesBackChanged() throws {
        try session.misbehave(["damage"])
        #expect(failure { try store(1) } == SecretServiceError.damaged)
        #expect(try items() == [])
    }

    @Test func isNotLeftWhereItCannotBeReadBack() throws {
        try session.misbehave(["refuse:GetSecrets"])
        #expect(failure { try store(1) } == SecretServiceError.refused("org.example.Refused"))
        #expect(try items() == [])
    }

    @Test func isNotHiddenByAnotherProgramsItemWhileItIsLocked() throws {
        try session.misbehave(["locks-labelled", "accept"])
        let attributes = SlotItem(vault: vault, slot: slot).attributes
        for (number, label) in [(UInt8(1), "locked"), (2, "foreign")] {
            _ = try service.create(
                label: label, attributes: attributes, secret: keyFile(number), in: service.defaultPath())
        }
        #expect(failure { _ = try keys(rightOne: 1) } == SecretServiceError.locked)
        #expect(try keys(rightOne: 2) == [bytes(2)])
        #expect(try keys(session.connect(mayPrompt: true), rightOne: 1) == [bytes(2), bytes(1)])
    }

    @Test func passesOnWhatItsReaderThrows() throws {
        try store(1)
        #expect(
            failure {
                try service.slotKeys(vault: vault, slot: slot) { _ in throw SecretServiceError.tooLarge(limit: 7) }
            } == SecretServiceError.tooLarge(limit: 7))
    }
}
