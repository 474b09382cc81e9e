extension RawSpan {
    /// The byte at `offset`; traps outside the bounds.
    @inlinable package func byte(at offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount, "no byte at that offset")
        return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// The first place of `byte` in a part of the bytes, nil where there is none; traps outside the bounds.
    ///
    /// Looks at eight bytes at a time.
    package func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "no bytes there")
        let ones: UInt64 = 0x0101_0101_0101_0101
        let wanted = ones &* UInt64(byte)
        var offset = range.lowerBound
        while range.upperBound - offset >= 8 {
            let loaded = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
            let word = UInt64(littleEndian: loaded) ^ wanted
            // The lowest mark is right; those above it may not be.
            let found = (word &- ones) & ~word & (ones << 7)
            if found != 0 { return offset + found.trailingZeroBitCount >> 3 }
            offset += 8
        }
        while offset < range.upperBound {
            if self.byte(at: offset) == byte { return offset }
            offset += 1
        }
        return nil
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
