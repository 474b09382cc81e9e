internal import KeyfobModel
internal import KeyfobSodium

/// A value of another tool's file, whether that is JSON or YAML; texts stay where they are in its bytes.
indirect enum ToolValue {
    case object([(name: String, value: ToolValue)])
    case list([ToolValue])
    case text(SecretLocation)
    /// Nothing, a number, or a word such as `true`.
    case other

    /// The whole of a JSON text.
    init(_ tape: JSONTape, _ bytes: RawSpan) {
        self.init(tape, tape.root, bytes)
    }

    private init(_ tape: JSONTape, _ value: JSONTape.Value, _ bytes: RawSpan) {
        switch tape.kind(of: value) {
        case .object:
            self = .object(
                tape.members(of: value).map {
                    (tape.string(of: $0.name, in: bytes) ?? "", ToolValue(tape, $0.value, bytes))
                })
        case .array: self = .list(tape.elements(of: value).map { ToolValue(tape, $0, bytes) })
        case .string: self = tape.text(of: value).map { .text(SecretLocation($0)) } ?? .other
        case .null, .true, .false, .number: self = .other
        }
    }

    /// The whole of a YAML document.
    init(_ tape: YAMLTape, _ bytes: RawSpan) {
        self.init(tape, tape.root, bytes)
    }

    private init(_ tape: YAMLTape, _ value: YAMLTape.Value, _ bytes: RawSpan) {
        switch tape.kind(of: value) {
        case .mapping:
            self = .object(
                tape.members(of: value).map {
                    let name = tape.text(of: $0.name)?.copy(in: bytes) ?? []
                    return (String(decoding: name, as: UTF8.self), ToolValue(tape, $0.value, bytes))
                })
        case .sequence: self = .list(tape.elements(of: value).map { ToolValue(tape, $0, bytes) })
        case .scalar: self = tape.text(of: value).map { ToolValue($0, bytes) } ?? .other
        case .empty: self = .other
        }
    }

    private init(_ text: YAMLText, _ bytes: RawSpan) {
        if text.style == .plain, !text.isSpelled, !YAMLWord.isText(text.range, in: bytes) {
            self = .other
        } else {
            self = .text(SecretLocation(text, in: bytes))
        }
    }

    /// The members of an object; none of another value.
    var members: [(name: String, value: ToolValue)] {
        if case .object(let members) = self { members } else { [] }
    }

    /// The elements of a list; none of another value.
    var elements: [ToolValue] {
        if case .list(let elements) = self { elements } else { [] }
    }

    subscript(name: String) -> ToolValue? {
        members.last { $0.name == name }?.value
    }

    /// Where a text that is not empty is.
    var secret: SecretLocation? {
        if case .text(let location) = self, !location.range.isEmpty { location } else { nil }
    }

    /// A text that names something; nil for an empty one, and for what no identifier can be.
    ///
    /// Not for secrets.
    func name(_ bytes: RawSpan) -> String? {
        guard let secret, secret.range.count <= 6 * Identifier.maximumCount else { return nil }
        let text = secret.secret(in: bytes).withBytes { String(validating: [UInt8]($0), as: UTF8.self) }
        return text.flatMap { Identifier.isAcceptable($0) ? $0 : nil }
    }
}
