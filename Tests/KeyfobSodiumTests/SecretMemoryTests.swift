import KeyfobTestSupport
import Testing

@testable import KeyfobSodium

/// What the kernel, and whoever reads the memory of the process, sees of a secret.
@Suite("The memory of a secret")
struct SecretMemoryTests {
    private let hidden = HiddenSecret()

    private func made(_ placement: SecretBytes.Placement) -> SecretBytes {
        SecretBytes(count: hidden.count, placement: placement) { span in
            for index in 0..<hidden.count { span.storeBytes(of: hidden[index], toByteOffset: index, as: UInt8.self) }
        }
    }

    private func address(_ bytes: RawSpan) -> UInt {
        unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    /// Expects the kernel to leave what is at `address` out of core dumps, and not to write it to the swap.
    private func expectGuarded(_ address: UInt) throws {
        let mapping = try #require(try MemoryMapping.containing(address))
        #expect(mapping.flags.contains("dd"), "\(mapping)")
        #expect(mapping.flags.contains("lo") || !MemoryLock.isPossible(), "\(mapping)")
    }

    @Test(
        "it is left out of core dumps and locked, however large it is",
        arguments: [1, 48, 4_096, 65_536, 65_537, 1 << 20])
    func kernel(count: Int) throws {
        for placement in [SecretBytes.Placement.dedicated, .recycled] {
            let secret = SecretBytes(count: count, placement: placement) { _ in }
            try expectGuarded(secret.withBytes { address($0) })
            try expectGuarded(secret.withBytes { address($0) } + UInt(count - 1))
        }
        let buffer = SecretBuffer(capacity: count)
        try expectGuarded(buffer.withBytes { address($0) })
    }

    @Test("it is there once while it lives, and nowhere once it is released")
    func released() throws {
        for placement in [SecretBytes.Placement.dedicated, .recycled] {
            let secret = made(placement)
            #expect(try hidden.occurrences() == 1)
            _ = consume secret
            #expect(try hidden.occurrences() == 0, "\(placement)")
        }
    }

    @Test("a buffer for secrets is wiped when it is emptied, and when it is released", arguments: [4_096, 100_000])
    func buffer(capacity: Int) throws {
        let secret = made(.dedicated)
        var buffer = SecretBuffer(capacity: capacity)
        secret.withBytes { buffer.append($0) }
        #expect(try hidden.occurrences() == 2)
        buffer.removeAll()
        #expect(try hidden.occurrences() == 1)
        secret.withBytes { buffer.append($0) }
        _ = consume buffer
        #expect(try hidden.occurrences() == 1)
    }

    @Test("it is wiped where its making fails, or ends in a copy")
    func copies() throws {
        struct Refused: Error {}
        for placement in [SecretBytes.Placement.dedicated, .recycled] {
            let secret = made(placement)
            #expect(throws: Refused.self) {
                _ = try SecretBytes(count: hidden.count, placement: placement) { span in
                    secret.withBytes { span.copy(from: $0) }
                    throw Refused()
                }
            }
            #expect(try hidden.occurrences() == 1)
            let part = secret.extracting(0..<hidden.count, placement: placement)
            #expect(try hidden.occurrences() == 2)
            _ = consume part
            #expect(try hidden.occurrences() == 1)
        }
    }
}
