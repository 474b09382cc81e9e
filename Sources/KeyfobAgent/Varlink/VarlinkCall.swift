internal import KeyfobModel
internal import KeyfobSodium

/// A call of a method, as varlink writes it: a JSON object in one message (varlink.org, "Method Call").
package struct VarlinkCall: Sendable {
    /// The method with its interface: `io.keyfob.Agent.Token`.
    package let method: String
    /// What it is called with.
    package let parameters: VarlinkParameters
    /// Whether several replies may come.
    package let wantsMore: Bool
    /// Whether no reply is wanted.
    package let isOneway: Bool
    /// Whether the connection is to speak another protocol afterwards.
    package let wantsUpgrade: Bool

    /// Why a message is no call.
    package struct Malformed: Error {}

    /// How much of JSON's a message may ask for: no method here has a parameter that is deeper than a list.
    private static let limits = JSONLimits(size: 1 << 20, depth: 8, stringCount: 1 << 16, nodes: 1 << 14)

    /// The call in a message, without the zero that ends it.
    package init(reading message: RawSpan) throws(Malformed) {
        guard message.isUTF8, let tape = try? JSONTape(reading: message, limits: Self.limits),
            tape.kind(of: tape.root) == .object,
            let method = tape.member("method", of: tape.root, in: message).flatMap({ tape.string(of: $0, in: message) })
        else { throw Malformed() }
        func flag(_ name: String) throws(Malformed) -> Bool {
            guard let value = tape.member(name, of: tape.root, in: message) else { return false }
            switch tape.kind(of: value) {
            case .true: return true
            case .false, .null: return false
            default: throw Malformed()
            }
        }
        self.method = method
        (wantsMore, isOneway, wantsUpgrade) = (try flag("more"), try flag("oneway"), try flag("upgrade"))
        switch tape.member("parameters", of: tape.root, in: message) {
        case let value? where tape.kind(of: value) == .object:
            parameters = VarlinkParameters(message.extracting(tape.range(of: value)))
        case let value? where tape.kind(of: value) != .null: throw Malformed()
        default: parameters = Array("{}".utf8).withBytes { VarlinkParameters($0) }
        }
    }
}

/// The parameters of a call: there may be a key among them.
package final class VarlinkParameters: Sendable {
    private let json: SecretBytes
    private let tape: JSONTape?

    init(_ object: RawSpan) {
        json = SecretBytes(copying: object, placement: .recycled)
        tape = try? JSONTape(reading: object)
    }

    /// A parameter is of another kind than the interface says, or makes no sense.
    struct Invalid: Error {
        let name: String
    }

    /// A text; nil where it is not given.
    func string(_ name: String) throws(Invalid) -> String? {
        try value(name, .string) { tape, value, bytes in tape.string(of: value, in: bytes) }
    }

    /// A list of texts; nil where it is not given.
    func strings(_ name: String) throws(Invalid) -> [String]? {
        try value(name, .array) { tape, value, bytes in
            var texts: [String] = []
            for element in tape.elements(of: value) {
                guard let text = tape.string(of: element, in: bytes) else { return nil }
                texts.append(text)
            }
            return texts
        }
    }

    /// A whole number; nil where it is not given.
    func integer(_ name: String) throws(Invalid) -> Int64? {
        try value(name, .number) { tape, value, bytes in Int64(tape.raw(value, in: bytes)) }
    }

    /// A truth value; false where it is not given.
    func bool(_ name: String) throws(Invalid) -> Bool {
        if let yes = try? value(name, .true, { _, _, _ in true }) { return yes }
        return try value(name, .false) { _, _, _ in false } ?? false
    }

    /// The secret that a text is in Base64.
    func secret(_ name: String) throws(Invalid) -> SecretBytes {
        let secret: SecretBytes? = json.withBytes { bytes in
            guard let tape, let value = tape.member(name, of: tape.root, in: bytes), let text = tape.text(of: value),
                !text.hasEscapes
            else { return nil }
            return Base64.standard.decodeSecret(bytes.extracting(text.range), placement: .dedicated)
        }
        guard let secret else { throw Invalid(name: name) }
        return secret
    }

    private func value<Value>(
        _ name: String, _ kind: JSONKind, _ read: (JSONTape, JSONTape.Value, RawSpan) -> Value?
    ) throws(Invalid) -> Value? {
        try json.withBytes { (bytes) throws(Invalid) in
            guard let tape, let value = tape.member(name, of: tape.root, in: bytes), tape.kind(of: value) != .null
            else { return nil }
            guard tape.kind(of: value) == kind, let read = read(tape, value, bytes) else { throw Invalid(name: name) }
            return read
        }
    }
}
