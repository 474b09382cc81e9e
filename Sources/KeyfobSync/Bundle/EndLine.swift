internal import KeyfobModel

/// The last line of a bundle: how many records there are, and the digest of all lines before.
struct EndLine: Hashable {
    let records: Int
    let digest: [UInt8]

    /// The line, without its end.
    var line: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name(.end)
        writer.beginObject()
        writer.name(.records)
        writer.integer(Int64(records))
        writer.member(.digest, Hexadecimal.text(digest))
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
