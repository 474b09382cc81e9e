import KeyfobInterop
import KeyfobSodium

/// A YAML document as a test writes it: `{a: [b, null]}`, with every scalar as the text that it is.
enum YAMLValue {
    /// What a text says; `refused FLAW in LINE` for what is not read.
    static func reading(_ text: String) -> String { reading(Array(text.utf8)) }

    static func reading(_ text: [UInt8]) -> String {
        text.withBytes { bytes in
            do throws(YAMLProblem) {
                let tape = try YAMLTape(reading: bytes)
                return word(tape.root, tape, bytes)
            } catch {
                return "refused \(error.flaw) in \(error.line)"
            }
        }
    }

    private static func word(_ value: YAMLTape.Value, _ tape: YAMLTape, _ bytes: RawSpan) -> String {
        switch tape.kind(of: value) {
        case .empty: "null"
        case .scalar:
            tape.text(of: value).map { text in
                let secret = SecretBytes(count: text.decodedCount(in: bytes)) { text.decode(from: bytes, into: &$0) }
                return secret.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
            } ?? "?"
        case .sequence: "[" + tape.elements(of: value).map { word($0, tape, bytes) }.joined(separator: ", ") + "]"
        case .mapping:
            "{"
                + tape.members(of: value).map { "\(word($0.name, tape, bytes)): \(word($0.value, tape, bytes))" }
                .joined(separator: ", ") + "}"
        }
    }
}
