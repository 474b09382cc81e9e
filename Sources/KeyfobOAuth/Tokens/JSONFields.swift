internal import KeyfobModel
internal import KeyfobSodium

/// The members of one JSON object in a provider's answer.
///
/// Values stay in the source; whoever asks for one passes the same bytes again.
struct JSONFields: Sendable {
    private let tape: JSONTape
    private let object: JSONTape.Value

    /// Limits for whatever a provider sends.
    static let limits = JSONLimits(size: HTTPResponse.bodyLimit, depth: 16, stringCount: 1 << 18, nodes: 1 << 15)

    /// Reads an object and refuses repeated names anywhere in it.
    init(reading bytes: RawSpan) throws(ProtocolViolation) {
        guard bytes.byteCount > 0 else { throw .empty }
        let tape: JSONTape
        do {
            tape = try JSONTape(reading: bytes, limits: Self.limits)
        } catch {
            throw .notJSON(error)
        }
        guard tape.kind(of: tape.root) == .object else { throw .notAnObject }
        guard tape.duplicates.isEmpty else { throw .repeatedName }
        self.tape = tape
        self.object = tape.root
    }

    private init(tape: JSONTape, object: JSONTape.Value) {
        self.tape = tape
        self.object = object
    }

    /// Whether there is a member called `name` that is not null.
    func has(_ name: String, in bytes: RawSpan) -> Bool { value(name, in: bytes) != nil }

    /// The text of a string, or nil; not for secrets.
    func string(_ name: String, in bytes: RawSpan) -> String? {
        value(name, in: bytes).flatMap { tape.string(of: $0, in: bytes) }
    }

    /// The text of a string, copied straight to guarded memory.
    func secret(_ name: String, in bytes: RawSpan) -> SecretBytes? {
        guard let text = value(name, in: bytes).flatMap({ tape.text(of: $0) }) else { return nil }
        return SecretBytes(count: text.decodedCount(in: bytes), placement: .recycled) { output in
            text.decode(from: bytes, into: &output)
        }
    }

    /// An integer, written as a number or as a string of digits; a fraction is cut off.
    func integer(_ name: String, in bytes: RawSpan) -> Int64? {
        guard let value = value(name, in: bytes) else { return nil }
        let digits: String
        switch tape.kind(of: value) {
        case .number: digits = tape.raw(value, in: bytes)
        case .string: digits = tape.string(of: value, in: bytes) ?? ""
        default: return nil
        }
        guard digits.utf8.count <= 32 else { return nil }
        let sign = digits.hasPrefix("-") ? 1 : 0
        let whole = digits.utf8.dropFirst(sign).prefix(while: \.isASCIIDigit)
        let rest = digits.utf8.dropFirst(sign + whole.count)
        let isFraction = rest.first == UInt8(ascii: ".") && rest.dropFirst().allSatisfy(\.isASCIIDigit)
        guard !whole.isEmpty, rest.isEmpty || isFraction && rest.count > 1 else { return nil }
        return Int64((sign == 1 ? "-" : "") + String(Substring(whole)))
    }

    /// A truth value.
    func bool(_ name: String, in bytes: RawSpan) -> Bool? {
        switch value(name, in: bytes).map({ tape.kind(of: $0) }) {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The strings of an array, or one string alone; nil where there is something else.
    func strings(_ name: String, in bytes: RawSpan) -> [String]? {
        guard let value = value(name, in: bytes) else { return nil }
        if let one = tape.string(of: value, in: bytes) { return [one] }
        guard tape.kind(of: value) == .array else { return nil }
        var strings: [String] = []
        for element in tape.elements(of: value) {
            guard let string = tape.string(of: element, in: bytes) else { return nil }
            strings.append(string)
        }
        return strings
    }

    /// The integers of an array; what is none is left out.
    func integers(_ name: String, in bytes: RawSpan) -> [Int64] {
        guard let value = value(name, in: bytes) else { return [] }
        return tape.elements(of: value).compactMap { Int64(tape.raw($0, in: bytes)) }
    }

    /// An object inside.
    func object(_ name: String, in bytes: RawSpan) -> JSONFields? {
        guard let value = value(name, in: bytes), tape.kind(of: value) == .object else { return nil }
        return JSONFields(tape: tape, object: value)
    }

    /// The objects of an array, without what is none; nil where there is something else.
    func objects(_ name: String, in bytes: RawSpan) -> [JSONFields]? {
        guard let value = value(name, in: bytes), tape.kind(of: value) == .array else { return nil }
        return tape.elements(of: value).filter { tape.kind(of: $0) == .object }.map {
            JSONFields(tape: tape, object: $0)
        }
    }

    /// The names of the members.
    func names(in bytes: RawSpan) -> [String] {
        tape.members(of: object).compactMap { tape.string(of: $0.name, in: bytes) }
    }

    private func value(_ name: String, in bytes: RawSpan) -> JSONTape.Value? {
        guard let value = tape.member(name, of: object, in: bytes), tape.kind(of: value) != .null else { return nil }
        return value
    }
}
