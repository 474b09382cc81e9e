import KeyfobModel
import Testing

@Suite("JSON strings")
struct JSONTextTests {
    @Test(
        "escapes are resolved",
        arguments: [
            (#""""#, ""), (#""plain""#, "plain"), (#""\u0041""#, "A"),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u00e9\u00E9é""#, "ééé"), (#""\u20ac""#, "€"), (#""\ud83d\udd11""#, "🔑"), (#""\uD83D\uDD11x""#, "🔑x"),
            (#""\udbff\udfff""#, "\u{10FFFF}"), (#""\ud800\udc00""#, "\u{10000}"), (#""\u0000""#, "\u{0}"),
            (#""\uffff\ud7ff\ue000""#, "\u{FFFF}\u{D7FF}\u{E000}"),
            ("\"\u{7F}\u{80}\u{7FF}\u{800}\"", "\u{7F}\u{80}\u{7FF}\u{800}"),
        ])
    func escapes(json: String, text: String) throws {
        let read = try ReadJSON(json)
        let found = try #require(read.tape.text(of: read.tape.root))
        #expect(read.string(read.tape.root) == text)
        #expect(found.hasEscapes == json.contains("\\"))
        #expect(found.decodedCount(in: RawSpan(_elements: read.bytes.span)) == text.utf8.count)
    }

    @Test("an escape is found wherever it is in a block of eight bytes", arguments: 0..<20)
    func escapeAtEveryPlace(place: Int) throws {
        let start = String(repeating: "x", count: place)
        let read = try ReadJSON("\"" + start + "\\n" + start + "ü\"")
        #expect(read.string(read.tape.root) == start + "\n" + start + "ü")
    }

    @Test("what must be escaped is, wherever it is", arguments: 0..<20)
    func writtenEscapeAtEveryPlace(place: Int) throws {
        let text = String(repeating: "ü", count: place) + "\"" + String(repeating: "x", count: 19 - place)
        var writer = JSONWriter()
        writer.string(text)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "\"\(text.replacing("\"", with: "\\\""))\"")
    }

    @Test("what the writer writes, the reader reads")
    func writer() throws {
        let text = (0..<0x180).compactMap(Unicode.Scalar.init).map(String.init).joined() + "🔑"
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("text")
        writer.string(text)
        writer.name("list")
        writer.beginArray()
        writer.integer(.min)
        writer.bool(true)
        writer.beginObject()
        writer.endObject()
        writer.raw("1.50")
        writer.endArray()
        writer.endObject()
        let read = try ReadJSON(writer.bytes)
        #expect(try read.string(#require(read.member("text"))) == text)
        #expect(try read.raw(#require(read.member("list"))) == "[-9223372036854775808,true,{},1.50]")
    }

    @Test("the writer escapes what must be and nothing else")
    func minimalEscapes() {
        var writer = JSONWriter()
        writer.string("/é\u{7F}\u{2028}\"\\\u{1F}\u{0}\u{B}\t")
        let written = String(decoding: writer.bytes, as: UTF8.self)
        #expect(written == "\"/é\u{7F}\u{2028}\\\"\\\\\\u001f\\u0000\\u000b\\t\"")
    }
}
