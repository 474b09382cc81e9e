internal import KeyfobModel

/// The fields of one entity, found but not yet judged.
struct MSALEntity {
    let ordinal: Int
    /// Whether the key has no capitals; of two entities that say the same, such a one is newer.
    let hasSmallKey: Bool
    /// The fields that are not interpreted, in their order.
    var additionalFields: [AdditionalFields.Field] = []
    private var values: [JSONTape.Value?]

    init(
        _ object: JSONTape.Value, in section: MSALSection, ordinal: Int, hasSmallKey: Bool, tape: JSONTape,
        interpreted: Set<MSALField>, _ bytes: RawSpan
    ) {
        self.ordinal = ordinal
        self.hasSmallKey = hasSmallKey
        self.values = Array(repeating: nil, count: MSALField.allCases.count)
        for member in tape.members(of: object) {
            guard let name = tape.string(of: member.name, in: bytes) else { continue }
            if let field = MSALField(spelling: name), interpreted.contains(field) {
                values[field.index] = member.value
            } else {
                additionalFields.append(.init(name: name, json: tape.raw(member.value, in: bytes)))
            }
        }
    }

    /// Whether the entity has one of `fields`, even if it is null.
    func hasAny(of fields: [MSALField]) -> Bool {
        fields.contains { values[$0.index] != nil }
    }

    /// The value of a field that is there and not null.
    func value(_ field: MSALField, _ tape: JSONTape) -> JSONTape.Value? {
        guard let value = values[field.index], tape.kind(of: value) != .null else { return nil }
        return value
    }

    /// The text of a field; nil where it is missing, null or empty.
    func text(_ field: MSALField, _ tape: JSONTape, _ bytes: RawSpan) throws(MSALFinding.Reason) -> String? {
        guard let value = value(field, tape) else { return nil }
        guard let text = tape.string(of: value, in: bytes) else { throw .notText(field) }
        return text.isEmpty ? nil : text
    }

    /// The text of a field that identifies something and may not be missing.
    func identifier(
        _ field: MSALField, _ tape: JSONTape, _ bytes: RawSpan
    ) throws(MSALFinding.Reason) -> String {
        guard let text = try text(field, tape, bytes), text.utf8.contains(where: { $0 != 0x20 }) else {
            throw .missing(field)
        }
        guard Identifier.isAcceptable(text) else { throw .unacceptable(field) }
        return text
    }

    /// The text of a field that identifies something where it is present; empty otherwise.
    func optionalIdentifier(
        _ field: MSALField, _ tape: JSONTape, _ bytes: RawSpan
    ) throws(MSALFinding.Reason) -> String {
        guard let text = try text(field, tape, bytes) else { return "" }
        guard Identifier.isAcceptable(text) else { throw .unacceptable(field) }
        return text
    }

    /// Keeps a field as it is instead of interpreting it.
    mutating func keep(_ field: MSALField, _ tape: JSONTape, _ bytes: RawSpan) {
        guard let value = value(field, tape) else { return }
        additionalFields.append(.init(name: field.spelling, json: tape.raw(value, in: bytes)))
    }
}
