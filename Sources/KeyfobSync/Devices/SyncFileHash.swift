internal import KeyfobSodium

/// The hash of a file of a sync, in constant memory: that of pieces of 64 KiB is chained.
///
///     hash = BLAKE2b-256(hash ‖ BLAKE2b-256(piece)), from 32 zero bytes on
package struct SyncFileHash: Sendable {
    private static let pieceCount = 65_536
    private var hash = [UInt8](repeating: 0, count: 32)
    private var rest: [UInt8] = []
    /// How many bytes there were.
    package private(set) var size: UInt64 = 0

    /// The hash of nothing yet.
    package init() {}

    /// Takes more of the file.
    package mutating func add(_ bytes: [UInt8]) {
        size += UInt64(bytes.count)
        rest += bytes
        var start = 0
        while rest.count - start >= Self.pieceCount {
            chain(rest[start..<start + Self.pieceCount])
            start += Self.pieceCount
        }
        if start > 0 { rest.removeFirst(start) }
    }

    private mutating func chain(_ piece: ArraySlice<UInt8>) {
        hash = BLAKE2b.hash(hash + BLAKE2b.hash(Array(piece), count: 32), count: 32)
    }

    /// The hash, once all was taken.
    package consuming func finish() -> [UInt8] {
        if !rest.isEmpty { chain(rest[...]) }
        return hash
    }
}
