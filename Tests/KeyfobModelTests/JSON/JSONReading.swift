import KeyfobModel

/// A JSON text with its tape, so that a test can ask for values by name.
struct ReadJSON {
    let bytes: [UInt8]
    let tape: JSONTape

    init(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(Array(text.utf8), limits: limits)
    }

    init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        self.bytes = bytes
        self.tape = try JSONTape(reading: RawSpan(_elements: bytes.span), limits: limits)
    }

    func raw(_ value: JSONTape.Value) -> String { tape.raw(value, in: RawSpan(_elements: bytes.span)) }

    func string(_ value: JSONTape.Value) -> String? { tape.string(of: value, in: RawSpan(_elements: bytes.span)) }

    func member(_ name: String) -> JSONTape.Value? {
        tape.member(name, of: tape.root, in: RawSpan(_elements: bytes.span))
    }

    /// The error that reading `bytes` ends with, or nil.
    static func error(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError? {
        do {
            _ = try ReadJSON(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }
}
