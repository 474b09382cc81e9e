internal import KeyfobModel
internal import KeyfobSodium

/// The last line of a bundle: how many records there are, the digest of all lines before, and in a backup its MAC under a
/// key of the vault's.
///
/// Spaces before its last brace make up the length of the whole.
struct EndLine: Hashable {
    let records: Int
    let digest: [UInt8]
    let mac: [UInt8]?

    /// The line and its line feed, of a bundle that has `count` bytes before it.
    func line(after count: Int) -> [UInt8] {
        var line = object
        let length = count + line.count + 1
        line.insert(contentsOf: repeatElement(UInt8(ascii: " "), count: Self.padding(length)), at: line.count - 1)
        return line + [UInt8(ascii: "\n")]
    }

    /// How many bytes are missing to the next multiple of a step.
    ///
    /// So who sees a file does not see how long the names in it are. The step is a power of two: 512 bytes at least and 32 KiB at
    /// most, and in between at most a sixteenth of `length`.
    static func padding(_ length: Int) -> Int {
        var step = 512
        while step < 32_768, step * 32 <= length { step *= 2 }
        return (step - length % step) % step
    }

    private var object: [UInt8] {
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
    /// How many bytes the lines have, with their line feeds.
    private(set) var length = 0

    mutating func add(_ line: RawSpan) {
        length += line.byteCount + 1
        digest = BLAKE2b.hash(digest + BLAKE2b.hash(line, count: 32), count: 32)
    }

    /// The digest in 64 small hexadecimal digits.
    var text: String { Hexadecimal.text(digest) }
}
