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
        for offset in 0..<header.count - 32 {
            let flipped = header.flipping(mask, at: offset)
            let error = failure(of: VaultError.self) { _ = try LockedVault(headerBytes: flipped) }
            #expect(error == (offset < 8 ? .notAVault : .corrupted(.header)), "offset \(offset)")
        }
    }

    @Test("a flipped byte of the MAC is noticed by whoever holds the vault key")
    func flippedMAC() throws {
        for offset in header.count - 32..<header.count {
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

    @Test("bytes behind it are refused", arguments: [1, 16, 32, 48])
    func extensions(count: Int) throws {
        let longer = header + [UInt8](repeating: 0, count: count)
        for bytes in [longer, longer.withChecksumRecomputed()] {
            let error = failure(of: VaultError.self) { _ = try LockedVault(headerBytes: bytes) }
            #expect(error == .corrupted(.header))
        }
    }

    @Test("a newer version or another suite is told from damage", arguments: [8, 10])
    func versions(offset: Int) throws {
        let newer = header.replacing(at: offset, with: [offset == 8 ? 3 : 2, 0])
        let damaged = failure(of: VaultError.self) { _ = try LockedVault(headerBytes: newer) }
        #expect(damaged == .corrupted(.header))
        let sound = newer.withChecksumRecomputed()
        let error = failure(of: VaultError.self) { _ = try LockedVault(headerBytes: sound) }
        #expect(error == (offset == 8 ? .unsupportedVersion(found: 3, supported: 2) : .unsupportedSuite(found: 2)))
    }

    @Test("whoever alters it and makes the checksum fit is caught by the MAC", arguments: [0x01, 0xFF] as [UInt8])
    func forgeries(mask: UInt8) throws {
        let possible: [VaultError] = [
            .corrupted(.header), .corrupted(.headerAuthentication), .wrongKey, .noSuchKindOfSlot,
        ]
        for offset in 12..<header.count - 48 {
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

    @Test(
        "an altered header gives the holder of a group slot the right key or none", arguments: [0x01, 0xFF] as [UInt8])
    func forgeriesForOneGroup(mask: UInt8) throws {
        let honest = try UnlockedVault.opened(header, keyFile: 2)
        let fingerprint = try #require(honest.groups.first).keys.fingerprint
        for offset in 12..<header.count - 48 {
            let forged = header.flipping(mask, at: offset).withChecksumRecomputed()
            guard let vault = try? UnlockedVault.opened(forged, keyFile: 2) else { continue }
            let (names, fingerprints) = (vault.groups.map(\.name.name), vault.groups.map(\.keys.fingerprint))
            #expect(names == ["work"], "offset \(offset)")
            #expect(fingerprints == [fingerprint], "offset \(offset)")
        }
    }

    @Test("what is no header at all is not a vault", arguments: [[], [0], Array("SQLite format 3".utf8)] as [[UInt8]])
    func foreign(bytes: [UInt8]) throws {
        let error = failure(of: VaultError.self) { _ = try LockedVault(headerBytes: bytes) }
        #expect(error == .notAVault)
    }

    @Test("a header with another vault's MAC is not opened")
    func transplantedMAC() throws {
        let other = try UnlockedVault.sampleHeader()
        let mixed = Array(header.dropLast(32)) + Array(other.suffix(32))
        let error = failure(of: VaultError.self) { _ = try UnlockedVault.opened(mixed, keyFile: 1) }
        #expect(error == .corrupted(.headerAuthentication))
    }
}
