internal import Glibc

extension SecretBytes {
    /// Reads a descriptor to its end, straight into guarded memory.
    ///
    /// - Parameters:
    ///   - isWhole: Whether what has come is all there is, though the descriptor is still open.
    ///   - isReady: Waits until more can be read; false where that takes too long.
    /// - Throws: `tooLong` past `limit` bytes, `unreadable` with the system's reason.
    package static func reading(
        descriptor: CInt, limit: Int, until isWhole: (RawSpan) -> Bool = { _ in false },
        whenReady isReady: (CInt) -> Bool = { _ in true }
    ) throws(SodiumError) -> SecretBytes {
        var status = stat()
        let size = unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        guard size <= limit else { throw .tooLong(limit: limit) }
        // One byte more than expected, so that the end is seen without growing.
        var buffer = SecretBuffer(capacity: min(limit, max(size, 4_095)) + 1)
        while true {
            guard isReady(descriptor) else { throw .unreadable(errno: ETIMEDOUT) }
            let count = try buffer.append(readingFrom: descriptor)
            if count == 0 { break }
            guard buffer.count <= limit else { throw .tooLong(limit: limit) }
            if buffer.withBytes(isWhole) { break }
            if buffer.count == buffer.capacity {
                var larger = SecretBuffer(capacity: min(limit, 2 * buffer.capacity) + 1)
                buffer.withBytes { larger.append($0) }
                buffer = larger
            }
        }
        return buffer.withBytes { SecretBytes(copying: $0) }
    }

    /// Reads one line from a descriptor, without its end, straight into guarded memory.
    ///
    /// Reads byte by byte, because what follows the line may be for somebody else. A line also ends after the
    /// byte `stop`, which stays at its end.
    ///
    /// - Parameter isReady: Waits until more can be read; false where that takes too long.
    /// - Throws: `tooLong` past `limit` bytes, `unreadable` with the system's reason.
    package static func readingLine(
        descriptor: CInt, limit: Int, stop: UInt8? = nil, whenReady isReady: (CInt) -> Bool = { _ in true }
    ) throws(SodiumError) -> SecretBytes {
        var buffer = SecretBuffer(capacity: limit + 1)
        while true {
            guard isReady(descriptor) else { throw .unreadable(errno: ETIMEDOUT) }
            guard try buffer.append(readingFrom: descriptor, atMost: 1) == 1 else { break }
            let last = buffer.withBytes { $0.byte(at: $0.byteCount - 1) }
            if last == stop { break }
            if last == UInt8(ascii: "\n") {
                return buffer.withBytes { SecretBytes(copying: $0.extracting(0..<$0.byteCount - 1)) }
            }
            guard buffer.count <= limit else { throw .tooLong(limit: limit) }
        }
        return buffer.withBytes { SecretBytes(copying: $0) }
    }
}

extension SecretBuffer {
    /// Reads once from a descriptor into the room that is left.
    ///
    /// - Returns: How many bytes came; 0 at the end.
    /// - Throws: `unreadable`.
    package mutating func append(readingFrom descriptor: CInt, atMost limit: Int = .max) throws(SodiumError) -> Int {
        var failure: CInt = 0
        let count = unsafe fill { free in
            var result: Int
            repeat {
                result = unsafe read(descriptor, free.baseAddress, min(limit, free.count))
            } while result < 0 && errno == EINTR
            if result < 0 { failure = errno }
            return max(0, result)
        }
        guard failure == 0 else { throw .unreadable(errno: failure) }
        return count
    }
}
