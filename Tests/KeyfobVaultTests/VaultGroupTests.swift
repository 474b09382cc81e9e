import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("The groups of a vault")
struct VaultGroupTests {
    private let work: AccessGroup
    private let home: AccessGroup

    init() throws {
        work = try AccessGroup("work")
        home = try AccessGroup("home")
    }

    @Test("each has a key of its own, which stays the same when the vault is opened again")
    func keys() throws {
        var vault = try UnlockedVault.sample()
        _ = try vault.createGroup(work)
        let before = vault.groups.map(\.keys.fingerprint)
        #expect(Set(before).count == 2)
        let opened = try UnlockedVault.opened(vault.encodedHeader(), keyFile: 1)
        let (names, after) = (opened.groups.map(\.name), opened.groups.map(\.keys.fingerprint))
        #expect(names == [.default, work])
        #expect(after == before)
    }

    @Test(
        "a name of the greatest length and of any script survives",
        arguments: ["a", "Büro 東京 🔑", String(repeating: "x", count: 255)])
    func names(text: String) throws {
        var vault = try UnlockedVault.sample()
        let name = try AccessGroup(text)
        _ = try vault.createGroup(name)
        let opened = try UnlockedVault.opened(vault.encodedHeader(), keyFile: 1)
        let names = opened.groups.map(\.name)
        #expect(names == [.default, name])
    }

    @Test("names do not differ in length on disk")
    func paddedNames() throws {
        var short = try UnlockedVault.sample()
        var long = try UnlockedVault.sample()
        _ = try short.createGroup(AccessGroup("a"))
        _ = try long.createGroup(AccessGroup(String(repeating: "x", count: 255)))
        let counts = (try short.encodedHeader().count, try long.encodedHeader().count)
        #expect(counts.0 == counts.1)
    }

    @Test("a group can be renamed and removed")
    func changes() throws {
        var vault = try UnlockedVault.sample()
        let group = try vault.createGroup(work).keys.group
        try vault.renameGroup(group, to: home)
        var opened = try UnlockedVault.opened(vault.encodedHeader(), keyFile: 1)
        let renamed = opened.groups.map(\.name)
        #expect(renamed == [.default, home])
        try opened.removeGroup(group)
        let left = try UnlockedVault.opened(opened.encodedHeader(), keyFile: 1).groups.map(\.name)
        #expect(left == [.default])
        let error = failure(of: VaultError.self) { try opened.removeGroup(group) }
        #expect(error == .noSuchGroup)
    }

    @Test("a group slot opens its group and no other")
    func grant() throws {
        let header = try UnlockedVault.sampleHeader()
        let whole = try UnlockedVault.opened(header, keyFile: 1)
        let limited = try UnlockedVault.opened(header, keyFile: 2)
        let (opensWholeVault, hasMore) = (limited.opensWholeVault, limited.hasGroupsBeyondReach)
        #expect(!opensWholeVault)
        #expect(hasMore)
        let own = try limited.group(work).keys.fingerprint
        let expected = try whole.group(work).keys.fingerprint
        #expect(own == expected)
        let otherID = try whole.group(.default).keys.group
        let byName = failure(of: VaultError.self) { _ = try limited.group(.default) }
        let byID = failure(of: VaultError.self) { _ = try limited.group(otherID) }
        let missing = failure(of: VaultError.self) { _ = try limited.group(home) }
        #expect([byName, byID, missing] == [.notGranted, .notGranted, .notGranted])
        let summaries = limited.slotSummaries.map(\.group)
        #expect(summaries == [work])
    }

    @Test("a slot that was sealed before the group got a new key opens that one")
    func sealedGrant() throws {
        var vault = try UnlockedVault.opened(UnlockedVault.sampleHeader(), keyFile: 1)
        let group = try vault.group(work).keys.group
        let before = vault.sequence
        let sealed = try vault.sealedGrant(of: group, to: .keyFile(keyFile(3)), now: noon)
        let unchanged = vault.sequence
        #expect(unchanged == before)
        let new = try vault.rotateKey(of: group).new
        let slot = try vault.grant(sealed)
        let limited = try UnlockedVault.opened(vault.encodedHeader(), keyFile: 3)
        let (own, slots) = (try limited.group(work).keys.fingerprint, limited.slotSummaries.map(\.id))
        #expect(own == new.fingerprint && slots.contains(slot))
        try vault.removeGroup(group)
        let gone = failure(of: VaultError.self) { _ = try vault.grant(sealed) }
        #expect(gone == .noSuchGroup)
    }

    @Test("a slot comes into the place of another where all places are taken")
    func inPlace() throws {
        var vault = try UnlockedVault.opened(UnlockedVault.sampleHeader(), keyFile: 1)
        let group = try vault.group(work).keys.group
        for number in 20..<(19 + UInt8(VaultHeader.maximumGrants)) {
            _ = try vault.grant(group, to: .keyFile(keyFile(number)), now: noon)
        }
        for number in 40..<(37 + UInt8(VaultHeader.maximumSlots)) {
            _ = try vault.addSlot(.keyFile(keyFile(number)), now: noon)
        }
        let full = failure(of: VaultError.self) { _ = try vault.addSlot(.keyFile(keyFile(90)), now: noon) }
        #expect(full == .tooManySlots(limit: VaultHeader.maximumSlots))
        let (slot, grant) = (
            try #require(try vault.header.slot(openedBy: .keyFile(keyFile(40)))).id,
            try #require(try vault.header.anySlot(openedBy: .keyFile(keyFile(20)))).id
        )
        try vault.replaceSlot(slot, with: vault.sealedSlot(for: .keyFile(keyFile(91)), now: noon, inPlace: true))
        let sealed = try vault.sealedGrant(of: group, to: .keyFile(keyFile(92)), now: noon, inPlace: true)
        _ = try vault.grant(sealed, inPlaceOf: grant)
        let header = try vault.encodedHeader()
        let (whole, part) = (
            try UnlockedVault.opened(header, keyFile: 91).opensWholeVault,
            try UnlockedVault.opened(header, keyFile: 92).opensWholeVault
        )
        #expect(whole && !part)
        for former: UInt8 in [40, 20] {
            let error = failure(of: VaultError.self) { _ = try UnlockedVault.opened(header, keyFile: former) }
            #expect(error == .wrongKey)
        }
        let again = failure(of: VaultError.self) { _ = try vault.grant(sealed, inPlaceOf: grant) }
        #expect(again == .noSuchSlot)
    }

    @Test("whoever holds a group slot changes nothing in the header")
    func needsVaultKey() throws {
        var vault = try UnlockedVault.opened(UnlockedVault.sampleHeader(), keyFile: 2)
        let group = try #require(vault.groups.first).keys.group
        let slot = try #require(vault.slotSummaries.first).id
        let errors: [VaultError?] = [
            failure { _ = try vault.createGroup(home) },
            failure { try vault.renameGroup(group, to: home) },
            failure { try vault.removeGroup(group) },
            failure { _ = try vault.grant(group, to: .keyFile(keyFile(3)), now: noon) },
            failure { _ = try vault.rotateKey(of: group) },
            failure { _ = try vault.addSlot(.keyFile(keyFile(3)), now: noon) },
            failure { try vault.removeSlot(slot) },
            failure { _ = try vault.encodedHeader() },
        ]
        #expect(errors == Array(repeating: .needsVaultKey, count: 8))
        let names = vault.groups.map(\.name)
        #expect(names == [work])
    }

    @Test("a group's key can be replaced, and the slots that are left get the new one")
    func rotation() throws {
        var vault = try UnlockedVault.opened(UnlockedVault.sampleHeader(), keyFile: 1)
        let group = try vault.group(work).keys.group
        let third = try vault.grant(group, to: .keyFile(keyFile(3)), now: noon)
        let before = try vault.encodedHeader()
        let leaver = try UnlockedVault.opened(before, keyFile: 3).unlockingKey()
        try vault.removeSlot(third)
        let (old, new) = try vault.rotateKey(of: group)
        #expect(old.epoch == 1 && new.epoch == 2)
        #expect(old.fingerprint != new.fingerprint)
        let header = try vault.encodedHeader()

        let stayed = try UnlockedVault.opened(header, keyFile: 2).group(work).keys
        #expect(stayed.fingerprint == new.fingerprint && stayed.epoch == 2)
        let whole = try UnlockedVault.opened(header, keyFile: 1).group(work)
        #expect(whole.keys.fingerprint == new.fingerprint)

        let gone = failure(of: VaultError.self) { _ = try UnlockedVault.opened(header, keyFile: 3) }
        #expect(gone == .wrongKey)
        let cached = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: header).unlock(slot: third, ownKey: leaver.key)
        }
        #expect(cached == .noSuchSlot)
        let borrowed = failure(of: VaultError.self) {
            let other = try #require(VaultHeader(encoded: header).groups.last?.grants.first?.slot.id)
            _ = try LockedVault(headerBytes: header).unlock(slot: other, ownKey: leaver.key)
        }
        #expect(borrowed == .corrupted(.groupKey))
    }

    @Test("the old key of a group opens nothing of the new epoch")
    func oldKey() throws {
        var vault = try UnlockedVault.opened(UnlockedVault.sampleHeader(), keyFile: 1)
        let (old, new) = try vault.rotateKey(of: vault.group(work).keys.group)
        let record = try new.seal(new.header(), attributes: FieldList(), secret: secret("token"))
        let refused = failure(of: VaultError.self) { _ = try old.openAttributes(record.header, record.attributes) }
        #expect(refused == .corrupted(.record))
        var claimed = record
        claimed.header.epoch = 1
        let forged = failure(of: VaultError.self) { _ = try old.openAttributes(claimed.header, claimed.attributes) }
        #expect(forged == .corrupted(.record))
    }

    @Test("the key that unlocked can be kept and unlocks again")
    func unlockingKeys() throws {
        let header = try UnlockedVault.sampleHeader()
        let whole = try UnlockedVault.opened(header, keyFile: 1).unlockingKey()
        let wholeSlot = whole.slot
        #expect(wholeSlot == nil)
        let again = try LockedVault(headerBytes: header).unlock(vaultKey: whole.key).opensWholeVault
        #expect(again)
        let limited = try UnlockedVault.opened(header, keyFile: 2).unlockingKey()
        let limitedSlot = limited.slot
        let slot = try #require(limitedSlot)
        let names = try LockedVault(headerBytes: header).unlock(slot: slot, ownKey: limited.key).groups.map(\.name)
        #expect(names == [work])
        let wrong = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: header).unlock(vaultKey: keyFile(9))
        }
        #expect(wrong == .corrupted(.headerAuthentication))
        let short = failure(of: VaultError.self) {
            _ = try LockedVault(headerBytes: header).unlock(vaultKey: .random(count: 31))
        }
        #expect(short == .wrongKey)
    }

    @Test("a header that another process wrote is taken over")
    func refreshing() throws {
        let header = try UnlockedVault.sampleHeader()
        var mine = try UnlockedVault.opened(header, keyFile: 1)
        var theirs = try UnlockedVault.opened(header, keyFile: 1)
        var limited = try UnlockedVault.opened(header, keyFile: 2)
        _ = try theirs.createGroup(home)
        let newer = try theirs.encodedHeader()
        try mine.refresh(headerBytes: newer)
        try limited.refresh(headerBytes: newer)
        let (names, ownNames) = (mine.groups.map(\.name), limited.groups.map(\.name))
        #expect(names == [.default, work, home])
        #expect(ownNames == [work])

        let forged = newer.replacing(at: 28, with: [200]).withChecksumRecomputed()
        let error = failure(of: VaultError.self) { try mine.refresh(headerBytes: forged) }
        #expect(error == .corrupted(.headerAuthentication))

        let slot = try #require(theirs.slotSummaries.first { $0.group == work }).id
        try theirs.removeSlot(slot)
        let without = try theirs.encodedHeader()
        let gone = failure(of: VaultError.self) { try limited.refresh(headerBytes: without) }
        #expect(gone == .noSuchSlot)
        try theirs.removeGroup(theirs.group(work).keys.group)
        let removed = try theirs.encodedHeader()
        let missing = failure(of: VaultError.self) { try limited.refresh(headerBytes: removed) }
        #expect(missing == .notGranted)
    }
}
