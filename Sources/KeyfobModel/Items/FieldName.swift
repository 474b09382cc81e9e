/// The name of one field of an item that has a version of its own.
package struct FieldName: Sendable {
    /// The name: one of those below, `profile:` and a realm, or what ``additional(_:in:)`` makes.
    package let name: String

    /// The field with this name.
    package init(_ name: String) {
        self.name = name
    }

    /// The whole of an item that has but one field.
    package static let content = FieldName("content")
    /// In a plan, the token of a grant.
    package static let token = FieldName("token")
    /// In a plan, the state, the epoch and the generation of a grant.
    package static let state = FieldName("state")
    /// An account's user name.
    package static let username = FieldName("username")
    /// The person's name.
    package static let displayName = FieldName("displayName")
    /// The name that the owner gave the account.
    package static let label = FieldName("label")
    /// The names that an account had.
    package static let formerNames = FieldName("formerNames")
    /// That somebody has signed in as an account.
    package static let proved = FieldName("proved")

    private static let profilePrefix = "profile:"
    private static let additionalPrefix = "additional:"

    /// An account as a tenant sees it.
    package static func profile(realm: String) -> FieldName {
        FieldName(profilePrefix + Identifier.folded(realm))
    }

    /// A field that Keyfob does not interpret: its name, and the path of the object that it is in.
    package static func additional(_ name: String, in path: String) -> FieldName {
        FieldName("\(additionalPrefix)\(path.utf8.count):\(path):\(name)")
    }

    /// Path and name of a field that Keyfob does not interpret; nil for the others.
    package var additional: (path: String, name: String)? {
        guard name.hasPrefix(Self.additionalPrefix) else { return nil }
        let rest = name.utf8.dropFirst(Self.additionalPrefix.utf8.count)
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), let count = Int(String(Substring(rest[..<colon]))),
            count >= 0, rest[colon...].count >= count + 2
        else { return nil }
        let start = rest.index(after: colon)
        let end = rest.index(start, offsetBy: count)
        guard rest[end] == UInt8(ascii: ":") else { return nil }
        return (String(Substring(rest[start..<end])), String(Substring(rest[rest.index(after: end)...])))
    }
}

extension FieldName: Hashable, Comparable, CustomStringConvertible {
    /// Whether the bytes of both are the same.
    package static func == (left: FieldName, right: FieldName) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8)
    }

    /// Hashes the text at once, which is the same for the same bytes.
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Orders by the bytes.
    package static func < (left: FieldName, right: FieldName) -> Bool {
        left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }

    /// The name.
    package var description: String { name }
}
