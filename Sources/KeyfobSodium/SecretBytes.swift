internal import CSodium

/// A secret in guarded memory: locked where the system allows it, wiped when it goes away.
///
/// The memory comes from `sodium_malloc`: guard pages around it, excluded from core dumps, wiped
/// when freed. A `SecretBytes` cannot be copied, printed, encoded, compared with `==`, or put in
/// an array: the compiler refuses. Bytes are reached through ``withBytes(_:)`` only.
///
/// > Important: `sodium_malloc` succeeds even where pages cannot be locked; ``MemoryLock`` tells.
@safe
public struct SecretBytes: ~Copyable, Sendable {
    @safe private nonisolated(unsafe) let base: UnsafeMutableRawPointer

    /// The number of bytes.
    public let count: Int

    private let placement: Placement

    /// Where the bytes live.
    package enum Placement: Sendable {
        /// A region of its own, read-only once written: for keys.
        case dedicated
        /// A guarded region that is wiped and used again: for tokens, which come and go quickly.
        case recycled
    }

    /// Creates a secret of `count` bytes and lets `body` write them.
    ///
    /// The memory is zeroed before `body` runs, and wiped when `body` throws.
    package init<Failure: Error>(
        count: Int,
        placement: Placement = .dedicated,
        initializingWith body: (inout MutableRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        Sodium.initialize()
        self.count = count
        // An empty secret, and one too large to recycle, gets a region of its own.
        let isRecycled = placement == .recycled && GuardedRegions.canRecycle(count)
        self.placement = isRecycled ? .recycled : .dedicated
        let region = unsafe isRecycled ? GuardedRegions.take(count) : GuardedRegions.allocate(count)
        self.base = unsafe region
        var span = unsafe MutableRawSpan(_unsafeStart: region, byteCount: count)
        try body(&span)
        if !isRecycled && count > 0 { unsafe GuardedRegions.protect(region) }
    }

    deinit {
        switch placement {
        case .dedicated: unsafe GuardedRegions.free(base, count)
        case .recycled: unsafe GuardedRegions.put(back: base, count: count, used: count)
        }
    }

    /// Calls `body` with the bytes, which must not outlive the call.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count))
    }

    /// What may stand in a log in the secret's place.
    public var redactedDescription: String { "[secret of \(count) bytes]" }
}

extension SecretBytes {
    /// Creates a secret from bytes that the caller holds already.
    public init(copying bytes: RawSpan) {
        self.init(copying: bytes, placement: .dedicated)
    }

    package init(copying bytes: RawSpan, placement: Placement) {
        self.init(count: bytes.byteCount, placement: placement) { destination in
            destination.copy(from: bytes)
        }
    }

    /// Creates a secret of `count` bytes from the system's random generator.
    package static func random(count: Int) -> SecretBytes {
        SecretBytes(count: count) { span in
            unsafe span.withUnsafeMutableBytes { unsafe randombytes_buf($0.octets, count) }
        }
    }

    /// Whether both hold the same bytes, found out in constant time (for equal lengths).
    public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        withBytes { mine in other.withBytes { ConstantTime.areEqual(mine, $0) } }
    }

    /// Whether it can stand in a header, and on a terminal: no control characters.
    package var isHeaderValue: Bool {
        withBytes { text in (0..<text.byteCount).allSatisfy { text.byte(at: $0) >= 0x20 && text.byte(at: $0) != 0x7F } }
    }

    /// Whether it can be a token that goes into one header: printable ASCII without spaces.
    package var isToken: Bool {
        withBytes { text in (0..<text.byteCount).allSatisfy { (0x21...0x7E).contains(text.byte(at: $0)) } }
    }

    /// A copy of the bytes at `range`, as a secret of its own.
    package borrowing func extracting(_ range: Range<Int>, placement: Placement = .dedicated) -> SecretBytes {
        withBytes { SecretBytes(copying: $0.extracting(range), placement: placement) }
    }
}

extension MutableRawSpan {
    /// Writes all of `source` at `offset`; traps where it does not fit.
    package mutating func copy(from source: RawSpan, at offset: Int = 0) {
        precondition(offset >= 0 && offset + source.byteCount <= byteCount, "no room for the bytes")
        unsafe withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: bytes)
            }
        }
    }
}
