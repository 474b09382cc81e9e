import KeyfobModel
import Testing

@testable import KeyfobFront

@Suite("What the front takes of a command line")
struct TokenArgumentsTests {
    @Test(
        "what it takes, it reads as it was typed",
        arguments: [
            ["token"], ["token", "--account", "ada"], ["token", "-a", "ada", "-s", "mail.read", "--header"],
            ["token", "--scope", "a b", "--min-validity", "0", "--vault", "/v", "--group", "work"],
            ["prompt"], ["prompt", "--vault", "/v", "-q", "--group", "work"],
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
        "of what tools call it takes the operation, and what they do not say themselves",
        arguments: [
            ["helper", "git", "get"], ["helper", "git", "--account", "ada", "get"],
            ["helper", "git", "store", "--vault", "/v", "-q", "--group", "work"],
            ["helper", "docker", "get"], ["helper", "kubectl", "--account", "ada"],
        ])
    func helper(_ words: [String]) throws {
        let taken = try #require(TokenArguments(words))
        #expect(taken.call?.tool == words[1])
        #expect(taken.operation == words.first { ["get", "store"].contains($0) })
        #expect(taken[.account] == (words.contains("--account") ? "ada" : nil))
    }

    @Test(
        "anything else is for the full program",
        arguments: [
            [], ["--account", "ada", "token"], ["tokens"], ["token", "ada"], ["token", "--account=ada"],
            ["token", "--account"], ["token", "--account", "-x"], ["token", "--account", "--header"],
            ["token", "-aada"], ["token", "-a", "ada", "--account", "bob"], ["token", "--scope", "a", "-s", "b"],
            ["token", "--json"], ["token", "--force-refresh"], ["token", "--claims", "{}"], ["token", "--"],
            ["token", "--help"], ["token", "-h"], ["token", "--version"], ["token", "--quiet", "-q"], ["token", ""],
            ["helper"], ["helper", "git"], ["helper", "docker"], ["helper", "kubectl", "get"], ["helper", "aws"],
            ["helper", "git", "get", "get"],
            ["helper", "git", "get", "--url", "x"], ["helper", "git", "get", "--tool", "x"],
            ["helper", "git", "--header", "get"],
            ["helper", "git", "--min-validity", "0", "get"], ["git", "get"],
            ["helper", "git", "get", "--allow-host", "x"],
            ["token", "--passphrase-fd", "3"], ["token", "--identity", "f"], ["token", "--acc", "ada"], ["account"],
            ["prompt", "ada"], ["prompt", "--account", "ada"], ["prompt", "--json"], ["prompt", "--help"],
        ])
    func handedOn(_ words: [String]) {
        #expect(TokenArguments(words) == nil)
    }
}
