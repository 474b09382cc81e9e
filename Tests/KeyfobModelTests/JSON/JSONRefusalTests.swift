import KeyfobModel
import Testing

@Suite("Refused JSON")
struct JSONRefusalTests {
    @Test(
        "what is not JSON is refused at the place where it goes wrong",
        arguments: [
            ("", JSONError.Problem.endsEarly, 0), ("  ", .endsEarly, 2), ("{", .endsEarly, 1), ("[1", .endsEarly, 2),
            ("{]", .noName, 1), ("{\"a\"}", .noColon, 4), ("{\"a\":}", .noValue, 5), ("{\"a\":1,}", .noName, 7),
            ("[1,]", .noValue, 3), ("[1 2]", .noCommaOrEnd, 3), ("[1}", .noCommaOrEnd, 2), ("{a:1}", .noName, 1),
            ("{\"a\":1 \"b\":2}", .noCommaOrEnd, 7), ("{} {}", .textBehindTheEnd, 3), ("nul", .endsEarly, 3),
            ("nulL", .badLiteral, 0), ("True", .noValue, 0), ("NaN", .noValue, 0), ("'a'", .noValue, 0),
            ("01", .badNumber, 1), ("1.", .endsEarly, 2), ("1.x", .badNumber, 2), (".5", .noValue, 0),
            ("+1", .noValue, 0),
            ("-", .endsEarly, 1), ("-x", .badNumber, 1), ("1e", .endsEarly, 2), ("1e+", .endsEarly, 3),
            ("0x10", .badNumber, 1), ("\"a", .endsEarly, 2), ("\"a\nb\"", .controlCharacter, 2),
            ("\"\\x\"", .badEscape, 1), ("\"\\u12\"", .endsEarly, 6), ("\"\\u12G4\"", .badEscape, 1),
            ("\"\\ud83d\"", .loneSurrogate, 1), ("\"\\udd11\"", .loneSurrogate, 1),
            ("\"\\ud83d\\u0041\"", .loneSurrogate, 1), ("\"\\ud83dx\"", .loneSurrogate, 1),
            ("[1,2] // note", .textBehindTheEnd, 6), ("\u{0}", .noValue, 0),
        ])
    func malformed(text: String, problem: JSONError.Problem, offset: Int) {
        guard case .malformed(let found, let position) = ReadJSON.error(Array(text.utf8)) else {
            Issue.record("was read: \(text)")
            return
        }
        #expect(found == problem)
        #expect(position.offset == offset)
    }

    @Test(
        "bytes that are not UTF-8 are refused, wherever the string has them",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x94], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE],
            [0xFF],
        ] as [[UInt8]])
    func badUTF8(bytes: [UInt8]) {
        for padding in 0..<9 {
            let start = [UInt8(ascii: "\"")] + Array(repeating: UInt8(ascii: "a"), count: padding)
            guard case .malformed(.badUTF8, let position) = ReadJSON.error(start + bytes + [UInt8(ascii: "\"")]) else {
                Issue.record("was read: \(bytes)")
                return
            }
            #expect(position.offset == start.count)
        }
    }

    @Test("the place is told in lines and in columns of characters")
    func position() {
        let error = ReadJSON.error(Array("{\n  \"ä🔑\": x\n}".utf8))
        guard case .malformed(.noValue, let position) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(position.line == 2)
        #expect(position.column == 9)
        #expect("\(position)" == "line 2, column 9")
    }

    @Test("every truncation of a text is refused")
    func truncations() throws {
        let whole = Array(#"{"a":[1.5e3,true,null,"x\u00e9\ud83d\udd11é🔑"],"b":{"c":false}}"#.utf8)
        #expect(ReadJSON.error(whole) == nil)
        for count in 0..<whole.count {
            #expect(ReadJSON.error(Array(whole[..<count])) != nil, "\(count) bytes")
        }
    }

    @Test("any byte changed gives an answer, never a trap")
    func changedBytes() {
        let whole = Array(#"{"a":[1.5e3,true,"x\u00e9\ud83d\udd11é"],"b":{"c":-1}}"#.utf8)
        for index in whole.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = whole
                changed[index] = byte
                guard let json = try? ReadJSON(changed) else { continue }
                for member in json.tape.members(of: json.tape.root) { _ = json.string(member.name) }
            }
        }
    }

    @Test("nesting is limited, and how deep it is does not matter", arguments: ["[", "{\"a\":", "[{\"a\":"])
    func depth(opening: String) throws {
        let deep = Array(String(repeating: opening, count: 10_000).utf8)
        guard case .tooDeep(limit: 64, _) = ReadJSON.error(deep) else {
            Issue.record("was read")
            return
        }
        let nested = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(ReadJSON.error(Array(nested.utf8), limits: JSONLimits(depth: 10_000)) == nil)
        let allowed = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(ReadJSON.error(Array(allowed.utf8)) == nil)
    }

    @Test("size, strings and the number of values are limited")
    func limits() {
        #expect(ReadJSON.error(Array("[10]".utf8), limits: JSONLimits(size: 3)) == .tooLarge(limit: 3))
        #expect(ReadJSON.error(Array("[1,2]".utf8), limits: JSONLimits(nodes: 2)) == .tooManyValues(limit: 2))
        #expect(ReadJSON.error(Array("[1,2]".utf8), limits: JSONLimits(nodes: 3)) == nil)
        guard
            case .stringTooLong(limit: 4, let position) =
                ReadJSON.error(Array("\"abcde\"".utf8), limits: JSONLimits(stringCount: 4))
        else {
            Issue.record("was read")
            return
        }
        #expect(position.offset == 0)
        #expect(ReadJSON.error(Array("\"abcd\"".utf8), limits: JSONLimits(stringCount: 4)) == nil)
    }

    @Test("messages hold nothing of the text")
    func messages() throws {
        let error = try #require(ReadJSON.error(Array(#"{"secret": "hunter2" x"#.utf8)))
        #expect("\(error)" == "a comma or the closing bracket was expected at line 1, column 22")
    }
}
