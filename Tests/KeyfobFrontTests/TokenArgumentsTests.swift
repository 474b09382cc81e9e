import Testing

@testable import KeyfobFront

@Suite("What the front takes of a command line")
struct TokenArgumentsTests {
    @Test(
        "what it takes, it reads as it was typed",
        arguments: [
            ["token"], ["token", "--account", "ada"], ["token", "-a", "ada", "-s", "mail.read", "--header"],
            ["token", "--scope", "a b", "--min-validity", "0", "--vault", "/v", "--group", "work"],
        ])
    func taken(_ words: [String]) throws {
        let taken = try #require(TokenArguments(words))
        for option in TokenArguments.Option.allCases {
            let place = words.firstIndex { option.spellings.contains($0) }
            #expect(taken.has(option) == (place != nil))
            #expect(taken[option] == place.map { option.takesValue ? words[$0 + 1] : "" })
        }
    }

    @Test(
        "anything else is for the full program",
        arguments: [
            [], ["--account", "ada", "token"], ["tokens"], ["token", "ada"], ["token", "--account=ada"],
            ["token", "--account"], ["token", "--account", "-x"], ["token", "--account", "--header"],
            ["token", "-aada"], ["token", "-a", "ada", "--account", "bob"], ["token", "--scope", "a", "-s", "b"],
            ["token", "--json"], ["token", "--force-refresh"], ["token", "--claims", "{}"], ["token", "--"],
            ["token", "--help"], ["token", "-h"], ["token", "--version"], ["token", "--quiet", "-q"], ["token", ""],
            ["token", "--passphrase-fd", "3"], ["token", "--identity", "f"], ["token", "--acc", "ada"], ["account"],
        ])
    func handedOn(_ words: [String]) {
        #expect(TokenArguments(words) == nil)
    }

    @Test(
        "the full program lies beside the folder that the front is in",
        arguments: [("/usr/local/bin/keyfob", "/usr/local"), ("/bin/keyfob", ""), ("/a/b/c (deleted)", "/a")])
    func place(own: String, prefix: String) {
        #expect(FullProgram.path(besides: own) == prefix + "/libexec/keyfob/keyfob")
    }
}
