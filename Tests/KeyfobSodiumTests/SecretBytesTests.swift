import KeyfobTestSupport
import Testing

@testable import KeyfobSodium

@Suite("A secret in guarded memory")
struct SecretBytesTests {
    @Test("it holds a copy of what it was made from", arguments: [0, 1, 255, 256, 257, 4_096, 65_536, 65_537, 1 << 20])
    func copying(count: Int) {
        let original = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for placement in [SecretBytes.Placement.dedicated, .recycled] {
            let secret = original.withBytes { SecretBytes(copying: $0, placement: placement) }
            let (held, heldCount) = (contents(of: secret), secret.count)
            #expect(held == original)
            #expect(heldCount == count)
        }
    }

    @Test("it is zero before anything is written into it", arguments: [1, 200, 4_000, 60_000, 100_000])
    func zeroed(count: Int) {
        for placement in [SecretBytes.Placement.dedicated, .recycled] {
            for _ in 0..<20 {
                var isZero = false
                let used = SecretBytes(count: count, placement: placement) { span in
                    isZero = unsafe span.withUnsafeMutableBytes { unsafe $0.allSatisfy { $0 == 0 } }
                    _ = unsafe span.withUnsafeMutableBytes {
                        unsafe $0.initializeMemory(as: UInt8.self, repeating: 0xAA)
                    }
                }
                let last = used.withBytes { $0.byte(at: count - 1) }
                #expect(isZero)
                #expect(last == 0xAA)
            }
        }
    }

    @Test("two are equal when their bytes are")
    func equality() {
        let secret = secret([1, 2, 3])
        let results = [
            secret.isEqual(to: KeyfobTestSupport.secret([1, 2, 3])),
            secret.isEqual(to: KeyfobTestSupport.secret([1, 2, 4])),
            secret.isEqual(to: KeyfobTestSupport.secret([1, 2])), secret.isEqual(to: KeyfobTestSupport.secret([])),
            KeyfobTestSupport.secret([]).isEqual(to: KeyfobTestSupport.secret([])),
        ]
        #expect(results == [true, false, false, false, true])
    }

    @Test("a part of it is a secret of its own")
    func extracting() {
        let whole = secret([1, 2, 3, 4])
        let parts = [
            contents(of: whole.extracting(1..<3)), contents(of: whole.extracting(4..<4, placement: .recycled)),
        ]
        #expect(parts == [[2, 3], []])
    }

    @Test("what stands for it in a log tells its length only")
    func redaction() {
        let description = secret("token").redactedDescription
        #expect(description == "[secret of 5 bytes]")
    }

    @Test("random ones differ")
    func random() {
        let (one, other) = (contents(of: .random(count: 32)), contents(of: .random(count: 32)))
        #expect(one != other && one.count == 32)
    }

    @Test("writing into one that is sealed ends the process")
    func sealed() async {
        await #expect(processExitsWith: .failure) {
            let key = SecretBytes.random(count: 32)
            key.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { buffer in
                    guard let base = buffer.baseAddress else { return }
                    unsafe UnsafeMutableRawPointer(mutating: base).storeBytes(of: 1, as: UInt8.self)
                }
            }
        }
    }

    @Test("reading behind one ends the process")
    func guardPage() async {
        await #expect(processExitsWith: .failure) {
            let key = SecretBytes.random(count: 32)
            key.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { buffer in
                    guard let base = buffer.baseAddress else { return }
                    _ = unsafe base.advanced(by: 32).load(as: UInt8.self)
                }
            }
        }
    }

    @Test("one whose making failed leaves neither memory nor bytes behind")
    func failing() async {
        await #expect(processExitsWith: .success) {
            struct Refused: Error {}
            // The system gives a process some 16,000 guarded regions.
            for round in 0..<40_000 {
                do {
                    _ = try SecretBytes(count: 100, placement: round % 2 == 0 ? .dedicated : .recycled) { span in
                        precondition(unsafe span.withUnsafeMutableBytes { unsafe $0.allSatisfy { $0 == 0 } })
                        _ = unsafe span.withUnsafeMutableBytes {
                            unsafe $0.initializeMemory(as: UInt8.self, repeating: 0xAA)
                        }
                        throw Refused()
                    }
                } catch {}
            }
        }
    }

    @Test("many can live at once")
    func many() {
        var lists: [GuardedSecret] = []
        for number in 0..<500 { lists.append(GuardedSecret(UInt8(truncatingIfNeeded: number))) }
        let isIntact = lists.enumerated().allSatisfy { number, secret in
            contents(of: secret.bytes) == [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 64)
        }
        #expect(isIntact)
    }

    private final class GuardedSecret {
        let bytes: SecretBytes

        init(_ byte: UInt8) {
            bytes = [UInt8](repeating: byte, count: 64).withBytes { SecretBytes(copying: $0, placement: .recycled) }
        }
    }
}

@Suite("Guarded memory that is used again")
struct GuardedRegionsTests {
    @Test(
        "a region that was put back is zero when it is taken again, and is taken again",
        arguments: [1, 256, 257, 65_536])
    func recycling(count: Int) {
        Sodium.initialize()
        var addresses: Set<UInt> = []
        for _ in 0..<200 {
            let region = unsafe GuardedRegions.take(count)
            let bytes = unsafe UnsafeMutableRawBufferPointer(start: region, count: count)
            let isZero = unsafe bytes.allSatisfy { $0 == 0 }
            #expect(isZero)
            unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0xAA)
            addresses.insert(UInt(bitPattern: region))
            unsafe GuardedRegions.put(back: region, count: count, used: count)
        }
        #expect(addresses.count < 200)
    }
}
