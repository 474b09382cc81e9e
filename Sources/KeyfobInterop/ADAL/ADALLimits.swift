internal import KeyfobModel

/// How much an ADAL cache may ask of its reader.
package struct ADALLimits: Hashable, Sendable {
    /// The longest file, in bytes.
    package var size: Int
    /// How many entries there may be.
    package var entries: Int
    /// How many objects each property list may have.
    package var objects: Int

    /// Limits; what is not given is what real caches stay far below.
    package init(size: Int = 64 << 20, entries: Int = 100_000, objects: Int = 4 << 20) {
        self.size = size
        self.entries = entries
        self.objects = objects
    }

    var json: JSONLimits { JSONLimits(size: size) }
    var propertyList: PropertyListLimits { PropertyListLimits(size: size, objects: objects) }
}
