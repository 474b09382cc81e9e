import Foundation
@testable import KeyfobCLI
import KeyfobTestSupport
import Testing

@Suite("A secret in a JSON document")
struct SecretInJSONTests {
    private struct Document: JSONDocument, Codable, Equatable {
        var formatVersion: Int { 1 }
        let name: String
        let token: String
        var token2: String?
    }

    private func written(_ document: Document, _ token: [UInt8]) throws -> Data {
        var data = Data()
        try SecretInJSON(document, at: "token").write(secret(token)) { piece in
            unsafe piece.withUnsafeBytes { unsafe data.append(contentsOf: $0) }
        }
        return data
    }

    @Test(
        "is the text that was kept, whatever is in it and beside it",
        arguments: [
            "token", "", "\"", "\\", "\\\"", "a\"b\\c", "\"\"", "tökén 👍", "a/b", "\u{0}\u{1F}\u{7F}", "\\u0041",
            String(repeating: "x\"", count: 5_000),
        ])
    func whole(secret: String) throws {
        for name in ["ada", "\"token\" : \"\"", "x\"token", "\\", "\u{202E}"] {
            let data = try written(Document(name: name, token: ""), Array(secret.utf8))
            #expect(try JSONDecoder().decode(Document.self, from: data) == Document(name: name, token: secret))
            #expect(data.last == 10)
        }
    }

    @Test(
        "is refused where it is no text, before anything is written", arguments: [[0xFF], [0x61, 0xC3]] as [[UInt8]])
    func notText(secret: [UInt8]) {
        #expect(throws: (any Error).self) { try written(Document(name: "a", token: ""), secret) }
    }

    @Test("a document without its place is a fault")
    func noPlace() {
        #expect(throws: (any Error).self) { try written(Document(name: "a", token: "x"), [1]) }
    }
}
