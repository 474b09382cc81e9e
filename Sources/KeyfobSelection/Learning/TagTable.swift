/// Finds places by tags.
///
/// Tags are hashes already: they are not hashed again, which is most of what a dictionary of thousands costs.
struct TagTable {
    private var tags: [UInt64]
    /// The place of each tag; -1 where there is none.
    private var places: [Int]
    private let mask: Int

    /// A table for at most `count` tags.
    init(count: Int) {
        var size = 16
        while size < 2 * count { size *= 2 }
        tags = Array(repeating: 0, count: size)
        places = Array(repeating: -1, count: size)
        mask = size - 1
    }

    /// The place of a tag; nil where there is none.
    func place(of tag: UsageTag) -> Int? {
        let place = places[slot(of: tag)]
        return place < 0 ? nil : place
    }

    /// Notes the place of a tag, which is not negative.
    mutating func insert(_ tag: UsageTag, at place: Int) {
        let slot = slot(of: tag)
        tags[slot] = tag.rawValue
        places[slot] = place
    }

    /// Where the tag is, or would be.
    private func slot(of tag: UsageTag) -> Int {
        var slot = Int(truncatingIfNeeded: tag.rawValue) & mask
        while places[slot] >= 0, tags[slot] != tag.rawValue { slot = (slot + 1) & mask }
        return slot
    }
}
