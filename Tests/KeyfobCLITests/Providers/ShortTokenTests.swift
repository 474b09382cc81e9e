import Foundation
import KeyfobTestSupport
import Testing

/// A provider whose tokens live for minutes, or for seconds: `Tests/Provider/standins/openid.py`.
@Suite("Tokens that live for a short time", .waitsForPrograms)
struct ShortTokenTests {
    /// A home where somebody has signed in at a provider whose tokens live for so many seconds.
    private func home(_ seconds: Int) throws -> NamedPlace {
        let home = try NamedPlace(.init("openid", ["access_lifetime": seconds]))
        try home.addProvider("sso", "https://sso.contoso.example", "--api-host api.contoso.example")
        try home.signIn("sso")
        return home
    }

    /// How many times the provider is asked while a line is run ten times.
    private func requests(_ line: String, in home: NamedPlace) throws -> Int {
        let count = try home.server.requests().count
        try home.run("for i in 1 2 3 4 5 6 7 8 9 10; do \(line) || exit; done").expectSuccess()
        return try home.refreshes(since: count)
    }

    @Test("ten calls one after the other ask the provider once at most", arguments: [3600, 400, 299, 60, 30])
    func calls(_ seconds: Int) throws {
        let home = try home(seconds)
        try demand("short tokens: ten calls of 'keyfob token' ask once where tokens live for \(seconds) s") {
            () throws in
            #expect(try requests("keyfob token --no-input", in: home) <= 1)
        }
        let asked = "printf 'protocol=https\\nhost=api.contoso.example\\n\\n' | keyfob helper git get"
        try demand("short tokens: ten questions of git ask once where tokens live for \(seconds) s") { () throws in
            #expect(try requests(asked, in: home) <= 1)
        }
    }

    @Test("twenty calls at once ask the provider once", arguments: [3600, 299, 30])
    func together(_ seconds: Int) throws {
        let home = try home(seconds)
        let count = try home.server.requests().count
        let line = "for i in $(seq 20); do keyfob token --no-input > out$i & done; wait; cat out*"
        let tokens = try home.run(line).expectSuccess().text.split(separator: "\n")
        #expect(tokens.count == 20)
        try demand("short tokens: twenty calls at once ask once where tokens live for \(seconds) s") { () throws in
            #expect(Set(tokens).count == 1)
            #expect(try home.refreshes(since: count) <= 1)
        }
    }

    /// Answers to a refresh by which everybody who waits has the same answer.
    private static let answers: [(name: String, control: ProviderServer.Control)] = [
        ("a word that nobody knows", .init(status: 400, body: ["error": "strange"])),
        ("an error with status 200", .init(status: 200, body: ["error": "strange"])),
        ("invalid_client", .init(status: 401, body: ["error": "invalid_client"])),
        ("interaction_required", .init(status: 400, body: ["error": "interaction_required"])),
        ("invalid_scope", .init(status: 400, body: ["error": "invalid_scope"])),
        ("invalid_grant", .init(status: 400, body: ["error": "invalid_grant"])),
        ("no word", .init(isEmptyRefusal: true)), ("status 503", .init(status: 503)),
        ("status 403", .init(status: 403)),
    ]

    @Test("a refusal is one refusal for all who wait", arguments: answers.indices)
    func refusals(_ index: Int) throws {
        let (name, answer) = Self.answers[index]
        let home = try home(30)
        var control = answer
        control.delay = 500
        try home.server.control(control)
        let count = try home.server.requests().count
        let line = "keyfob token --no-input --min-validity 60"
        let outcome = try home.run("for i in $(seq 20); do \(line) 2> err$i & done; wait; cat err*")
        #expect(outcome.text.split(separator: "\n").count >= 20, "\(outcome)")
        try demand("refusals: twenty calls at once ask once where the answer is \(name)") { () throws in
            let asked = try home.refreshes(since: count)
            #expect(asked == 1, "\(name)")
        }
    }
}
