import Foundation
import KeyfobTestSupport
import Testing

@Suite("Hosts that a request's token goes to", .waitsForPrograms)
struct AllowedHostTests {
    private let server: ProviderServer
    private let place: Workplace

    init() throws {
        server = try ProviderServer.shared()
        place = try Workplace.withVault()
    }

    /// How many requests came for a path.
    private func count(_ path: String) throws -> Int { try server.requests().count { $0.path == path } }

    /// Runs a line whose request comes to the server, which knows no such path.
    private func send(_ line: String, location: SourceLocation = #_sourceLocation) throws {
        let outcome = try place.run(line)
        #expect(
            outcome.status == 1 && outcome.errors.contains(" answered 404"), "\(outcome)",
            sourceLocation: location)
    }

    @Test("the only token, one of GitHub's, is sent nowhere else, and nobody hears of it", arguments: ["", "octo"])
    func foreign(account: String) throws {
        try place.add("octo", token: "gho_sample", "--host github.com")
        let path = "/foreign/\(UUID().uuidString)"
        let options = account.isEmpty ? "" : "--account \(account)"
        let outcome = try place.run("keyfob request --no-input \(options) \(server.base)\(path)")
        outcome.expectError(77, "the tokens of octo do not go to \(server.host)", "--allow-host \(server.host)")
        #expect(try count(path) == 0)
        try place.run("keyfob token --no-input \(options) --url \(server.base)\(path)").expectError(77, "do not go to")
        // Nor by the address of a host that it does go to.
        try place.run("keyfob request \(options) \(server.base)\(path) --url https://api.github.com").expectError(64)
        #expect(try count(path) == 0)
        let token = try place.run("keyfob token \(options) --url https://api.github.com/user").expectSuccess()
        #expect(token.text == "gho_sample\n")
    }

    @Test("a host that is bound to the account gets it, and a folder or a program makes no host")
    func bound() throws {
        try place.add("octo", token: "gho_sample", "--host github.com")
        let path = "/bound/\(UUID().uuidString)"
        try place.run("keyfob bind -q octo && keyfob bind -q --tool gh octo").expectSuccess()
        try place.run("keyfob request --tool gh \(server.base)\(path)").expectError(77, "do not go to")
        #expect(try count(path) == 0)
        try place.run("keyfob bind -q --host \(server.host) octo").expectSuccess()
        for options in ["", "--account octo"] {
            try send("keyfob request \(options) \(server.base)\(path)")
        }
        #expect(try count(path) == 2)
    }

    @Test("--account with --allow-host sends it once, to that very host, and remembers nothing")
    func allowed() throws {
        try place.add("octo", token: "gho_sample", "--host github.com")
        let path = "/allowed/\(UUID().uuidString)"
        let line = "keyfob request --account octo \(server.base)\(path)"
        try send("\(line) --allow-host \(server.host)")
        #expect(try count(path) == 1)
        try place.run("\(line) --allow-host 127.0.0.1").expectError(64, "is not the host")
        try place.run(line).expectError(77, "do not go to")
        #expect(try count(path) == 1)
    }

    @Test("a host that the provider's description names gets it")
    func described() throws {
        try place.add("eve", token: "sample")
        let path = "/described/\(UUID().uuidString)"
        try place.run("keyfob request \(server.base)\(path)").expectError(77, "do not go to")
        try place.run("keyfob provider add -q --issuer https://git.example --api-host \(server.host)").expectSuccess()
        try send("keyfob request \(server.base)\(path)")
        #expect(try count(path) == 1)
    }
}
