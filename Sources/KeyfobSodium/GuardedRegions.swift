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

    /// The one region of a process that lives for a moment; see ``SecretMemory``.
    private struct Shared {
        var start: UInt = 0
        var free: UInt = 0
        var end: UInt = 0

        /// Parts are aligned as memory from the system is.
        mutating func take(_ count: Int) -> UInt? {
            let part = UInt(max(count, 1) + 15) & ~15
            guard end - free >= part else { return nil }
            defer { free += part }
            return free
        }
    }
    private static let shared = Mutex(Shared())

    static func share(_ count: Int) {
        let base = unsafe UInt(bitPattern: allocate(count))
        shared.withLock { $0 = Shared(start: base, free: base, end: base + UInt(count)) }
    }

    private static func isShared(_ base: UnsafeMutableRawPointer) -> Bool {
        let address = UInt(bitPattern: base)
        return shared.withLock { $0.start <= address && address < $0.end }
    }

    /// Wipes and frees what ``allocate(_:)`` gave.
    static func free(_ base: UnsafeMutableRawPointer, _ count: Int) {
        guard unsafe isShared(base) else { return unsafe sodium_free(base) }
        unsafe sodium_memzero(base, count)
    }

    /// Makes what ``allocate(_:)`` gave read-only, where it is a region of its own.
    static func protect(_ base: UnsafeMutableRawPointer) {
        guard unsafe !isShared(base) else { return }
        let result = unsafe sodium_mprotect_readonly(base)
        precondition(result == 0, "the memory of a secret could not be made read-only")
    }

    /// Zeroed, writable memory for exactly `count` bytes.
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let part = shared.withLock { $0.take(count) }
        if let part, let base = unsafe UnsafeMutableRawPointer(bitPattern: part) { return unsafe base }
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
        if !isKept { unsafe free(base, count) }
    }

    /// Keeps idle regions out of swap in the child of a fork, which has no lock on any memory.
    static func lockIdle() {
        idle.withLock { idle in
            for (index, addresses) in idle.addresses.enumerated() {
                for address in addresses {
                    if let base = unsafe UnsafeMutableRawPointer(bitPattern: address) {
                        _ = unsafe sodium_mlock(base, sizes[index])
                    }
                }
            }
        }
    }

    private static func sizeIndex(of count: Int) -> Int {
        sizes.firstIndex { count <= $0 } ?? sizes.count - 1
    }
}

/// How the secrets of this process lie in memory.
package enum SecretMemory {
    /// Lets all secrets from now on share one guarded region while they fit: for a process that ends in a moment.
    ///
    /// A region costs some 40 µs, more than opening a record. Each secret is wiped when it goes away, as ever; none is
    /// read-only, and guard pages are around all of them together.
    package static func shareOneRegion() {
        Sodium.initialize()
        GuardedRegions.share(12_272)
    }

    /// Makes secrets lie in the child of a fork as they do elsewhere from now on: locked in memory, as nothing is that was
    /// there before.
    package static func goOnInChild() { GuardedRegions.lockIdle() }
}
