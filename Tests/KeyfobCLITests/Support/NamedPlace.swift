import Foundation
import Testing

/// A person's home where the names of providers lead to stand-ins, with the helpers of other tools.
struct NamedPlace {
    let server: ProviderServer
    let place: Workplace

    init(_ standIns: ProviderServer.StandIn..., variables: [String: String] = [:]) throws {
        server = try ProviderServer(named: standIns)
        let git = ["GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"]
        place = try Workplace.withVault(server.environment.merging(git) { $1 }.merging(variables) { $1 })
        try run(
            """
            for name in git-credential docker-credential kubectl; do ln -s keyfob bin/$name-keyfob; done
            git config --global credential.helper '!git-credential-keyfob' && git config --global credential.useHttpPath true
            """
        ).expectSuccess()
    }

    @discardableResult
    func run(_ line: String, deadline: Int = 120) throws -> Outcome {
        try place.run(line, deadline: deadline)
    }

    /// The token that a line prints.
    func token(_ options: String = "", location: SourceLocation = #_sourceLocation) throws -> String {
        try run("keyfob token \(options)").expectSuccess(location).text.trimmingCharacters(in: .newlines)
    }

    /// Adds a provider of OpenID Connect or OAuth by its issuer, and a client of it.
    func addProvider(_ name: String, _ issuer: String, _ options: String = "") throws {
        try run(
            """
            keyfob provider add --quiet --issuer \(issuer) --name \(name) \(options) \\
                && keyfob client add --quiet client-1 --provider \(name)
            """
        ).expectSuccess()
    }

    /// Signs in as somebody, who sits at the browser.
    func signIn(
        _ provider: String, as person: String = "", _ options: String = "", location: SourceLocation = #_sourceLocation
    ) throws {
        let browser = server.environment["BROWSER"]?.replacing("%s", with: "%s \(person)") ?? ""
        try run("BROWSER='\(browser)' keyfob login \(provider) --quiet \(options)").expectSuccess(location)
    }

    /// Names of the accounts, as a list shows them.
    func names() throws -> [String] {
        let lines = try run("keyfob account list").expectSuccess().text.split(separator: "\n").dropFirst()
        return lines.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
    }

    /// How many refreshes were asked for since a number of requests.
    func refreshes(since count: Int = 0) throws -> Int {
        try server.requests().dropFirst(count).count { $0.grantType == "refresh_token" }
    }
}
