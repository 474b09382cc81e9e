/// The name of an access group: the unit by which a keyring is partitioned, as on Apple's systems.
///
/// An item is in exactly one group. Names are plain words (`work`) or look as on Apple's platforms
/// (`com.microsoft.identity.universalstorage`); case matters.
public struct AccessGroup: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The longest name, in bytes of UTF-8.
    public static let maximumCount = 255
    /// The group that exists from the start.
    public static let `default` = AccessGroup(unchecked: "default")

    /// The name.
    public let name: String

    private init(unchecked name: String) {
        self.name = name
    }

    /// The group called `name`.
    ///
    /// - Throws: ``NameError`` for a name that is blank, longer than 255 bytes, starts or ends with a
    ///   space, or holds a control character or an invisible mark.
    public init(_ name: String) throws(NameError) {
        guard !name.isEmpty, !name.allSatisfy({ $0.isWhitespace }) else { throw .blank }
        guard name.utf8.count <= Self.maximumCount else { throw .tooLong(count: name.utf8.count) }
        guard name.first != " ", name.last != " " else { throw .surroundedBySpace }
        for scalar in name.unicodeScalars
        where scalar.value < 0x20 || scalar.value == 0x7F || Identifier.isInvisibleControl(scalar) {
            throw .controlCharacter
        }
        self.name = name
    }

    /// Orders by name.
    public static func < (left: AccessGroup, right: AccessGroup) -> Bool {
        left.name < right.name
    }

    /// The name, or what is wrong with it.
    public var description: String { name }

    /// Why a name is no group's name.
    public enum NameError: Error, Hashable, Sendable, CustomStringConvertible {
        /// Nothing but space.
        case blank
        /// More than 255 bytes.
        case tooLong(count: Int)
        /// A space at an end, which nobody sees.
        case surroundedBySpace
        /// A character that no terminal shows.
        case controlCharacter

        /// The name, or what is wrong with it.
        public var description: String {
            switch self {
            case .blank: "a group's name cannot be blank"
            case .tooLong(let count): "a group's name has at most 255 bytes, this one has \(count)"
            case .surroundedBySpace: "a group's name cannot start or end with a space"
            case .controlCharacter: "a group's name cannot hold control characters or invisible marks"
            }
        }
    }
}
