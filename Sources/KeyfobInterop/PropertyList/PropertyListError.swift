/// Why bytes were not read as a binary property list.
///
/// No case holds any of their text.
package enum PropertyListError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes do not begin as a binary property list does.
    case notAPropertyList
    /// More bytes than the limit.
    case tooLarge(limit: Int)
    /// More objects than the limit.
    case tooManyObjects(limit: Int)
    /// Containers inside each other, more than the limit.
    case tooDeep(limit: Int)
    /// The bytes contradict themselves.
    case malformed(Problem)

    /// What is wrong with a binary property list.
    package enum Problem: String, Hashable, Sendable {
        case tooShort = "it is too short"
        case trailer = "its last 32 bytes make no sense"
        case offset = "an object lies outside of it"
        case kind = "it has an object of an unknown kind"
        case length = "an object is longer than there is room"
        case overlap = "two objects overlap"
        case reference = "an object refers to one that is not there"
        case key = "a key is not text"
        case cycle = "a container is inside itself"
    }

    package var description: String {
        switch self {
        case .notAPropertyList: "the file is not a binary property list"
        case .tooLarge(let limit): "the file is larger than \(limit) bytes; check that it is a token cache"
        case .tooManyObjects(let limit): "the file has more than \(limit) objects; check that it is a token cache"
        case .tooDeep(let limit):
            "the file nests more than \(limit) levels, as no token cache does; check that it is the right file"
        case .malformed(let problem): "the file is a damaged property list: \(problem.rawValue)"
        }
    }
}

/// How much a binary property list may ask of its reader.
package struct PropertyListLimits: Hashable, Sendable {
    /// The longest list, in bytes; at most 2 GiB whatever is given.
    package var size: Int
    /// How many objects there may be; each takes 12 bytes while it is read.
    package var objects: Int
    /// How many containers may be inside each other.
    package var depth: Int

    /// Limits; what is not given is generous.
    package init(size: Int = 64 << 20, objects: Int = 4 << 20, depth: Int = 32) {
        self.size = min(size, Int(Int32.max))
        self.objects = objects
        self.depth = depth
    }
}
