import KeyfobInterop
import Testing

@Suite("The credential helpers that git has")
struct GitCredentialChainTests {
    /// Lines as git prints them: scope, origin, key and value.
    private func chain(_ lines: (scope: String, key: String, value: String)...) -> GitCredentialChain {
        let text = lines.map { "\($0.scope)\0file:/\($0.scope)\0\($0.key)\n\($0.value)\0" }.joined()
        return GitCredentialChain(Array(text.utf8))
    }

    private func line(_ value: String, for address: String? = nil) -> GitCredentialChain {
        chain(("global", address.map { "credential.\($0).helper" } ?? "credential.helper", value))
    }

    @Test(
        "a line is for an address, for a part of what is there, or for another",
        arguments: [
            (nil, true), ("https://git.example", true), ("HTTPS://Git.Example:443/", true), ("git.example", true),
            ("https://*.example", true), ("https://git.example/team", true), ("https://ada@git.example", true),
            ("http://git.example", false), ("https://git.example:8443", false), ("https://example", false),
            ("https://*.git.example", false), ("https://git.example.org", false),
        ])
    func reach(address: String?, isThere: Bool) {
        #expect(line("store", for: address).helpers(at: "https://git.example").isEmpty != isThere)
        #expect(line("store", for: address).shared(among: ["https://git.example"]).isEmpty != isThere)
    }

    @Test("an empty line takes back what comes before it, as far as it reaches, and a repository's come last")
    func order() {
        let found = chain(
            ("system", "credential.helper", "a"), ("global", "credential.helper", ""),
            ("global", "credential.helper", "keyfob"), ("global", "credential.https://git.example/team.helper", ""),
            ("global", "credential.https://other.example.helper", ""), ("local", "credential.helper", "store"))
        #expect(found.helpers(at: "https://git.example").map(\.value) == ["keyfob", "store"])
        #expect(found.helpers(at: "https://other.example", isGeneral: true).isEmpty)
        #expect(found.helpers(at: "https://git.example").map(\.scope) == [.general, .repository])
        #expect(found.helpers(at: "https://git.example").map(\.place) == ["/global", "/local"])
        let all = ["https://git.example", "https://other.example"]
        #expect(found.shared(among: all) == ["https://other.example"])
    }

    @Test("what a file says that counts elsewhere alone is taken back too, once")
    func conditions() {
        let condition = (scope: "global", key: "includeif.gitdir:~/w/.path", value: "w")
        let general = (scope: "global", key: "credential.helper", value: "keyfob")
        let address = "https://git.example"
        #expect(chain(condition, general).shared(among: [address]) == [address])
        let own = [
            ("global", "credential.\(address).helper", ""), ("global", "credential.\(address).helper", "keyfob"),
        ]
        #expect(chain(condition, general, own[0], own[1]).shared(among: [address]).isEmpty)
        #expect(chain(general).shared(among: [address]).isEmpty && chain().shared(among: [address]).isEmpty)
    }

    @Test(
        "it is known what becomes of a token",
        arguments: [
            ("store", "~/.git-credentials as they are"), ("store --file /x", "into /x as"),
            ("store --file=/x y", "into /x as"),
            ("cache --timeout=9", "memory"), ("/usr/lib/git-core/git-credential-libsecret", "desktop's keyring"),
            ("!f() { x; }; f", "may keep them"), ("manager", "may keep them"),
        ])
    func keeping(value: String, what: String) {
        let found = line(value).lines.first?.keeping
        #expect(found?.contains(what) == true, "\(found ?? "nothing")")
    }

    @Test(
        "gh keeps none, and Keyfob's own are known",
        arguments: ["!/usr/bin/gh auth git-credential", "!gh auth git-credential"])
    func own(value: String) {
        #expect(line(value).lines.first?.keeping == nil && line(value).lines.first?.isOwn == false)
        for own in ["keyfob", "/o/git-credential-keyfob", "!'/o p/keyfob' helper git"] {
            #expect(line(own).lines.first?.isOwn == true, "\(own)")
        }
    }
}
