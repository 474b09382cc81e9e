package import KeyfobModel

/// An item as its fields, each with its version, and when it was deleted.
///
/// A deletion takes every field that is not later than itself, and stays when later fields bring the item back:
/// otherwise a copy that was forgotten somewhere could bring back what is older. So an item that one device deleted
/// and another wrote later comes back with what was written later. An account comes back only with its user name, which
/// each sign-in writes anew: where another device changed nothing but its label, it stays deleted.
package struct FieldItem: Hashable, Sendable {
    /// The latest deletion.
    package private(set) var deletion: ItemVersion?
    /// The fields, all of them later than ``deletion``.
    package private(set) var fields: [FieldName: Register]

    /// An item; fields that are not later than the deletion are left out.
    package init(fields: [FieldName: Register] = [:], deletion: ItemVersion? = nil) {
        self.deletion = deletion
        self.fields = fields
        dropDeletedFields()
    }

    /// Whether nothing is left of it but that it was there, and fields that are nothing by themselves.
    package var isDeleted: Bool { fields[.content] == nil && fields[.username] == nil }

    /// The latest of all versions; nil for an item that never was.
    package var version: ItemVersion? {
        fields.values.reduce(deletion) { max($0 ?? $1.version, $1.version) }
    }

    /// Writes a field.
    package mutating func set(_ name: FieldName, _ register: Register) {
        fields[name] = fields[name].map { $0.joined(with: register) } ?? register
        dropDeletedFields()
    }

    /// Deletes the item as of a version.
    package mutating func delete(_ version: ItemVersion) {
        deletion = max(deletion ?? version, version)
        dropDeletedFields()
    }

    /// What both know.
    package func joined(with other: FieldItem) -> FieldItem {
        var joined = self
        for (name, register) in other.fields { joined.set(name, register) }
        if let deletion = other.deletion { joined.delete(deletion) }
        return joined
    }

    private mutating func dropDeletedFields() {
        guard let deletion else { return }
        fields = fields.filter { $0.value.version > deletion }
    }
}

extension FieldItem {
    /// The value of a field; nil where it is missing or was taken away.
    package subscript(_ name: FieldName) -> FieldValue? {
        fields[name].flatMap(\.value)
    }

    /// The text of a field.
    package func text(_ name: FieldName) -> String? {
        if case .text(let text) = self[name] { text } else { nil }
    }

    /// Which secret goes with the item.
    package var secret: SecretDigest? { self[.content]?.secret }
}
