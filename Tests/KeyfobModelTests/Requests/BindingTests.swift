import KeyfobModel
import Testing

@Suite("Bindings")
struct BindingTests {
    private static func account(_ text: String) throws -> Binding.Target {
        .account(try #require(AccountID(text)))
    }

    @Test(
        "a subject's kind and text give the subject back",
        arguments: [
            .directory("/"), .directory("/home/ada/a:b *"), .host("git.example:8443"), .host("git.example:443"),
            .host("[::1]"), .url(ResourceURL(host: "git.example", path: ["contoso", "a%2Fb"])), .tool("gh"),
        ] as [Binding.Subject])
    func roundTrip(subject: Binding.Subject) {
        #expect(Binding.Subject(kind: subject.kind, text: subject.text) == subject)
    }

    @Test(
        "what is no subject's text is refused",
        arguments: [
            ("directory", "relative"), ("directory", ""), ("url", "git.example"), ("host", "git.example/a"),
            ("host", "Git.example"), ("host", "a b"), ("url", "git.example/a/../b"), ("tool", ""), ("tool", "/bin/sh"),
            ("tool", " "), ("tool", "a\u{7}"), ("owner", "contoso"), ("", ""),
        ])
    func nonsense(kind: String, text: String) {
        #expect(Binding.Subject(kind: kind, text: text) == nil)
    }

    @Test("an address without a path is a host")
    func hosts() throws {
        #expect(Binding.Subject.address(try ResourceURL(parsing: "https://Git.example/")) == .host("git.example"))
    }

    @Test(
        "a target's text gives the target back, and tells the provider",
        arguments: [("none", nil), ("ada@git.example", "git.example"), ("a@b@git.example:8443", "git.example:8443")])
    func targets(text: String, environment: String?) throws {
        let target = try #require(Binding.Target(text: text))
        #expect(target.text == text)
        #expect(target.environment == environment)
    }

    @Test("a text that names no account is no target", arguments: ["", "ada", "@", "ada@", "@h", "NONE"])
    func noTargets(text: String) {
        #expect(Binding.Target(text: text) == nil)
    }

    @Test(
        "the binding of a file gives way to the keyring's of the same directory, provider by provider",
        arguments: [
            ("/a", "ada@git.example", "bob@git.example", false), ("/a", "ada@git.example", "bob@other.example", true),
            ("/a", "none", "bob@git.example", false), ("/a", "ada@git.example", "none", false),
            ("/b", "ada@git.example", "bob@git.example", true), ("/b", "none", "none", true),
        ])
    func precedence(directory: String, own: String, file: String, counts: Bool) throws {
        let kept = Binding(
            .directory(directory), to: try #require(.init(text: own)), from: .keyring(.default))
        let allowed = Binding(
            .directory("/a"), to: try #require(.init(text: file)), from: .file("/a/.keyfob.toml", .default))
        #expect(Binding.combined([kept], with: [allowed]) == (counts ? [kept, allowed] : [kept]))
        #expect(Binding.combined([kept], with: []) == [kept])
    }

    @Test("the order is that of the kinds, whatever the order of input")
    func order() throws {
        let ada = try Self.account("ada@git.example")
        let sorted = [
            .directory("/b"), .url(ResourceURL(host: "a", path: ["z"])), .host("a"), .tool("a"), .tool("b"),
        ].map { Binding($0, to: ada, from: .keyring(.default)) }
        #expect(sorted.reversed().sorted() == sorted)
    }
}
