import KeyfobTestSupport
import Testing

@testable import KeyfobNetwork

@Suite("Streams of events")
struct EventStreamTests {
    private static let text =
        "\u{FEFF}: remark\r\ndata: {\"a\":\r\ndata:1}\r\nid: é1\r\n\r\nretry: 250\n\nevent: endpoint\rdata\rdata: x\r\rid\ndata: y\n\nid: 3\n\ndata: cut"

    private static func events(_ parts: [[UInt8]]) throws -> ([EventStream.Event], EventStream) {
        var stream = EventStream(limit: 1_000)
        var events: [EventStream.Event] = []
        for part in parts { events += try stream.take(part) }
        return (events, stream)
    }

    @Test("are the same events however they come in pieces, and what is cut is none")
    func pieces() throws {
        let bytes = Array(Self.text.utf8)
        let (events, stream) = try Self.events([bytes])
        #expect(
            events == [
                .init(name: "message", id: "é1", data: Array("{\"a\":\n1}".utf8)),
                .init(name: "endpoint", id: "é1", data: Array("\nx".utf8)),
                .init(name: "message", id: nil, data: Array("y".utf8)),
            ])
        // One that names an event and says nothing moves on where somebody goes on.
        #expect(stream.lastID == "3" && stream.retry == 250)
        for index in bytes.indices {
            #expect(try Self.events([Array(bytes[..<index]), Array(bytes[index...])]).0 == events)
            #expect(try events.starts(with: Self.events([Array(bytes[..<index])]).0))
        }
        #expect(try Self.events(bytes.map { [$0] }).0 == events)
    }

    @Test("have a limit, and no id that a header could not have")
    func limits() throws {
        for text in ["data: " + String(repeating: "x", count: 1_000), String(repeating: "data: x\n", count: 501)] {
            #expect(throws: EventStream.TooLong.self) { try Self.events([Array(text.utf8)]) }
        }
        #expect(try Self.events([Array("id: a\u{0}b\nid: c\u{1}\ndata: x\n\n".utf8)]).0.first?.id == nil)
    }
}

@Suite("Messages that a bridge passes on")
struct BridgeMessageTests {
    private static func read(_ text: String) throws(BridgeMessage.Flaw) -> BridgeMessage {
        try BridgeMessage(reading: Array(text.utf8), limit: 1 << 20)
    }

    @Test("are known by what they answer, however an id is written")
    func ids() throws {
        let one = try Self.read(#"{"jsonrpc":"2.0","id":"\u0061","method":"tools/call"}"#)
        let answer = try Self.read(#"{"jsonrpc":"2.0","id":"a","result":{}}"#)
        #expect(one.requests.first == answer.answered.first ?? nil)
        #expect(one.requests.first?.text == #""\u0061""#)
        #expect(try one.requests != Self.read(#"{"id":"b","method":"x"}"#).requests)
        #expect(try Self.read(#"{"id":1,"method":"x"}"#).requests != Self.read(#"{"id":"1","method":"x"}"#).requests)
        let batch = try Self.read(
            #"[{"id":1,"method":"ping"},{"method":"notifications/cancelled","params":{"requestId":7}}]"#)
        #expect(batch.requests.map(\.text) == ["1"] && batch.cancelled.map(\.text) == ["7"] && batch.isRepeatable)
        #expect(!one.isRepeatable)
        #expect(
            BridgeMessage.error(-1, "a \"b\"\n", to: one.requests.first)
                == Array(#"{"jsonrpc":"2.0","id":"\u0061","error":{"code":-1,"message":"a \"b\"\n"}}"#.utf8))
        #expect(BridgeMessage.line(Array("{\r\n}".utf8)) == Array("{  }\n".utf8))
    }

    @Test(
        "are told from what is none",
        arguments: [
            ("", BridgeMessage.Flaw.syntax), ("{", .syntax), ("nul", .syntax), ("null", .notMessage),
            ("[]", .notMessage), ("[1]", .notMessage), ("{}", .notMessage), (#"{"method":1}"#, .notMessage),
            (#"{"method":"x","id":null}"#, .notMessage), (#"{"method":"x","id":[1]}"#, .notMessage),
            (#"{"id":1}"#, .notMessage),
        ])
    func flaws(text: String, flaw: BridgeMessage.Flaw) {
        #expect(throws: flaw) { try Self.read(text) }
    }

    @Test("say what headers repeat")
    func stamps() throws {
        let meta = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
        let read = try Self.read(#"{"id":1,"method":"resources/read","params":{"uri":"file:///é",\#(meta)}}"#)
        #expect(read.stamp?.method == "resources/read" && read.stamp?.stamp.name == "file:///é")
        #expect(read.stamp?.stamp.version == "2026-07-28")
        #expect(try Self.read(#"{"id":1,"method":"ping","params":{}}"#).stamp == nil)
    }
}
