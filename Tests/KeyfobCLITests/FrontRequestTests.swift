import ArgumentParser
import Keyfob
import KeyfobInterop
import KeyfobTestSupport
import Testing

@testable import KeyfobCLI
@testable import KeyfobFront

/// What the front takes, as tests of the program see it.
enum FrontTable {
    static let rows = TokenArguments.Option.allCases.map { (spellings: $0.spellings, takesValue: $0.takesValue) }
}

@Suite("Command lines that the front takes")
struct FrontRequestTests {
    private static let values = [
        "ada", "ada@contoso.example", "a b", "mail.read", "https://graph.microsoft.com", "300", "0", "86400", "86401",
        "+5",
        "common", "tenant", "work", "/v/", "v", "", " ", "é", "e\u{301}", "-x", "--header", "a\u{7}",
        "https://x.example/p",
        "https://u:p@x.example", "https://u@x.example/p", "https://oauth2@x.example", "u%40y@x.example", "x.example",
        "key", "none",
    ]

    @Test("random ones ask the full program for the same")
    func random() throws {
        var generator = SeededGenerator(seed: 7)
        var taken = 0
        let folder = try ScratchFolder()
        try folder.write("git", Array("[includeIf \"gitdir:**\"]\npath = more\n".utf8))
        try folder.write("more", Array("[user]\nemail = ada@contoso.example\n".utf8))
        for _ in 0..<TestLength.rounds(300, full: 10_000) {
            var words = ["token"]
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let row = FrontTable.rows[Int.random(in: 0..<FrontTable.rows.count, using: &generator)]
                words.append(row.spellings[Int.random(in: 0..<row.spellings.count, using: &generator)])
                if row.takesValue || Int.random(in: 0..<20, using: &generator) == 0 {
                    words.append(Self.values[Int.random(in: 0..<Self.values.count, using: &generator)])
                }
            }
            var variables = ["HOME": "/home/ada", "XDG_RUNTIME_DIR": "/run/user/1"]
            variables["KEYFOB_ACCOUNT"] = [nil, "eve"].randomElement(using: &generator) ?? nil
            variables["GIT_CONFIG_GLOBAL"] = [nil, "", folder.path + "/git"].randomElement(using: &generator) ?? nil
            guard let arguments = TokenArguments(words),
                let asked = FrontRequest(arguments, Variables(values: variables))
            else { continue }
            taken += 1
            let moved = LeadingOptions.moved(words)
            let parsed = try CommandPath(of: moved).parsed(moved)
            let command = try #require(parsed as? TokenCommand, "\(words)")
            let environment = Environment(variables: variables)
            let request = try command.options.request(minimumValidity: command.validity.minValidity, environment)
            #expect(request == asked.request, "\(words)")
            #expect(try command.global.groups(environment) == asked.groups, "\(words)")
            let location = try command.global.location(environment)
            #expect(
                location
                    == KeyringLocation(
                        vault: asked.places.vault, state: asked.places.state, runtime: asked.places.runtime), "\(words)"
            )
            #expect(command.global.keyFile == asked.keyFile && command.header == arguments.has(.header), "\(words)")
            #expect(!command.global.json && !command.refresh.forceRefresh && command.refresh.claims == nil, "\(words)")
            #expect(command.global.identity == nil && command.global.passphraseFd == nil, "\(words)")
        }
        #expect(taken > 20)
    }

    @Test("random calls of git's helper ask it for the same")
    func helper() throws {
        var generator = SeededGenerator(seed: 8)
        var taken = 0
        for _ in 0..<TestLength.rounds(300, full: 10_000) {
            var words = ["helper", "git"]
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let row = FrontTable.rows[Int.random(in: 0..<FrontTable.rows.count, using: &generator)]
                words.append(row.spellings[0])
                if row.takesValue {
                    words.append(Self.values[Int.random(in: 0..<Self.values.count, using: &generator)])
                }
            }
            words.insert("get", at: Bool.random(using: &generator) ? 2 : words.count)
            let variables = [
                "HOME": "/home/ada", "KEYFOB_ACCOUNT": ["", "", "eve"].randomElement(using: &generator) ?? "",
            ]
            let login = [nil, "octo", "oauth2", "team"].randomElement(using: &generator) ?? nil
            let address = ["git.example/team/app.git", "dev.azure.com/Team/app"].randomElement(using: &generator)
            let url = try #require(CredentialURL("https://" + (address ?? "")))
            guard let arguments = TokenArguments(words),
                let asked = FrontRequest(
                    arguments, Variables(values: variables),
                    asking: FrontRequest.Question(tool: .git, url: url.text, login: login))
            else { continue }
            taken += 1
            let moved = LeadingOptions.moved(words)
            let parsed = try CommandPath(of: moved).parsed(moved)
            let command = try #require(parsed as? GitCredentialCommand, "\(words)")
            let question = CredentialOptions.Question(tool: "git", url: url, login: login)
            let environment = Environment(variables: variables)
            #expect(try command.options.request(question, environment) == asked.request, "\(words)")
            #expect(try command.options.global.groups(environment) == asked.groups, "\(words)")
            #expect(command.options.global.keyFile == asked.keyFile && command.operation == "get", "\(words)")
        }
        #expect(taken > 20)
    }
}
