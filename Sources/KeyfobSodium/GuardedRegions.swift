internal import CSodium
internal import Synchronization

/// Guarded memory that is used again instead of being returned to the system.
///
/// `sodium_malloc` and `sodium_free` together cost about 20 µs, several times a whole token
/// lookup, and a process can hold at most some 16,000 such regions. Short-lived secrets therefore
/// share a few regions, wiped between two uses; the guard pages stay.
@safe
enum GuardedRegions {
    /// The sizes a region can have, in bytes; a secret takes the first that holds it.
    private static let sizes = [256, 4_096, 65_536]
    /// How many idle regions of one size are kept.
    private static let keptPerSize = 8

    private struct Idle {
        /// Addresses of wiped regions, one list for each of `sizes`.
        var addresses: [[UInt]] = [[], [], []]
    }
    private static let idle = Mutex(Idle())

    static func canRecycle(_ count: Int) -> Bool {
        count > 0 && count <= sizes[sizes.count - 1]
    }

    /// Zeroed, writable memory for exactly `count` bytes.
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        guard let base = unsafe sodium_malloc(count) else {
            fatalError("out of memory for a secret of \(count) bytes")
        }
        unsafe sodium_memzero(base, count)
        return unsafe base
    }

    /// Zeroed, writable memory for at least `count` bytes.
    static func take(_ count: Int) -> UnsafeMutableRawPointer {
        let index = sizeIndex(of: count)
        let address = idle.withLock { $0.addresses[index].popLast() }
        if let address, let base = unsafe UnsafeMutableRawPointer(bitPattern: address) {
            return unsafe base
        }
        return unsafe allocate(sizes[index])
    }

    /// Wipes the `used` bytes written of the `count` that were asked for, and keeps or frees the region.
    static func put(back base: UnsafeMutableRawPointer, count: Int, used: Int) {
        unsafe sodium_memzero(base, used)
        let index = sizeIndex(of: count)
        let address = UInt(bitPattern: base)
        let isKept = idle.withLock { idle in
            guard idle.addresses[index].count < keptPerSize else { return false }
            idle.addresses[index].append(address)
            return true
        }
        if !isKept { unsafe sodium_free(base) }
    }

    private static func sizeIndex(of count: Int) -> Int {
        sizes.firstIndex { count <= $0 } ?? sizes.count - 1
    }
}
