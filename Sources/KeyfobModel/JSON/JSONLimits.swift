/// How much a JSON text may ask of its reader.
package struct JSONLimits: Hashable, Sendable {
    /// The longest text, in bytes; at most 4 GiB whatever is given.
    package var size: Int
    /// How many arrays and objects may be open at once.
    package var depth: Int
    /// The longest string, in bytes between its quotes.
    package var stringCount: Int
    /// How many values and names there may be; each takes 16 bytes of tape.
    package var nodes: Int

    /// Limits; what is not given is generous.
    package init(
        size: Int = 256 << 20, depth: Int = 64, stringCount: Int = 1 << 20, nodes: Int = 16 << 20
    ) {
        self.size = min(size, Int(UInt32.max) - 1)
        self.depth = depth
        self.stringCount = stringCount
        self.nodes = nodes
    }
}
