import Foundation
@testable import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Testing

@Suite("The description of a provider that is added")
struct ProviderDescriptionInputTests {
    private static let whole = """
        {"formatVersion": 1, "name": "contoso", "title": "Contoso", "issuer": "https://sso.contoso.example/staff",
        "environment": "sso.contoso.example", "discovery": true, "clientIDs": ["keyfob"],
        "endpoints": {"device_authorization_endpoint": "https://sso.contoso.example/device"},
        "defaultScopes": ["openid"], "flows": ["authorizationCode"], "rotation": "yes", "quirks": ["clientInfo"]}
        """

    private func refusal(_ text: [UInt8]) -> KeyringError? {
        failure(of: KeyringError.self) { _ = try ProviderDocument.read(text) }
    }

    @Test("a whole one is read, and what is written of it is read as the same")
    func roundTrip() throws {
        let read = try ProviderDocument.read(Array(Self.whole.utf8))
        #expect(read.name == "contoso" && read.environment == "sso.contoso.example")
        #expect(try ProviderDocument.read(read.json) == read)
    }

    @Test("every built-in one is read from what is written of it")
    func builtIn() throws {
        for provider in ProviderRegistry.builtIn {
            #expect(try ProviderDocument.read(provider.document) == provider.description)
        }
    }

    @Test("the valid examples of the schema are read and the invalid ones are not", arguments: ["valid", "invalid"])
    func examples(kind: String) throws {
        let tests = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        let folder = tests.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Schemas/examples/provider")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(kind + "-") }
        #expect(names.count >= 3)
        for name in names {
            let error = refusal([UInt8](try Data(contentsOf: folder.appending(path: name))))
            #expect((error == nil) == (kind == "valid"), "\(name): \(error?.description ?? "read")")
        }
    }

    @Test("cut at any place it is refused, as damaged")
    func truncated() {
        let bytes = Array(Self.whole.utf8)
        for count in bytes.indices { #expect(refusal(Array(bytes[..<count]))?.code == .damaged, "\(count)") }
    }

    @Test("with any bit flipped it is refused, or read as what can be written again")
    func flipped() throws {
        let bytes = Array(Self.whole.utf8)
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << bit
                guard let read = try? ProviderDocument.read(flipped) else { continue }
                #expect(ProviderRules.problem(of: read) == nil)
                #expect(try ProviderDocument.read(read.json) == read)
            }
        }
    }

    @Test(
        "the hosts of a built-in provider are nobody else's, and nothing is added to them",
        arguments: [
            ("sso.contoso.example", "api.github.com"), ("sso.contoso.example", "*.azure.net"),
            ("sso.contoso.example", "x.vault.azure.net"), ("sso.contoso.example", "login.windows.net"),
            ("sso.contoso.example", "gitlab.com"), ("github.com", "api.evil.example"),
        ])
    func foreignHost(environment: String, host: String) throws {
        var description = try ProviderDocument.read(Array(Self.whole.utf8))
        description.environment = environment
        description.apiHosts = [try #require(HostPattern(host))]
        #expect(ProviderRules.problem(of: description)?.contains(host) == true)
        description.environment = "sso.contoso.example"
        description.apiHosts = [try #require(HostPattern("*.contoso.example"))]
        #expect(ProviderRules.problem(of: description) == nil)
    }

    @Test(
        "what is wrong is said",
        arguments: [
            ("{", "is not JSON: the text ends early at line 1, column 2"), ("", "is empty"), ("[]", "not an object"),
            (#"{"formatVersion": 1, "nme": "x"}"#, "unknown member 'nme'"),
            (#"{"formatVersion": 1, "endpoints": {"tokens": "x"}}"#, "unknown member 'tokens'"),
            (#"{"\u001b[31m": 1}"#, "unknown member of a name nobody has"),
            (#"{"formatVersion": 1}"#, "lacks 'name'"), (#"{"formatVersion": 1, "name": 7}"#, "lacks 'name'"),
            (#"{"formatVersion": 1, "name": "x", "name": "y"}"#, "has a member twice"),
            (
                whole.replacing("https://sso.contoso.example/device", with: "http://127.0.0.1:8080/device"),
                "no usable 'endpoints'"
            ),
            (#"{"formatVersion": 1, "issuer": "http://sso.example"}"#, "no usable 'issuer'"),
        ])
    func messages(text: String, words: String) throws {
        let error = try #require(refusal(Array(text.utf8)))
        #expect(error.message.contains(words), "\(error)")
        #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test(
        "a member that will not do is refused",
        arguments: [
            (#""name": "contoso""#, #""name": "Contoso Ltd""#), (#""name": "contoso""#, #""name": "a:b""#),
            (#""name": "contoso""#, #""name": "\u0007""#), (#""name": "contoso""#, #""name": "-x""#),
            (#""title": "Contoso""#, #""title": "Con\u202etoso""#), (#""title": "Contoso""#, #""title": " ""#),
            ("\"sso.contoso.example\"", "\"SSO.contoso.example\""), ("\"sso.contoso.example\"", "\"a@b\""),
            ("\"sso.contoso.example\"", "\"sso.contoso.example/x\""), ("\"sso.contoso.example\"", "\"a b\""),
            ("/staff\"", "/staff?x=1\""), ("/staff\"", "/staff#x\""), ("https://sso.contoso.example/staff", "//x"),
            ("https://sso.contoso.example/staff", "https://ada:pw@sso.contoso.example"),
            (#"["openid"]"#, #"["open id"]"#), (#"["openid"]"#, #"["open\"id"]"#), (#"["openid"]"#, "[1]"),
            (#"["authorizationCode"]"#, "[]"), (#""rotation": "yes""#, #""rotation": true"#),
            (#""discovery": true"#, #""discovery": "true""#), (#""discovery": true"#, #""discovery": false"#),
        ])
    func members(part: String, other: String) {
        #expect(Self.whole.contains(part))
        let error = refusal(Array(Self.whole.replacing(part, with: other).utf8))
        #expect(error?.code == .damaged, "\(error?.description ?? "read")")
    }

    @Test("what is large or deep is refused at once")
    func huge() {
        let nested = String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000)
        #expect(refusal(Array(#"{"name": \#(nested)}"#.utf8))?.code == .damaged)
        let long = Self.whole.replacing("Contoso", with: String(repeating: "x", count: 70_000))
        #expect(refusal(Array(long.utf8))?.code == .limitExceeded)
        let many = (0..<5_000).map { "\"m\($0)\":1" }.joined(separator: ",")
        #expect(refusal(Array("{\(many)}".utf8))?.code == .damaged)
    }

    @Test("one of another format is no damage")
    func otherVersion() {
        let text = Self.whole.replacing("\"formatVersion\": 1", with: "\"formatVersion\": 2")
        #expect(refusal(Array(text.utf8))?.code == .newerVersion)
    }
}
