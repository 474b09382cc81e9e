internal import Keyfob
internal import KeyfobInterop
internal import KeyfobModel
internal import KeyfobSodium

/// Readers of what nests, each told as its values in their order: `{ s6b n31 }` is `{"k": 1}`.
enum Structures {
    static func json(_ document: [UInt8]) -> String {
        document.withBytes { bytes in
            do {
                let tape = try JSONTape(reading: bytes, limits: JSONLimits(depth: 512))
                var words: [String] = []
                add(tape.root, of: tape, to: &words, bytes)
                return words.joined(separator: " ")
            } catch {
                return "refused \(error)"
            }
        }
    }

    private static func add(_ value: JSONTape.Value, of tape: JSONTape, to words: inout [String], _ bytes: RawSpan) {
        switch tape.kind(of: value) {
        case .object:
            words.append("{")
            for member in tape.members(of: value, includingSuperseded: true) {
                add(member.name, of: tape, to: &words, bytes)
                add(member.value, of: tape, to: &words, bytes)
            }
            words.append("}")
        case .array:
            words.append("[")
            for element in tape.elements(of: value) { add(element, of: tape, to: &words, bytes) }
            words.append("]")
        case .string: words.append("s" + Hex.text(tape.string(of: value, in: bytes) ?? ""))
        case .number: words.append("n" + Hex.text(tape.raw(value, in: bytes)))
        case .true, .false, .null: words.append("\(tape.kind(of: value))")
        }
    }

    /// A plain scalar that is no text for all programs is told with `w`.
    static func yaml(_ document: [UInt8]) -> String {
        document.withBytes { bytes in
            guard bytes.isUTF8 else { return "refused it is no UTF-8" }
            do throws(YAMLProblem) {
                let tape = try YAMLTape(reading: bytes)
                var words: [String] = []
                add(tape.root, of: tape, to: &words, bytes)
                return words.joined(separator: " ")
            } catch {
                return "refused \(error.flaw) in line \(error.line)"
            }
        }
    }

    private static func add(_ value: YAMLTape.Value, of tape: YAMLTape, to words: inout [String], _ bytes: RawSpan) {
        switch tape.kind(of: value) {
        case .mapping:
            words.append("{")
            for member in tape.members(of: value) {
                add(member.name, of: tape, to: &words, bytes)
                add(member.value, of: tape, to: &words, bytes)
            }
            words.append("}")
        case .sequence:
            words.append("[")
            for element in tape.elements(of: value) { add(element, of: tape, to: &words, bytes) }
            words.append("]")
        case .empty: words.append("-")
        case .scalar:
            guard let text = tape.text(of: value) else { return words.append("?") }
            let secret = SecretBytes(count: text.decodedCount(in: bytes)) { text.decode(from: bytes, into: &$0) }
            let copy = secret.withBytes { [UInt8]($0) }
            guard copy == text.copy(in: bytes) else { return words.append("?") }
            words.append(sign(of: text, bytes) + Hex.text(copy))
        }
    }

    private static func sign(of text: YAMLText, _ bytes: RawSpan) -> String {
        switch text.style {
        case .plain: text.isSpelled || YAMLWord.isText(text.range, in: bytes) ? "p" : "w"
        case .singleQuoted: "'"
        case .doubleQuoted: "\""
        case .literal: "|"
        case .folded: ">"
        }
    }

    /// A project file, for which any key of `a` to `z` will do.
    static func toml(_ document: [UInt8]) -> String {
        guard String(validating: document, as: UTF8.self) != nil else { return "refused it is no UTF-8" }
        do throws(ProjectFileReader.Flaw) {
            let texts = try ProjectFileReader.texts(of: document, keys: nil)
            return texts.map { "\(Hex.text($0.key))=\(Hex.text($0.value.value))" }.sorted().joined(separator: " ")
        } catch {
            return "refused \(error.kind) in line \(error.line)"
        }
    }

    /// A binary property list; keys are told as texts.
    static func propertyList(_ document: [UInt8]) -> String {
        document.withBytes { bytes in
            do {
                let list = try BinaryPropertyList(reading: bytes)
                var words: [String] = []
                add(list.root, of: list, to: &words, bytes)
                return words.joined(separator: " ")
            } catch {
                return "refused \(error)"
            }
        }
    }

    private static func add(
        _ object: BinaryPropertyList.Object, of list: BinaryPropertyList, to words: inout [String], _ bytes: RawSpan
    ) {
        switch list.kind(of: object) {
        case .null, .true, .false, .integer: words.append("\(list.kind(of: object))")
        case .real, .date: words.append("r\(list.real(of: object, in: bytes)?.bitPattern ?? 0)")
        case .data: words.append("d" + Hex.text((list.range(of: object) ?? 0..<0).map { bytes.byte(at: $0) }))
        case .ascii, .utf16: words.append(list.string(of: object, in: bytes).map { "s" + Hex.text($0) } ?? "refused")
        case .uid: words.append("u\(list.uid(of: object, in: bytes) ?? 0)")
        case .array, .set:
            let isSet = list.kind(of: object) == .set
            words.append(isSet ? "<" : "[")
            for index in 0..<list.count(of: object) {
                add(list.element(index, of: object, in: bytes), of: list, to: &words, bytes)
            }
            words.append(isSet ? ">" : "]")
        case .dictionary:
            words.append("{")
            for index in 0..<list.count(of: object) {
                let (key, value) = list.pair(index, of: object, in: bytes)
                add(key, of: list, to: &words, bytes)
                add(value, of: list, to: &words, bytes)
            }
            words.append("}")
        }
    }
}
