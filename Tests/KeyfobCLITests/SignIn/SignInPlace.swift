import Foundation
import Testing

/// A person's home where the provider of these tests is known as `local`.
struct SignInPlace {
    let server: ProviderServer
    let place: Workplace

    /// A vault with the provider, and a client of it.
    init(
        _ server: ProviderServer, client: String = ProviderServer.publicClient, options: String = "",
        variables: [String: String] = [:]
    ) throws {
        self.server = server
        let trust = server.authorityFile.map { ["KEYFOB_CA_FILE": $0] } ?? [:]
        place = try Workplace.withVault(trust.merging(variables) { $1 })
        try addProvider(client: client, options: options)
    }

    /// Somebody who is signed in at a git server, `$URL`, and has repositories there; git asks nobody, and says who commits.
    static func atGitServer(
        of owner: String, variables: [String: String] = [:]
    ) throws -> (server: GuestServer, home: SignInPlace) {
        let provider = try ProviderServer()
        let server = try GuestServer.git(provider, owners: owner)
        let git = [
            "GIT_TERMINAL_PROMPT": "0", "GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@x", "GIT_COMMITTER_NAME": "x",
            "GIT_COMMITTER_EMAIL": "x@x", "URL": "http://\(server.host)",
        ]
        let home = try SignInPlace(provider, variables: git.merging(variables) { $1 })
        try home.signIn(owner)
        return (server, home)
    }

    /// Makes the provider and a client known, in the default group or another one.
    func addProvider(
        client: String = ProviderServer.publicClient, options: String = "", to group: String = "default"
    ) throws {
        let endpoints =
            server.tellsAll
            ? "" : "--device-endpoint \(server.deviceEndpoint) --revocation-endpoint \(server.issuer)/revoke_token/"
        let redirects = server.redirects.map { "--redirect-uri '\($0)'" }
        let group = group == "default" ? "" : "--group \(group)"
        try run(
            """
            keyfob provider add --quiet \(group) --issuer \(server.issuer) --name local \(options) \(endpoints) \\
                && keyfob client add --quiet \(group) \(client) --provider local \(redirects.joined(separator: " "))
            """
        ).expectSuccess()
    }

    @discardableResult
    func run(_ line: String, deadline: Int = 120) throws -> Outcome {
        try place.run(line, deadline: deadline)
    }

    /// What `BROWSER` is, so that `user` signs in; options are those of the program.
    static func browser(
        _ user: String, _ options: String = "", program: String = ProviderServer.visitorProgram
    ) -> String {
        "BROWSER='\(PythonScript.interpreter) \(program) %s \(user) \(options)'"
    }

    /// Signs `user` in by the fast stand-in for a browser, without a word.
    func signIn(_ user: String, _ options: String = "", location: SourceLocation = #_sourceLocation) throws {
        try run("\(Self.browser(user)) keyfob login local --quiet \(options)").expectSuccess(location)
    }

    /// The token that a line prints.
    func token(_ options: String = "", location: SourceLocation = #_sourceLocation) throws -> String {
        let outcome = try run("keyfob token \(options)").expectSuccess(location)
        return outcome.text.trimmingCharacters(in: .newlines)
    }

    /// What an MSAL cache says is stored, of one kind (`RefreshToken`, `AccessToken`): secrets by home account id.
    func secrets(_ kind: String) throws -> [String: String] {
        let cache = try place.document("keyfob export --quiet --format msal -")
        let entities = cache[kind] as? [String: [String: Any]] ?? [:]
        return Dictionary(
            entities.values.map { ($0["home_account_id"] as? String ?? "", $0["secret"] as? String ?? "") },
            uniquingKeysWith: { "\($0) and \($1)" })
    }

    /// The only refresh token that is stored.
    func refreshToken(location: SourceLocation = #_sourceLocation) throws -> String {
        let tokens = try secrets("RefreshToken")
        #expect(tokens.count == 1, sourceLocation: location)
        return try #require(tokens.values.first, sourceLocation: location)
    }

    /// The refresh token of a user, as the provider's log calls it.
    func refreshToken(of user: String, location: SourceLocation = #_sourceLocation) throws -> String {
        let ids = ["alice": "1", "bob": "2", "carol": "3"]
        let token = try #require(ids[user].flatMap { try? secrets("RefreshToken")[$0] }, sourceLocation: location)
        return String(try place.run("printf %s '\(token)' | sha256sum").text.prefix(16))
    }

    /// Expects that nothing in the vault is damaged.
    func expectSound(location: SourceLocation = #_sourceLocation) throws {
        try run("keyfob verify").expectSuccess(location)
    }

    /// What a browser saw that made detours; see `callbacks.py`.
    struct Detours: Decodable {
        let statuses: [String: Int]
        let url: String
        let address: String
    }

    /// Signs `user` in by a browser that brings other things to the redirect address, too.
    func signInWithDetours(_ user: String, _ options: String = "--quiet") throws -> Detours {
        let program = PythonScript.path("callbacks")
        let outcome = try run(
            """
            \(Self.browser("", "\(ProviderServer.visitorProgram) \(user) seen", program: program)) \\
                keyfob login local \(options) || exit
            until [ -s seen ]; do sleep 0.02; done
            cat seen && rm seen
            """
        ).expectSuccess()
        return try JSONDecoder().decode(Detours.self, from: outcome.output)
    }
}
