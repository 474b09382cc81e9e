internal import KeyfobModel
internal import KeyfobSodium

/// The last line of a bundle: how many records there are, the digest of all lines before, and in a backup its MAC under a
/// key of the vault's.
struct EndLine: Hashable {
    let records: Int
    let digest: [UInt8]
    let mac: [UInt8]?

    /// The line, without its end.
    var line: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name(.end)
        writer.beginObject()
        writer.name(.records)
        writer.integer(Int64(records))
        writer.member(.digest, Hexadecimal.text(digest))
        writer.member(.mac, mac.map(Hexadecimal.text))
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}

/// The digest of a bundle's lines in their order: 32 zero bytes at first, and after each line BLAKE2b-256 of the
/// digest before it and BLAKE2b-256 of the line, which is taken without its line feed.
struct LineChain {
    private(set) var digest = [UInt8](repeating: 0, count: 32)

    mutating func add(_ line: RawSpan) {
        digest = BLAKE2b.hash(digest + BLAKE2b.hash(line, count: 32), count: 32)
    }

    /// The digest in 64 small hexadecimal digits.
    var text: String { Hexadecimal.text(digest) }
}
