@testable import KeyfobLookup
import Testing

@Suite("Patterns in git's configuration")
struct GitPatternTests {
    @Test(
        "they stand for what they stand for in git",
        arguments: [
            ("/a/b", "/a/b", true), ("/a/b", "/a/b/c", false), ("/a/*", "/a/b", true), ("/a/*", "/a/b/c", false),
            ("/a/**", "/a/b/c", true), ("/a/**", "/a/", true), ("/a/**", "/a", false), ("**/b/**", "/a/b/.git", true),
            ("**/b/**", "/a/bb/.git", false), ("/a/**/c", "/a/c", true), ("/a/**/c", "/a/b/d/c", true),
            ("/a/**/c", "/a/bc", false), ("/a/b?", "/a/bc", true), ("/a?b", "/a/b", false), ("/a**b", "/axb", true),
            ("/a**b", "/a/b", false), ("\\*", "*", true), ("\\*", "x", false), ("*", "", true), ("", "", true),
            ("https://git.example/team/**", "https://git.example/team/a/b", true),
            ("git@*:team/**", "git@git.example:team/app.git", true), ("/É/*", "/É/ü", true), ("/a/b", "/A/b", false),
            ("***/x", "/a/x", true), ("/a/***", "/a/b/c", true), ("/a***", "/ab/c", false),
        ])
    func patterns(text: String, path: String, isMatch: Bool) throws {
        #expect(try #require(GitPattern(text)).matches(path) == isMatch)
    }

    @Test("capitals do not count where they need not, and a literal stands for itself")
    func spelling() throws {
        #expect(try #require(GitPattern("/A/**", isCaseless: true)).matches("/a/B"))
        let odd = "/a*b/c?d/[e]\\f"
        #expect(try #require(GitPattern(GitPattern.literal(odd))).matches(odd))
    }

    @Test("brackets, and a backslash at the end, are not read", arguments: ["/[ab]", "/a\\"])
    func none(text: String) {
        #expect(GitPattern(text) == nil)
    }

    @Test("a pattern made to take long takes no longer")
    func long() throws {
        let pattern = try #require(GitPattern(String(repeating: "*a", count: 500)))
        #expect(!pattern.matches(String(repeating: "a", count: 4_000) + "b"))
    }
}
