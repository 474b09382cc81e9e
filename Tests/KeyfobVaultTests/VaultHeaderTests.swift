import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("The header of a vault")
struct VaultHeaderTests {
    private let header: [UInt8]

    init() throws {
        header = try UnlockedVault.sampleHeader()
    }

    @Test("what is encoded is what is decoded, byte by byte")
    func roundTrip() throws {
        let vault = try UnlockedVault.opened(header, keyFile: 1)
        let again = try vault.encodedHeader()
        #expect(again == header)
        #expect(try VaultHeader(encoded: header).slots.map(\.kind) == [.keyFile, .recipient, .secretService])
    }

    @Test("every flipped byte of it is noticed before anything is unlocked", arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func flips(mask: UInt8) throws {
        for offset in 0..<header.count - 96 {
            let flipped = header.flipping(mask, at: offset)
            let error = failure(of: VaultError.self) { _ = try LockedVault(headerBytes: flipped) }
            #expect(error == (offset < 8 ? .notAVault : .corrupted(.header)), "offset \(offset)")
        }
    }

    @Test("a flipped byte of signature or MAC is noticed by whoever holds the vault key")
    func flippedMAC() throws {
        for offset in header.count - 96..<header.count {
            let flipped = header.flipping(0x01, at: offset)
            let error = failure(of: VaultError.self) { _ = try UnlockedVault.opened(flipped, keyFile: 1) }
            #expect(error == .corrupted(.headerAuthentication), "offset \(offset)")
        }
    }

    @Test("every truncation of it is refused")
    func truncations() throws {
        for count in 0..<header.count {
            let error = failure(of: VaultError.self) { _ = try LockedVault(headerBytes: Array(header.prefix(count))) }
            #expect(error == (count < 8 ? .notAVault : .corrupted(.header)), "\(count) bytes")
        }
    }

    @Test("bytes behind it are refused", arguments: [1, 16, 32, 112])
    func extensions(count: Int) throws {
        let longer = header + [UInt8](repeating: 0, count: count)
        for bytes in [longer, longer.withChecksumRecomputed()] {
            let error = failure(of: VaultError.self) { _ = try LockedVault(headerBytes: bytes) }
            #expect(error == .corrupted(.header))
        }
    }

    @Test("a newer version or another suite is told from damage", arguments: [8, 10])
    func versions(offset: Int) throws {
        let newer = header.replacing(at: offset, with: [offset == 8 ? 4 : 2, 0])
        let damaged = failure(of: VaultError.self) { _ = try LockedVault(headerBytes: newer) }
        #expect(damaged == .corrupted(.header))
        let sound = newer.withChecksumRecomputed()
        let error = failure(of: VaultError.self) { _ = try LockedVault(headerBytes: sound) }
        #expect(error == (offset == 8 ? .unsupportedVersion(found: 4, supported: 3) : .unsupportedSuite(found: 2)))
    }

    @Test("whoever alters it and makes the checksum fit is caught by the MAC", arguments: [0x01, 0xFF] as [UInt8])
    func forgeries(mask: UInt8) throws {
        let possible: [VaultError] = [
            .corrupted(.header), .corrupted(.headerAuthentication), .wrongKey, .noSuchKindOfSlot,
        ]
        for offset in 12..<header.count - 112 {
            let forged = header.flipping(mask, at: offset).withChecksumRecomputed()
            let error = failure(of: VaultError.self) { _ = try UnlockedVault.opened(forged, keyFile: 1) }
            let found = try #require(error, "offset \(offset) was accepted")
            #expect(possible.contains(found), "offset \(offset): \(found)")
        }
    }

    @Test("an altered sequence, group or slot count is caught by the MAC alone")
    func forgedSequence() throws {
        let forged = header.replacing(at: 28, with: [99]).withChecksumRecomputed()
        let error = failure(of: VaultError.self) { _ = try UnlockedVault.opened(forged, keyFile: 1) }
        #expect(error == .corrupted(.headerAuthentication))
    }

    @Test("an altered header does not open for the holder of a group slot", arguments: [0x01, 0xFF] as [UInt8])
    func forgeriesForOneGroup(mask: UInt8) throws {
        let honest = try UnlockedVault.opened(header, keyFile: 2)
        #expect(honest.groups.map(\.name.name) == ["work"])
        for offset in stride(from: 12, to: header.count - 32, by: 3) {
            let flipped = header.flipping(mask, at: offset)
            let forged = offset < header.count - 112 ? flipped.withChecksumRecomputed() : flipped
            #expect(throws: VaultError.self, "offset \(offset)") { _ = try UnlockedVault.opened(forged, keyFile: 2) }
        }
    }

    @Test("who had a group's key cannot sign a header for who stays")
    func forgedEpoch() throws {
        var vault = try UnlockedVault.opened(header, keyFile: 1)
        let group = try vault.group(AccessGroup("work")).keys.group
        _ = try vault.rotateKey(of: group)
        let newer = try vault.encodedHeader()
        #expect(try UnlockedVault.opened(newer, keyFile: 2).groups.map(\.keys.epoch) == [2])
        // The earlier header under a later sequence, signed by another vault's key, which it names as well.
        let stranger = VaultKeys(vaultKey: keyFile(7))
        var forged = try VaultHeader(encoded: header)
        forged.sequence = vault.sequence + 1
        forged.signer = stranger.signer()
        let bytes = forged.encoded(stranger)
        #expect(
            failure(of: VaultError.self) { _ = try UnlockedVault.opened(bytes, keyFile: 2) }
                == .corrupted(.headerAuthentication))
        // The same with the public key that the slot knows.
        forged.signer = vault.header.signer
        let again = forged.encoded(stranger)
        #expect(
            failure(of: VaultError.self) { _ = try UnlockedVault.opened(again, keyFile: 2) }
                == .corrupted(.headerAuthentication))
        #expect(throws: VaultError.self) { try refresh(try UnlockedVault.opened(newer, keyFile: 2), again) }
    }

    private func refresh(_ vault: consuming UnlockedVault, _ header: [UInt8]) throws(VaultError) {
        var vault = vault
        try vault.refresh(headerBytes: header)
    }

    /// A header whose keys were replaced so many times, and the last time.
    private func replaced(_ times: Int, from first: borrowing UnlockedVault) throws -> (
        header: [UInt8], last: Timestamp
    ) {
        var vault = first.copy()
        for time in 1...times {
            vault.advance()
            _ = try vault.rekey(now: noon.advanced(by: Int64(time)))
            _ = try vault.addSlot(.keyFile(keyFile(4)), now: noon)
        }
        return (try vault.encodedHeader(), noon.advanced(by: Int64(times)))
    }

    @Test(
        "a key that was replaced says so itself, and when, as long as the header reaches back", arguments: [1, 2, 16])
    func succession(times: Int) throws {
        let vault = try UnlockedVault.opened(header, keyFile: 1)
        let (newer, last) = try replaced(times, from: vault)
        #expect(try VaultHeader(encoded: newer).successions.count == times)
        #expect(
            failure(of: VaultError.self) { try refresh(try UnlockedVault.opened(header, keyFile: 1), newer) }
                == .keysReplaced(last))
        #expect(
            failure(of: VaultError.self) {
                let former = try UnlockedVault.opened(header, keyFile: 1).unlockingKey()
                _ = try LockedVault(headerBytes: newer).unlock(vaultKey: former.key)
            } == .keysReplaced(last))
        // Whoever holds one group's key knows the vault's public key.
        #expect(
            failure(of: VaultError.self) { try refresh(try UnlockedVault.opened(header, keyFile: 2), newer) }
                == .keysReplaced(last))
        #expect(
            try UnlockedVault.opened(newer, keyFile: 4).groups.map(\.keys.epoch)
                == vault.groups.map { _ in 1 + UInt32(times) })
    }

    @Test("one that the header has forgotten is told as another's")
    func forgottenSuccession() throws {
        let vault = try UnlockedVault.opened(header, keyFile: 1)
        let (newer, _) = try replaced(17, from: vault)
        #expect(try VaultHeader(encoded: newer).successions.count == 16)
        #expect(
            failure(of: VaultError.self) { try refresh(try UnlockedVault.opened(header, keyFile: 1), newer) }
                == .corrupted(.headerAuthentication))
    }

    @Test("nobody without the former key says so: an altered, exchanged or foreign succession is an alteration")
    func forgedSuccession() throws {
        let vault = try UnlockedVault.opened(header, keyFile: 1)
        let (newer, _) = try replaced(2, from: vault)
        for offset in stride(from: 36, to: 36 + 32 + 1 + 2 * 112, by: 3) {
            let forged = newer.flipping(0x01, at: offset).withChecksumRecomputed()
            let error = failure(of: VaultError.self) {
                try refresh(try UnlockedVault.opened(header, keyFile: 1), forged)
            }
            #expect(
                [.corrupted(.headerAuthentication), .corrupted(.header)].contains(error),
                "offset \(offset): \(String(describing: error))")
        }
        // A stranger's header, which names the vault and signs it, with a succession of another vault's key.
        let stranger = VaultKeys(vaultKey: keyFile(7))
        var read = try VaultHeader(encoded: newer)
        (read.signer, read.slots) = (stranger.signer(), [])
        var forged = read.encoded(stranger)
        #expect(
            failure(of: VaultError.self) { try refresh(try UnlockedVault.opened(header, keyFile: 1), forged) }
                == .corrupted(.headerAuthentication))
        read.successions = [
            KeySuccession(
                of: read.vault, from: VaultKeys(vaultKey: keyFile(8)), to: read.signer, sequence: 1, time: noon)
        ]
        forged = read.encoded(stranger)
        #expect(
            failure(of: VaultError.self) { try refresh(try UnlockedVault.opened(header, keyFile: 1), forged) }
                == .corrupted(.headerAuthentication))
        // Who has had the vault's key can: as the owner could.
        let former = VaultKeys(vaultKey: vault.unlockingKey().key)
        read.successions = [KeySuccession(of: read.vault, from: former, to: read.signer, sequence: 1, time: noon)]
        forged = read.encoded(stranger)
        #expect(
            failure(of: VaultError.self) { try refresh(try UnlockedVault.opened(header, keyFile: 1), forged) }
                == .keysReplaced(noon))
    }

    @Test("what is no header at all is not a vault", arguments: [[], [0], Array("SQLite format 3".utf8)] as [[UInt8]])
    func foreign(bytes: [UInt8]) throws {
        let error = failure(of: VaultError.self) { _ = try LockedVault(headerBytes: bytes) }
        #expect(error == .notAVault)
    }

    @Test("a header with another vault's MAC is not opened")
    func transplantedMAC() throws {
        let other = try UnlockedVault.sampleHeader()
        let mixed = Array(header.dropLast(96)) + Array(other.suffix(96))
        let error = failure(of: VaultError.self) { _ = try UnlockedVault.opened(mixed, keyFile: 1) }
        #expect(error == .corrupted(.headerAuthentication))
    }
}
