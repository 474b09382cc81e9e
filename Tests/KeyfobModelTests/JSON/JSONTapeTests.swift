import KeyfobModel
import Testing

@Suite("JSON tape")
struct JSONTapeTests {
    @Test(
        "every kind of value is recognised",
        arguments: [
            ("null", JSONKind.null), ("true", .true), ("false", .false), ("0", .number), ("-0.5e+10", .number),
            ("1E400", .number), ("\"\"", .string), ("[]", .array), ("{}", .object), (" \t\r\n[ ] ", .array),
        ])
    func kinds(text: String, kind: JSONKind) throws {
        let json = try ReadJSON(text)
        #expect(json.tape.kind(of: json.tape.root) == kind)
    }

    @Test("members and elements come in their order with their exact text")
    func structure() throws {
        let json = try ReadJSON(#"{"a": [1, {"b": []}, "x"], "c" : {"d":{"e":null}}, "f": 1.50}"#)
        let members = Array(json.tape.members(of: json.tape.root))
        #expect(members.map { json.string($0.name) } == ["a", "c", "f"])
        #expect(members.map { json.raw($0.value) } == [#"[1, {"b": []}, "x"]"#, #"{"d":{"e":null}}"#, "1.50"])
        #expect(json.tape.elements(of: members[0].value).map(json.raw) == ["1", #"{"b": []}"#, "\"x\""])
        #expect(Array(json.tape.elements(of: members[1].value)).isEmpty)
        #expect(Array(json.tape.members(of: members[0].value)).isEmpty)
    }

    @Test("a byte order mark at the start is skipped, elsewhere it is an error")
    func byteOrderMark() throws {
        let json = try ReadJSON([0xEF, 0xBB, 0xBF] + Array("{}".utf8))
        #expect(json.tape.range(of: json.tape.root) == 3..<5)
        #expect(ReadJSON.error(Array("{} \u{FEFF}".utf8)) != nil)
        #expect(ReadJSON.error([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF, 0x31]) != nil)
    }

    @Test("numbers keep every digit they were written with")
    func numbers() throws {
        let digits = "-" + String(repeating: "9", count: 5_000) + ".0e-99999999999"
        let json = try ReadJSON("[\(digits)]")
        #expect(json.tape.elements(of: json.tape.root).map(json.raw) == [digits])
    }

    @Test("a node takes sixteen bytes")
    func nodeSize() {
        #expect(JSONTape.nodeStride == 16)
    }

    @Test("of a repeated name the last one counts, and the others are reported", arguments: [2, 3, 16, 17, 60])
    func duplicates(count: Int) throws {
        let others = (2..<count).map { #""n\#($0)":0"# }
        let text = "{" + ([#""same":1"#] + others + [#""s\u0061me":2"#]).joined(separator: ",") + "}"
        let json = try ReadJSON(text)
        let value = try #require(json.member("same"))
        #expect(json.raw(value) == "2")
        #expect(json.tape.duplicates.map { json.string($0.superseded) } == ["same"])
        #expect(json.tape.duplicates.map { json.raw($0.winner) } == [#""s\u0061me""#])
        #expect(json.tape.duplicates.map(\.object) == [json.tape.root])
        #expect(Array(json.tape.members(of: json.tape.root)).count == count - 1)
        let all = Array(json.tape.members(of: json.tape.root, includingSuperseded: true))
        #expect(all.map(\.isSuperseded) == [true] + Array(repeating: false, count: count - 1))
    }

    @Test("a name that comes many times is reported each time", arguments: [3, 40])
    func manyDuplicates(count: Int) throws {
        let json = try ReadJSON("{" + (0..<count).map { #""a":\#($0)"# }.joined(separator: ",") + "}")
        #expect(json.tape.duplicates.count == count - 1)
        #expect(json.member("a").map(json.raw) == "\(count - 1)")
    }

    @Test("names that differ in case or in one letter are different")
    func similarNames() throws {
        #expect(try ReadJSON(#"{"a":1,"A":2,"ab":3,"ac":4,"\u0001":5,"\u0002":6}"#).tape.duplicates.isEmpty)
    }
}
