internal import CSodium

/// Guarded memory that is filled piece by piece, up to a fixed capacity, and can be used again.
///
/// For secrets that arrive in a stream; what is complete is a ``SecretBytes``. The memory is wiped
/// by ``removeAll()`` and when the buffer goes away.
@safe
package struct SecretBuffer: ~Copyable, Sendable {
    @safe private nonisolated(unsafe) let base: UnsafeMutableRawPointer

    /// The number of bytes there is room for.
    package let capacity: Int

    /// The number of bytes written so far.
    package private(set) var count = 0

    /// Creates an empty buffer for up to `capacity` bytes.
    package init(capacity: Int) {
        Sodium.initialize()
        self.capacity = capacity
        self.base =
            unsafe GuardedRegions.canRecycle(capacity)
            ? GuardedRegions.take(capacity) : GuardedRegions.allocate(capacity)
    }

    deinit {
        if GuardedRegions.canRecycle(capacity) {
            unsafe GuardedRegions.put(back: base, count: capacity, used: count)
        } else {
            unsafe GuardedRegions.free(base, capacity)
        }
    }

    /// Writes all of `bytes` after what is there already; traps where they do not fit.
    package mutating func append(_ bytes: RawSpan) {
        precondition(bytes.byteCount <= capacity - count, "no room for the bytes")
        var free = unsafe MutableRawSpan(_unsafeStart: base + count, byteCount: capacity - count)
        free.copy(from: bytes)
        count += bytes.byteCount
    }

    /// Lets `body` write into the room that is left; it returns how many bytes it wrote.
    mutating func fill(_ body: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        let free = unsafe UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
        let written = unsafe body(free)
        precondition(written >= 0 && written <= capacity - count, "more was written than there is room for")
        count += written
        return written
    }

    /// Wipes what was written and starts again.
    package mutating func removeAll() {
        unsafe sodium_memzero(base, count)
        count = 0
    }

    /// Calls `body` with the bytes written so far, which must not outlive the call.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count))
    }
}
