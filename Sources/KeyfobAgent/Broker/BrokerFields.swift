internal import Keyfob
internal import KeyfobModel

/// The members of an object in a request.
struct BrokerFields {
    private let tape: JSONTape
    private let object: JSONTape.Value

    /// Real requests take some kilobytes and five levels.
    private static let limits = JSONLimits(size: 128 << 10, depth: 16, stringCount: 64 << 10, nodes: 4_096)

    /// The request itself.
    init(reading bytes: RawSpan) throws(BrokerRefusal) {
        do {
            tape = try JSONTape(reading: bytes, limits: Self.limits)
        } catch {
            throw .malformed("is no JSON that can be read")
        }
        object = tape.root
        guard tape.kind(of: object) == .object else { throw .malformed("is no JSON object") }
    }

    private init(_ tape: JSONTape, _ object: JSONTape.Value) { (self.tape, self.object) = (tape, object) }

    /// A member; nil where it is missing or null.
    private func member(_ name: String, _ bytes: RawSpan) -> JSONTape.Value? {
        let value = tape.member(name, of: object, in: bytes)
        return value.flatMap { tape.kind(of: $0) == .null ? nil : $0 }
    }

    func object(_ name: String, _ bytes: RawSpan) throws(BrokerRefusal) -> BrokerFields? {
        guard let value = member(name, bytes) else { return nil }
        guard tape.kind(of: value) == .object else { throw .malformed("'\(name)' is no object") }
        return BrokerFields(tape, value)
    }

    /// A text that identifies something; nil where it is missing, null or empty.
    func name(_ name: String, _ bytes: RawSpan) throws(BrokerRefusal) -> String? {
        guard let text = try text(name, bytes) else { return nil }
        guard Identifier.isAcceptable(text) else {
            throw .malformed("'\(name)' is blank, too long or holds control characters")
        }
        return text
    }

    /// A text; nil where it is missing, null or empty.
    func text(_ name: String, _ bytes: RawSpan) throws(BrokerRefusal) -> String? {
        guard let value = member(name, bytes) else { return nil }
        guard let text = tape.string(of: value, in: bytes) else { throw .malformed("'\(name)' is no text") }
        return text.isEmpty ? nil : text
    }

    /// Texts that identify something; none where they are missing or null.
    func names(_ name: String, _ bytes: RawSpan) throws(BrokerRefusal) -> [String] {
        guard let value = member(name, bytes) else { return [] }
        guard tape.kind(of: value) == .array else { throw .malformed("'\(name)' is no array") }
        var names: [String] = []
        for element in tape.elements(of: value) {
            guard let text = tape.string(of: element, in: bytes), Identifier.isAcceptable(text) else {
                throw .malformed("'\(name)' holds what is no name")
            }
            names.append(text)
        }
        return names
    }

    /// Whether there is a member that is not empty: of a secret, which is not copied, no more is known.
    func has(_ name: String, _ bytes: RawSpan) -> Bool {
        guard let value = member(name, bytes) else { return false }
        switch tape.kind(of: value) {
        case .string: return !tape.range(of: value).isEmpty && tape.range(of: value).count > 2
        case .object: return tape.members(of: value).contains { _ in true }
        case .array: return tape.elements(of: value).contains { _ in true }
        case .null, .false: return false
        case .true, .number: return true
        }
    }
}
