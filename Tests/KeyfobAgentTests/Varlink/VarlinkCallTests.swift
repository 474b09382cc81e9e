import Keyfob
import KeyfobSodium
import Testing

@testable import KeyfobAgent

/// What a message says, and what makes none.
@Suite("Calls by varlink")
struct VarlinkCallTests {
    private func read(_ text: String) -> VarlinkCall? {
        Array(text.utf8).withBytes { try? VarlinkCall(reading: $0) }
    }

    @Test("A call has a method, parameters and flags")
    func whole() throws {
        let call = try #require(
            read(
                #"{"method":"a.b.C","parameters":{"s":"x\u00e9","l":["1","2"],"n":7,"b":true,"k":"AAEC"},"more":true}"#)
        )
        #expect(call.method == "a.b.C")
        #expect(call.wantsMore && !call.isOneway && !call.wantsUpgrade)
        #expect(try call.parameters.string("s") == "xé")
        #expect(try call.parameters.strings("l") == ["1", "2"])
        #expect(try call.parameters.integer("n") == 7)
        #expect(try call.parameters.bool("b"))
        #expect(try !call.parameters.bool("none"))
        let key = try call.parameters.secret("k")
        #expect(key.withBytes { [UInt8]($0) } == [0, 1, 2])
    }

    @Test(
        "Parameters may be left out, or be null", arguments: ["", #","parameters":null"#, #","parameters":{"s":null}"#])
    func without(part: String) throws {
        let call = try #require(read(#"{"method":"a.B"\#(part)}"#))
        #expect(try call.parameters.string("s") == nil)
        #expect(!call.wantsMore)
    }

    @Test("A parameter of another kind is invalid, by its name")
    func kinds() throws {
        let parameters = try #require(read(#"{"method":"a.B","parameters":{"p":{},"n":1.5,"l":["a",1],"b":"true"}}"#))
            .parameters
        #expect(throws: VarlinkParameters.Invalid.self) { try parameters.string("p") }
        #expect(throws: VarlinkParameters.Invalid.self) { try parameters.integer("n") }
        #expect(throws: VarlinkParameters.Invalid.self) { try parameters.strings("l") }
        #expect(throws: VarlinkParameters.Invalid.self) { try parameters.bool("b") }
        #expect(throws: VarlinkParameters.Invalid.self) { _ = try parameters.secret("p") }
        #expect(throws: VarlinkParameters.Invalid.self) { _ = try parameters.secret("none") }
    }

    @Test(
        "What is no call is none",
        arguments: [
            "", "{", "[]", "7", #"{"parameters":{}}"#, #"{"method":7}"#, #"{"method":"a","parameters":[]}"#,
            #"{"method":"a","more":"yes"}"#, #"{"method":"a"} x"#,
        ])
    func malformed(text: String) { #expect(read(text) == nil) }

    @Test("Deep and wide JSON is none")
    func large() {
        let (deep, wide) = (String(repeating: "[", count: 100_000), String(repeating: "1,", count: 20_000))
        let nested = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
        for value in [deep, "[\(wide)1]", nested] {
            let isRead = read(#"{"method":"a","parameters":{"p":\#(value)}}"#) != nil
            #expect(!isRead)
        }
    }

    @Test("Text that is no UTF-8 is none")
    func encoding() {
        let bytes = Array(#"{"method":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        #expect(bytes.withBytes { try? VarlinkCall(reading: $0) } == nil)
    }

    @Test("A reply with a secret is JSON, whatever the secret has in it")
    func secretReply() throws {
        let secret = Array("a\"b\\c\ne".utf8).withBytes { SecretBytes(copying: $0) }
        let message = try #require(VarlinkMessage.reply("token", secret) { $0.member("group", "default") })
        let text = message.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
        #expect(text == #"{"parameters":{"group":"default","token":"a\"b\\c\ne"}}"# + "\0")
        let binary = [0xFF, 0xFE].withBytes { SecretBytes(copying: $0) }
        #expect(VarlinkMessage.reply("token", binary) { _ in } == nil)
    }

    @Test("An error has its code, what to do, and what belongs to it")
    func errors() {
        func text(_ code: KeyringError.Code) -> String {
            VarlinkMessage.error(KeyringError(code, "why", candidates: ["ada"]), hint: "do").withBytes {
                String(decoding: [UInt8]($0), as: UTF8.self)
            }
        }
        let base = #""parameters":{"message":"why","code":"#
        let about = #""hint":"do","candidates":["ada"],"names":["ada"]"#
        #expect(text(.locked) == #"{"error":"io.keyfob.Agent.Locked",\#(base)"locked",\#(about)}}"# + "\0")
        #expect(text(.ambiguous).hasSuffix(about + "}}\0"))
        #expect(text(.throttled).hasPrefix(#"{"error":"io.keyfob.Agent.TryAgain","#))
        #expect(text(.diskFull).contains(#"io.keyfob.Agent.Failed"#))
        #expect(text(.noSuchGroup).contains(#"io.keyfob.Agent.NotFound"#))
    }
}
