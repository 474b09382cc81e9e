/// Bytes that are the same for the same content and different for different content: what digests are made of.
///
/// Every part is preceded by its length or has a fixed one.
package struct CanonicalBytes {
    /// What was appended.
    package private(set) var bytes: [UInt8] = []

    /// No bytes yet.
    package init() {}

    /// No bytes yet, and room for so many.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends eight bytes, little-endian.
    package mutating func append(_ number: UInt64) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends eight bytes, little-endian.
    package mutating func append(_ number: Int64) {
        append(UInt64(bitPattern: number))
    }

    /// Appends bytes after their length.
    package mutating func append(_ part: [UInt8]) {
        append(UInt64(part.count))
        bytes += part
    }

    /// Appends the bytes of a text after their length.
    package mutating func append(_ text: String) {
        append(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends something that need not be there, and whether it is.
    package mutating func append<Part>(optional part: Part?, _ body: (inout CanonicalBytes, Part) -> Void) {
        bytes.append(part == nil ? 0 : 1)
        if let part { body(&self, part) }
    }

    /// Appends fields in their order, spelling and all.
    package mutating func append(_ fields: AdditionalFields) {
        append(UInt64(fields.fields.count))
        for field in fields.fields {
            append(field.name)
            append(field.json)
        }
    }

    /// Appends stamp and device.
    package mutating func append(_ version: ItemVersion) {
        append(version.stamp.value)
        append(version.device)
    }

    /// A list of fields as one text: empty for an empty list, and another for another list.
    package static func text(of fields: [AdditionalFields.Field]) -> String {
        fields.map { "\($0.name.utf8.count):\($0.name)=\($0.json.utf8.count):\($0.json)" }.joined(separator: ",")
    }
}
