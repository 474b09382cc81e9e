import Foundation
import KeyfobTestSupport
import Testing

/// GitHub as it is documented: `Tests/Provider/standins/github.py`.
@Suite("git and GitHub's scopes, owners and refusals", .waitsForPrograms)
struct GitHubTests {
    /// A home with the client of GitHub's command line; people sign in on a device, one after the other.
    private func home(_ people: String..., options: [String: any Sendable] = [:]) throws -> NamedPlace {
        let sitting: [String: any Sendable] = ["sitting": people.isEmpty ? ["ada"] : people, "interval": 1]
        let home = try NamedPlace(.init("github", sitting.merging(options) { $1 }))
        try home.run("keyfob client add --quiet --well-known github-cli").expectSuccess()
        return home
    }

    private func clone(_ repository: String, _ home: NamedPlace) throws -> Outcome {
        try home.run("rm -rf cloned; \(TestProgram.git) clone -q https://github.com/\(repository) cloned")
    }

    @Test(
        "what a token's scopes let git clone",
        arguments: [
            ("read:user", false), ("public_repo", false), ("gist read:org", false), ("repo", true),
            ("repo read:user", true),
        ])
    func scopes(_ scopes: String, clonesPrivate: Bool) throws {
        let home = try home()
        let options = scopes.split(separator: " ").map { "--scope \($0)" }.joined(separator: " ")
        try home.run("keyfob login --quiet --device github \(options)").expectSuccess()
        try clone("ada/blog", home).expectSuccess()
        let outcome = try clone("ada/notes", home)
        #expect((outcome.status == 0) == clonesPrivate, "\(outcome)")
        #expect(clonesPrivate || outcome.errors.contains("not found"), "\(outcome)")
        // What the server does not tell apart from a missing repository ends nothing.
        #expect(try home.names() == ["ada"])
        try home.run("keyfob token --account ada").expectSuccess()
    }

    @Test("what a sign-in for git gets clones a private repository, and its end is not warned of: it has none")
    func forGit() throws {
        let home = try home()
        let outcome = try home.run("keyfob login --device github --for git").expectSuccess()
        try clone("ada/notes", home).expectSuccess()
        try demand("github: a sign-in does not warn of the end of a token that has none") { () throws in
            #expect(!outcome.errors.contains("when the access token ends"), "\(outcome)")
        }
    }

    @Test("what a sign-in gets without a scope being named reads public repositories")
    func defaultScopes() throws {
        let home = try home()
        try home.run("keyfob login --quiet --device github").expectSuccess()
        try clone("ada/blog", home).expectSuccess()
        #expect(try clone("ada/notes", home).status == 128)
    }

    @Test("people may grant less than was asked for, and that is told")
    func granted() throws {
        let home = try home(options: ["granted": ["read:user"]])
        let outcome = try home.run("keyfob login --device github --scope repo --scope read:user")
        #expect(outcome.status == 0 || outcome.status == 14, "\(outcome)")
        #expect(outcome.errors.contains("repo"), "\(outcome)")
        #expect(try clone("ada/notes", home).status == 128)
    }

    @Test("an owner is the same in any letter case", arguments: ["contoso", "Contoso", "CONTOSO"])
    func owners(_ spelling: String) throws {
        let home = try home("ada", "ada-contoso")
        for _ in 0..<2 { try home.run("keyfob login --quiet --device github --scope repo").expectSuccess() }
        try home.run("keyfob bind --quiet --host github.com ada").expectSuccess()
        try home.run("keyfob bind --quiet --url https://github.com/contoso ada-contoso").expectSuccess()
        try demand("github: the binding of an owner holds for \(spelling)/app") {
            try clone("\(spelling)/app", home).expectSuccess()
        }
        try home.run("keyfob bindings").expectSuccess()
        try demand("github: 'keyfob token --url' takes the binding of an owner for \(spelling)") { () throws in
            #expect(
                try home.token("--url https://github.com/\(spelling)/app") == home.token("--account ada-contoso"))
        }
    }

    @Test(
        "an account that is called as the owner is taken in any letter case", arguments: ["ada-contoso", "Ada-Contoso"])
    func named(_ spelling: String) throws {
        let repositories = ["ada-contoso/app": ["people": ["ada-contoso"]]]
        let home = try home("ada", "ada-contoso", options: ["repositories": repositories])
        for _ in 0..<2 { try home.run("keyfob login --quiet --device github --scope repo").expectSuccess() }
        try demand("github: an account called as the owner is taken for \(spelling)/app") {
            try clone("\(spelling)/app", home).expectSuccess()
        }
    }

    @Test("a refusal for want of single sign-on ends nothing, and is passed on")
    func singleSignOn() throws {
        let home = try home("ada-contoso", options: ["sso": ["contoso"], "sso_session": false])
        try home.run("keyfob login --quiet --device github --scope repo").expectSuccess()
        let token = try home.token()
        let outcome = try clone("contoso/app", home)
        #expect(outcome.status == 128 && outcome.errors.contains("403"), "\(outcome)")
        #expect(try home.token() == token)
        let asked = try home.run("keyfob request https://api.github.com/repos/contoso/app")
        #expect(asked.text.contains("SAML"), "\(asked)")
        try home.server.set(
            .init("github", ["sitting": ["ada-contoso"], "sso": ["contoso"], "sso_session": true, "interval": 1]))
        try home.run("keyfob login --quiet --device github --scope repo").expectSuccess()
        try clone("contoso/app", home).expectSuccess()
    }

    @Test("a token that GitHub has revoked is refused, and git says so")
    func revoked() throws {
        let home = try home()
        try home.run("printf gho_none | keyfob add --quiet --account ada --host github.com --scope repo")
            .expectSuccess()
        let outcome = try clone("ada/notes", home)
        #expect(outcome.status == 128 && outcome.errors.contains("nothing renews"), "\(outcome)")
    }

    @Test("a poll never comes before its time, and a code that was declined ends the sign-in")
    func polling() throws {
        let home = try home(options: ["device": "pending", "interval": 1])
        let outcome = try home.run("keyfob login --device github --timeout 4")
        #expect(outcome.status == 15, "\(outcome)")
        let errors = try home.server.requests().compactMap(\.error)
        #expect(errors.count >= 2 && errors.allSatisfy { $0 == "authorization_pending" }, "\(errors)")
        try home.server.set(.init("github", ["device": "denied", "interval": 1]))
        let declined = try home.run("keyfob login --device github")
        #expect(declined.status == 15 && declined.errors.contains("declined"), "\(declined)")
    }
}
