internal import KeyfobModel

/// How much a token cache may ask of its reader.
package struct MSALLimits: Hashable, Sendable {
    /// The longest file, in bytes.
    package var size: Int
    /// How many arrays and objects may be inside each other.
    package var depth: Int
    /// How many entities there may be in all known sections.
    package var entities: Int
    /// The longest string, in bytes.
    package var stringCount: Int

    /// Limits; what is not given is what real caches stay far below.
    package init(
        size: Int = 256 << 20, depth: Int = 64, entities: Int = 400_000, stringCount: Int = 1 << 20
    ) {
        self.size = size
        self.depth = depth
        self.entities = entities
        self.stringCount = stringCount
    }

    var json: JSONLimits { JSONLimits(size: size, depth: depth, stringCount: stringCount) }
}
