internal import KeyfobModel
internal import KeyfobSodium

extension BundleManifest {
    /// The line, without its end.
    var line: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name(.formatVersion)
        writer.integer(Int64(Self.formatVersion))
        writer.name(.minorVersion)
        writer.integer(Int64(minorVersion))
        writer.member(.purpose, purpose.rawValue)
        writer.member(.vault, Hexadecimal.text(vault))
        writer.member(.header, header.map { String(decoding: Base64.standard.encode($0), as: UTF8.self) })
        writer.member(.device, device.hexadecimal)
        writer.member(.created, BundleTime.text(milliseconds: created))
        writer.name(.groups)
        writer.beginArray()
        for group in groups { writer.string(group.name) }
        writer.endArray()
        writer.name(.counts)
        writer.beginObject()
        for kind in RecordKind.allCases {
            guard let count = counts[kind] else { continue }
            writer.name(kind.rawValue)
            writer.integer(Int64(count))
        }
        writer.endObject()
        writer.member(.digestKey, digestKey.map(Hexadecimal.text))
        writer.members(unknownFields)
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    mutating func name(_ field: BundleError.Field) {
        name(field.rawValue)
    }

    /// Writes a member, unless its value is nil.
    mutating func member(_ field: BundleError.Field, _ text: String?) {
        member(field.rawValue, text)
    }

    /// Writes a time as RFC 3339, or as seconds where that cannot tell it.
    mutating func member(_ field: BundleError.Field, _ time: Timestamp?) {
        guard let time else { return }
        name(field)
        if CivilDate.range.contains(time) { string(time.rfc3339) } else { integer(time.seconds) }
    }

    mutating func member(_ field: BundleError.Field, _ number: UInt64) {
        name(field)
        raw(String(number))
    }

    /// Writes fields as they are; of a name that comes twice, the last one.
    mutating func members(_ fields: AdditionalFields?) {
        guard let fields = fields?.fields else { return }
        var last: [[UInt8]: Int] = [:]
        for (index, field) in fields.enumerated() { last[Array(field.name.utf8)] = index }
        for (index, field) in fields.enumerated() where last[Array(field.name.utf8)] == index {
            name(field.name)
            // Only space between values can hold a line feed, and a line must not.
            raw(String(decoding: field.json.utf8.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self))
        }
    }
}
