extension RawSpan {
    /// The byte at `offset`; traps outside the bounds.
    @inlinable package func byte(at offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount, "no byte at that offset")
        return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Whether the bytes are valid UTF-8; copies none of them.
    package var isUTF8: Bool {
        unsafe withUnsafeBytes { bytes in
            unsafe bytes.withMemoryRebound(to: UInt8.self) { (try? UTF8Span(validating: unsafe $0.span)) != nil }
        }
    }
}

extension [UInt8] {
    /// Creates a copy of `bytes` in ordinary memory: for what is not a secret.
    package init(_ bytes: RawSpan) {
        self = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    }

    /// Appends a copy of `bytes`.
    package mutating func append(contentsOf bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }
}

extension [UInt8] {
    /// Calls `body` with the bytes, which must not outlive the call.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(span.bytes)
    }

    /// Creates `count` bytes, zero at first, and lets `body` write them.
    package init<Failure: Error>(
        count: Int, initializingWith body: (inout MutableRawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        self.init(repeating: 0, count: count)
        var elements = mutableSpan
        var bytes = unsafe elements.mutableBytes
        try body(&bytes)
    }
}
