import KeyfobModel
import Testing

@Suite("Addresses")
struct ResourceURLTests {
    private static func flaw(_ text: String) -> ResourceURL.Flaw? {
        do {
            _ = try ResourceURL(parsing: text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "host, port and path of a URL are read",
        arguments: [
            ("https://git.example/contoso/app", "git.example/contoso/app"), ("https://git.example", "git.example"),
            ("git.example/contoso", "git.example/contoso"), ("git.example", "git.example"),
            ("git.example:8443/x", "git.example:8443/x"), ("HTTPS://Git.Example/Contoso", "git.example/Contoso"),
            ("https://git.example/", "git.example"), ("https://git.example//a///b/", "git.example/a/b"),
            ("https://git.example/a?b=c/d#e", "git.example/a"), ("https://git.example?x", "git.example"),
            ("https://git.example#x", "git.example"), ("https://git.example/a#b?c", "git.example/a"),
            ("https://git.example:443/a", "git.example/a"), ("https://git.example:00443/a", "git.example/a"),
            ("http://git.example:80/a", "git.example/a"), ("http://git.example:443/a", "git.example:443/a"),
            ("https://git.example:80/a", "git.example:80/a"), ("ssh://git.example:22/a", "git.example/a"),
            ("ssh://git.example:2222/a", "git.example:2222/a"), ("git://git.example:9418/a", "git.example/a"),
            ("https://git.example:65535", "git.example:65535"), ("https://git.example:1", "git.example:1"),
            ("https://git.example./a", "git.example/a"), ("https://10.0.0.1/a", "10.0.0.1/a"),
            ("https://[::1]/a", "[::1]/a"), ("https://[2001:DB8::1]:8443/a", "[2001:db8::1]:8443/a"),
            ("[::1]:8443", "[::1]:8443"), ("https://[::ffff:10.0.0.1]", "[::ffff:a00:1]"),
            ("https://a_b.example/x", "a_b.example/x"), ("https://xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("https://git.example/@scope/pkg", "git.example/@scope/pkg"),
            ("https://git.example/a%20b/%41", "git.example/a%20b/%41"),
            ("https://git.example/a%2Fb", "git.example/a%2Fb"), ("https://git.example/Bücher", "git.example/Bücher"),
            ("https://git.example/a?x=https://user:p@other/", "git.example/a"),
        ])
    func good(text: String, expected: String) throws {
        #expect(try ResourceURL(parsing: text).description == expected)
    }

    @Test(
        "dots are resolved however they are written, and never lead above the host",
        arguments: [
            ("https://h/a/../b", "h/b"), ("https://h/a/./b", "h/a/b"), ("https://h/a/..", "h"), ("https://h/..", "h"),
            ("https://h/../../a", "h/a"), ("https://h/contoso/%2e%2e/other", "h/other"),
            ("https://h/contoso/%2E./other", "h/other"), ("https://h/contoso/.%2e/other", "h/other"),
            ("https://h/contoso/%2e/app", "h/contoso/app"), ("https://h/a/...", "h/a/..."),
            ("https://h/a/.b", "h/a/.b"),
            ("https://h/a/..b", "h/a/..b"), ("https://h/a/%252e%252e", "h/a/%252e%252e"),
            ("https://h/contoso/../contoso2/x", "h/contoso2/x"), ("https://h/a/../", "h"),
        ])
    func dots(text: String, expected: String) throws {
        #expect(try ResourceURL(parsing: text).description == expected)
    }

    @Test(
        "a .git at the end is dropped, unless nothing or dots would be left",
        arguments: [
            ("h/a/app.git", "h/a/app"), ("h/a/app.git/", "h/a/app"), ("h/app.git?x", "h/app"), ("h/.git", "h/.git"),
            ("h/app.git.git", "h/app"), ("h/a.git/b", "h/a.git/b"), ("h/app.GIT", "h/app.GIT"),
            ("h/a/..git", "h/a/..git"),
            ("h/a/...git", "h/a/...git"), ("h/a/%2e%2e.git", "h/a/%2e%2e.git"), ("h/a/.git.git", "h/a/.git"),
        ])
    func suffix(text: String, expected: String) throws {
        #expect(try ResourceURL(parsing: text).description == expected)
    }

    @Test(
        "what is no address is refused, with its reason",
        arguments: [
            ("", .empty), ("https://", .badHost), ("https:///a", .badHost), ("/a/b", .badHost), ("//h/a", .badHost),
            ("ftp://h/a", .unknownScheme), ("file:///a", .unknownScheme), ("javascript://h", .unknownScheme),
            ("https://ada@h/a", .credentials), ("https://ada:secret@h/a", .credentials), ("https://@h", .credentials),
            ("ada@h/a", .credentials), ("git@h:a/b", .credentials), ("https://h@evil@x/", .credentials),
            ("https://h:/a", .badPort), ("https://h:0", .badPort), ("https://h:00000", .badPort),
            ("https://h:65536", .badPort), ("https://h:99999999999999999999", .badPort), ("https://h:44x", .badPort),
            ("https://h:-1", .badPort), ("https://h:+1", .badPort), ("https://h:1:2", .badPort), ("h:a/b", .badPort),
            ("https://h:４４３", .badPort), ("https://[::1]:x", .badPort),
            ("https://a..b", .badHost), ("https://.a", .badHost), ("https://.", .badHost), ("https://a..", .badHost),
            ("https://h%2ex", .badHost), ("https://bücher.example", .badHost), ("https://h*", .badHost),
            ("https://\(String(repeating: "a", count: 64)).example", .badHost),
            ("https://\(Array(repeating: "abcdefg", count: 32).joined(separator: "."))", .badHost),
            ("https://[::1", .badHost), ("https://[::1]x", .badHost), ("https://[]", .badHost),
            ("https://[::1%25eth0]", .badHost), ("https://[1:2:3]", .badHost), ("https://[g::1]", .badHost),
            // What ends in a number is an address.
            ("https://127.1", .badHost), ("https://0x7f.1/a", .badHost), ("https://2130706433", .badHost),
            ("0", .badHost),
            ("https://0177.0.0.1", .badHost), ("https://1.2.3.04", .badHost), ("https://256.1.1.1", .badHost),
            ("https://1.2.3.4.5", .badHost), ("https://a.example.1", .badHost), ("https://a.0x", .badHost),
            ("https://a.0xAF.", .badHost), ("https://1.2.3.4..", .badHost),
            ("https://h/a b", .forbiddenCharacter), ("https://h/a\tb", .forbiddenCharacter),
            ("https://h/a\n", .forbiddenCharacter), (" https://h", .forbiddenCharacter), ("h\\a", .forbiddenCharacter),
            ("https://h/\u{0}", .forbiddenCharacter), ("https://h/\u{7F}", .forbiddenCharacter),
            ("https://h/\u{A0}", .forbiddenCharacter), ("https://h/\u{202E}a", .forbiddenCharacter),
            ("https://h/\u{9B}", .forbiddenCharacter), ("https://h/\u{3000}", .forbiddenCharacter),
            ("https://h/%", .badPercentEncoding), ("https://h/%4", .badPercentEncoding),
            ("https://h/%zz/a", .badPercentEncoding), ("https://h/a%2/", .badPercentEncoding),
            ("https://h/contoso/%2e%2e%2fother", .ambiguousPath), ("https://h/contoso/..%2Fother", .ambiguousPath),
            ("https://h/a%2f..", .ambiguousPath), ("https://h/contoso/..%5cother", .ambiguousPath),
            ("https://h/evil/a//../../contoso", .ambiguousPath),
            ("https://h/" + String(repeating: "a", count: 2_039), .tooLong),
        ] as [(String, ResourceURL.Flaw)])
    func bad(text: String, flaw: ResourceURL.Flaw) {
        #expect(Self.flaw(text) == flaw)
    }

    @Test("the longest address that is read has 2,048 bytes")
    func longest() throws {
        let text = "https://h/" + String(repeating: "a", count: 2_038)
        #expect(try ResourceURL(parsing: text).path.first?.utf8.count == 2_038)
    }

    @Test(
        "IPv6 addresses are told from what looks like them",
        arguments: [
            ("::", true), ("::1", true), ("1::", true), ("1:2:3:4:5:6:7:8", true), ("1:2:3:4:5:6:7::", true),
            ("::2:3:4:5:6:7:8", true), ("1::8", true), ("fe80::1", true), ("1:2:3:4:5:6:1.2.3.4", true),
            ("::1.2.3.4", true), (":1.2.3.4", false), ("1:2.3.4.5", false), ("::01.2.3.4", false), ("1::1.2.3.4", true),
            ("1:2:3:4:5:6:7", false), ("1:2:3:4:5:6:7:8:9", false),
            ("1::2::3", false), (":::", false), (":1:2:3:4:5:6:7", false), ("1:2:3:4:5:6:7:", false), (":", false),
            ("1", false), ("1.2.3.4", false), ("::12345", false), ("::1.2.3", false), ("::1.2.3.256", false),
            ("1.2.3.4::", false), ("1:2:3:4:5:6:7:1.2.3.4", false), ("::g", false), ("1:2:3:4:5:6:7:8::", false),
        ])
    func addresses(text: String, isAddress: Bool) {
        #expect((Self.flaw("https://[\(text)]/") == nil) == isAddress)
    }

    @Test(
        "an IPv6 address has one spelling",
        arguments: [
            ("0:0:0:0:0:0:0:1", "::1"), ("::0001", "::1"), ("0:0:0:0:0:0:0:0", "::"), ("FE80:0:0:0:0:0:0:A", "fe80::a"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:0:2:3:0:0:4", "1::2:3:0:0:4"),
            ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("::ffff:1.2.3.4", "::ffff:102:304"), ("1:2::", "1:2::"),
            ("0:0:1::", "0:0:1::"),
        ])
    func oneSpelling(text: String, expected: String) throws {
        #expect(try ResourceURL(parsing: "https://[\(text)]").host == "[\(expected)]")
    }

    @Test(
        "a git remote's host is the one that git calls",
        arguments: [
            ("git@h.example:a/b", "h.example/a/b"), ("a@b@h.example:c", "h.example/c"),
            ("u:p@h.example:a", "u/p@h.example:a"),
            ("git@[::1]:a", "[::1]/a"), ("[h.example:22]:a", "h.example/a"), ("[h.example:2222]:a", "h.example:2222/a"),
            ("u:p@[::1]:a", "[::1]/a"),
            ("git@h.example://a", nil), ("h::a", nil), ("./h:a", nil), ("git@h.example:a#b", nil), ("git@:a", nil),
        ] as [(String, String?)])
    func remotes(text: String, expected: String?) {
        #expect(ResourceURL(gitRemote: text)?.description == expected)
    }

    @Test(
        "no flaw repeats a secret",
        arguments: ["https://ada:hunter2@h/a", "https://h:hunter2", "https://h/hunter2%", "https://h/hunter2 x"])
    func secrecy(text: String) throws {
        let flaw = try #require(Self.flaw(text))
        #expect(!"\(flaw)".contains("hunter2"))
    }

    @Test(
        "every truncation of an address is read or refused, and what is read reads the same again",
        arguments: [
            "https://ada:secret@git.example:8443/contoso/%2e%2E/a%2Fb/app.git/?query=1#fragment",
            "ssh://[2001:db8::ffff:10.0.0.1]:2222/a//../b.git", "git@[::1]:owner/repo.git", "höst.example/ü/..%5c",
        ])
    func truncations(text: String) throws {
        for count in 0...text.utf8.count {
            let part = String(decoding: text.utf8.prefix(count), as: UTF8.self)
            _ = ResourceURL(gitRemote: part)
            guard let url = try? ResourceURL(parsing: part) else { continue }
            #expect(!url.description.contains("secret"))
            let subject = Binding.Subject.address(url)
            #expect(Binding.Subject(kind: subject.kind, text: subject.text) == subject)
        }
    }

    @Test(
        "a git remote is read, without user and password",
        arguments: [
            ("https://git.example/contoso/app.git", "git.example/contoso/app"),
            ("https://ada:secret@git.example/contoso/app.git", "git.example/contoso/app"),
            ("https://ada@corp.example:p@ss@git.example/a", "git.example/a"),
            ("git@git.example:contoso/app.git", "git.example/contoso/app"),
            ("git.example:contoso/app", "git.example/contoso/app"),
            ("ada@git.example:/srv/app.git", "git.example/srv/app"), ("work:contoso/app", "work/contoso/app"),
            ("ssh://git@git.example/contoso/app.git", "git.example/contoso/app"),
            ("ssh://git@git.example:2222/contoso/app.git", "git.example:2222/contoso/app"),
            ("git+ssh://git@git.example/a", "git.example/a"), ("git://git.example/a", "git.example/a"),
            ("git@[::1]:a/b", "[::1]/a/b"), ("git@[git.example:2222]:a/b", "git.example:2222/a/b"),
            ("git@git.example:~ada/app", "git.example/~ada/app"), ("git@git.example:", "git.example"),
        ])
    func remotes(text: String, expected: String) {
        #expect(ResourceURL(gitRemote: text)?.description == expected)
    }

    @Test(
        "a local path is no address of a git remote, nor is another program's",
        arguments: [
            "", "/srv/git/app.git", "./app", "../app", "app", "a/b", "a/b:c", "~/app", "file:///srv/app",
            "ext::sh -c x",
            "codecommit::eu://app", "C:\\app", ":a", "@:a", "git@:a", "git@host", "git@h:a?b", "git@h:a#b", "git@h:%",
            "[::1", "git@[]:a", "git@[::1]a", "https://", "https://@", "http://h:0/",
        ])
    func localPaths(text: String) {
        #expect(ResourceURL(gitRemote: text) == nil)
    }
}
