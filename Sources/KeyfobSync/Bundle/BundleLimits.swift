internal import KeyfobModel

/// How much a bundle may ask of its reader; the limits on the age header are ``KeyfobAge``'s.
package struct BundleLimits: Hashable, Sendable {
    /// The longest file, in bytes of ciphertext.
    package var size: Int
    /// The most records.
    package var records: Int
    /// The longest line, in bytes without its end: the longest record and the longest secret, each byte written as six.
    package var line: Int
    /// How many arrays and objects may be inside each other.
    package var depth: Int
    /// How many values and names a line may have.
    package var values: Int

    /// Limits; what is not given is what the format allows.
    package init(
        size: Int = 16 << 30, records: Int = 16_000_000, line: Int = 16 << 20, depth: Int = 72, values: Int = 131_072
    ) {
        self.size = size
        self.records = records
        self.line = line
        self.depth = depth
        self.values = values
    }

    var json: JSONLimits { JSONLimits(size: line, depth: depth, stringCount: line, nodes: values) }
}
