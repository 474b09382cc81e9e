package import KeyfobModel
internal import KeyfobSodium

/// A field's value and its version: of two, the later one wins.
package struct Register: Hashable, Sendable {
    /// The value; nil where it was taken away.
    package var value: FieldValue?
    /// When and where it was written.
    package var version: ItemVersion

    /// A value with its version.
    package init(_ value: FieldValue?, _ version: ItemVersion) {
        self.value = value
        self.version = version
    }

    /// The later of the two: by version, and of one version the one with the greater digest.
    package func joined(with other: Register) -> Register {
        if version != other.version { return version < other.version ? other : self }
        return contentDigest.lexicographicallyPrecedes(other.contentDigest) ? other : self
    }

    /// Whether both have the same content, spelling and all, whatever their versions.
    package func hasSameContent(as other: Register) -> Bool {
        contentBytes == other.contentBytes
    }

    var contentBytes: [UInt8] {
        var bytes = CanonicalBytes()
        bytes.append(optional: value) { $1.append(to: &$0) }
        return bytes.bytes
    }

    private var contentDigest: [UInt8] { BLAKE2b.hash(contentBytes, count: 32) }
}
