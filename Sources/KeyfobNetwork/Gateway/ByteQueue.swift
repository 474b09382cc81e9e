internal import KeyfobSodium

/// Bytes that wait to be passed on, the oldest first.
struct ByteQueue {
    private var bytes: [UInt8] = []
    private var start = 0

    /// How many there are.
    var count: Int { bytes.count - start }
    var isEmpty: Bool { count == 0 }

    /// The byte at a place, counted from the oldest.
    subscript(index: Int) -> UInt8 { bytes[start + index] }

    mutating func append(_ more: [UInt8]) { bytes += more }
    mutating func append(_ more: RawSpan) { bytes.append(contentsOf: more) }

    /// Takes away as many of the oldest.
    mutating func drop(_ count: Int) {
        start += count
        // What has been taken is moved over now and then, not each time.
        guard start == bytes.count || start > 1 << 16 else { return }
        bytes.removeSubrange(..<start)
        start = 0
    }

    /// Takes the oldest, at most so many.
    mutating func take(atMost limit: Int) -> [UInt8] {
        let taken = Array(bytes[start..<start + min(limit, count)])
        drop(taken.count)
        return taken
    }

    /// Calls `body` with all of them.
    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withBytes { (all: RawSpan) throws(Failure) in try body(all.extracting(start..<bytes.count)) }
    }
}
