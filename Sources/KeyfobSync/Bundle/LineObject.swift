internal import KeyfobModel

/// One object of a line: its members are taken one by one, and those that are left are unknown.
struct LineObject {
    private let tape: JSONTape
    private let line: Int
    /// The objects of the line that have a name twice.
    private let repeating: Set<JSONTape.Value>
    private var members: [(name: String, value: JSONTape.Value)] = []

    /// The object that a line is.
    ///
    /// - Throws: `notJSON` where it is none, `repeatedName`.
    init(_ tape: JSONTape, line: Int, _ bytes: RawSpan) throws(BundleError) {
        try self.init(tape, tape.root, line: line, repeating: Set(tape.duplicates.map(\.object)), bytes)
    }

    private init(
        _ tape: JSONTape, _ value: JSONTape.Value, line: Int, repeating: Set<JSONTape.Value>, _ bytes: RawSpan
    ) throws(BundleError) {
        guard tape.kind(of: value) == .object else { throw .notJSON(line: line, nil) }
        guard !repeating.contains(value) else { throw .repeatedName(line: line) }
        self.tape = tape
        self.line = line
        self.repeating = repeating
        for member in tape.members(of: value) {
            members.append((tape.string(of: member.name, in: bytes) ?? "", member.value))
        }
    }

    /// The value of a member, which then is no longer unknown; nil where there is none.
    mutating func take(_ field: BundleError.Field) -> JSONTape.Value? {
        take(named: field.rawValue)
    }

    /// The value of the member with this name.
    mutating func take(named name: String) -> JSONTape.Value? {
        let count = name.utf8.count
        guard
            let index = members.firstIndex(where: {
                $0.name.utf8.count == count && $0.name.utf8.elementsEqual(name.utf8)
            })
        else { return nil }
        return members.remove(at: index).value
    }

    /// Whether there is a member.
    func has(_ field: BundleError.Field) -> Bool { members.contains { $0.name == field.rawValue } }

    /// The names and values that are left.
    var rest: [(name: String, value: JSONTape.Value)] { members }

    /// The members that are left, as they are written.
    func unknownFields(_ bytes: RawSpan) -> AdditionalFields {
        AdditionalFields(members.map { .init(name: $0.name, json: tape.raw($0.value, in: bytes)) })
    }
}

extension LineObject {
    /// The value of a member that must be there.
    mutating func required(_ field: BundleError.Field) throws(BundleError) -> JSONTape.Value {
        guard let value = take(field) else { throw .missingField(line: line, field) }
        return value
    }

    /// The object of a member that must be there.
    mutating func object(_ field: BundleError.Field, _ bytes: RawSpan) throws(BundleError) -> LineObject {
        try inside(try required(field), bytes)
    }

    /// The object of a member.
    mutating func optionalObject(_ field: BundleError.Field, _ bytes: RawSpan) throws(BundleError) -> LineObject? {
        guard let value = take(field) else { return nil }
        return try inside(value, bytes)
    }

    /// The text of a member that must be there.
    mutating func text(_ field: BundleError.Field, _ bytes: RawSpan) throws(BundleError) -> String {
        guard let text = try optionalText(field, bytes) else { throw .missingField(line: line, field) }
        return text
    }

    /// The text of a member.
    mutating func optionalText(_ field: BundleError.Field, _ bytes: RawSpan) throws(BundleError) -> String? {
        guard let value = take(field) else { return nil }
        guard let text = tape.string(of: value, in: bytes) else { throw .badField(line: line, field) }
        return text
    }

    /// The texts of a member that must be there.
    mutating func texts(_ field: BundleError.Field, _ bytes: RawSpan) throws(BundleError) -> [String] {
        var texts: [String] = []
        for element in try elements(field) {
            guard let text = tape.string(of: element, in: bytes) else { throw .badField(line: line, field) }
            texts.append(text)
        }
        return texts
    }

    /// The texts of a member.
    mutating func optionalTexts(_ field: BundleError.Field, _ bytes: RawSpan) throws(BundleError) -> [String]? {
        has(field) ? try texts(field, bytes) : nil
    }

    /// The objects of a member that must be there.
    mutating func objects(_ field: BundleError.Field, _ bytes: RawSpan) throws(BundleError) -> [LineObject] {
        var objects: [LineObject] = []
        for element in try elements(field) { objects.append(try inside(element, bytes)) }
        return objects
    }

    private func inside(_ value: JSONTape.Value, _ bytes: RawSpan) throws(BundleError) -> LineObject {
        try LineObject(tape, value, line: line, repeating: repeating, bytes)
    }

    private mutating func elements(_ field: BundleError.Field) throws(BundleError) -> JSONTape.Elements {
        let value = try required(field)
        guard tape.kind(of: value) == .array else { throw .badField(line: line, field) }
        return tape.elements(of: value)
    }

    /// The flag of a member.
    mutating func optionalFlag(_ field: BundleError.Field) throws(BundleError) -> Bool? {
        guard let value = take(field) else { return nil }
        switch tape.kind(of: value) {
        case .true: return true
        case .false: return false
        default: throw .badField(line: line, field)
        }
    }

    /// The whole number of a member that must be there.
    mutating func number<Number: FixedWidthInteger>(
        _ field: BundleError.Field, _ bytes: RawSpan
    ) throws(BundleError) -> Number {
        try number(try required(field), field, bytes)
    }

    /// The whole number that a value is.
    func number<Number: FixedWidthInteger>(
        _ value: JSONTape.Value, _ field: BundleError.Field, _ bytes: RawSpan
    ) throws(BundleError) -> Number {
        guard tape.kind(of: value) == .number, let number = Number(tape.raw(value, in: bytes)) else {
            throw .badField(line: line, field)
        }
        return number
    }

    /// The time of a member.
    mutating func optionalTime(_ field: BundleError.Field, _ bytes: RawSpan) throws(BundleError) -> Timestamp? {
        guard let value = take(field) else { return nil }
        guard let text = tape.string(of: value, in: bytes) else {
            return Timestamp(seconds: try number(value, field, bytes))
        }
        guard let date = CivilDate(rfc3339: text) else { throw .badField(line: line, field) }
        return date.time
    }

    /// The version of a member.
    mutating func optionalVersion(_ field: BundleError.Field, _ bytes: RawSpan) throws(BundleError) -> ItemVersion? {
        guard let text = try optionalText(field, bytes) else { return nil }
        guard let version = ItemVersion(text) else { throw .badField(line: line, field) }
        return version
    }

    /// The version that a value is.
    func version(
        _ value: JSONTape.Value, _ field: BundleError.Field, _ bytes: RawSpan
    ) throws(BundleError) -> ItemVersion {
        guard let version = tape.string(of: value, in: bytes).flatMap(ItemVersion.init) else {
            throw .badField(line: line, field)
        }
        return version
    }

    /// The fields of the member `additionalFields`.
    mutating func additionalFields(_ bytes: RawSpan) throws(BundleError) -> AdditionalFields {
        try optionalObject(.additionalFields, bytes)?.unknownFields(bytes) ?? AdditionalFields()
    }
}
