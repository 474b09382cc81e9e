import Foundation
import KeyfobTestSupport
import Testing

/// `keyfob mcp` between clients and servers of others' (`mcp_bridge.py`, `Tests/Provider/mcp_server.py`), and between such as do
/// what they should not (`bridge.py`, `bridge_server.py`).
@Suite("The bridge to MCP servers", .waitsForPrograms)
struct BridgeTests {
    @Test(
        "does what its side of the protocol wants, whatever the other side does",
        arguments: [
            "ordinary", "nonsense", "broken", "sessions", "ends", "older", "refusals", "stamped", "crowd",
        ])
    func odd(name: String) throws {
        let place = try Workplace.withVault()
        try place.python("bridge", name)
    }

    private struct Place {
        let server: GuestServer
        let place: Workplace
        var address: String { "https://\(server.host)/mcp" }

        init(_ kind: String = "fastmcp", seconds: Int? = nil) throws {
            server = try GuestServer.mcp(kind)
            if let seconds { try server.shorten(to: seconds) }
            place = try Workplace.withVault(["KEYFOB_CA_FILE": server.folder + "/ca.pem"])
        }

        var login: String {
            "BROWSER='\(PythonScript.interpreter) \(ProviderServer.visitorProgram) %s x --quiet' keyfob login \(address) --quiet"
        }

        func signIn(_ options: String = "--name ada") throws { try place.run("\(login) \(options)").expectSuccess() }
    }

    @Test("a client of others' uses a server of others' through it", arguments: ["fastmcp", "sdk"])
    func counterparts(kind: String) throws {
        let home = try Place(kind)
        try home.signIn()
        try home.place.python("mcp_bridge", "calls", home.address)
        let log = try home.place.run("keyfob log --host \(home.server.host)").expectSuccess()
        #expect(log.text.contains("python") && log.text.contains(home.server.host), "\(log)")
    }

    @Test("who has not signed in, or has locked the vault, learns what to type, and the next call works")
    func later() throws {
        let home = try Place()
        try home.place.python("mcp_bridge", "later", home.address, home.login + " --name ada")
        try home.place.python("mcp_bridge", "locked", home.address)
    }

    @Test("a server that wants a further scope gets it by the command that the call's error names")
    func scopes() throws {
        let home = try Place()
        try home.signIn()
        try home.server.demand(scopes: "tools admin")
        try home.place.python("mcp_bridge", "scopes", home.address, home.login)
    }

    @Test("sessions together send one refresh for each expiry, and lose nothing when some are killed")
    func together() throws {
        let home = try Place(seconds: 5)
        try home.signIn()
        try home.place.python("mcp_bridge", "together", home.address, "4", "12")
        let lines = try String(contentsOfFile: home.server.folder + "/refreshes", encoding: .utf8).split(
            separator: "\n")
        #expect(!lines.isEmpty && lines.allSatisfy { $0 == "taken" }, "\(lines)")
        // A token lives for five seconds, and is replaced a second before its end.
        #expect(lines.count <= 12 / 4 + 4, "\(lines.count)")
        try home.place.run("keyfob token --force-refresh").expectSuccess()
    }

    @Test(
        "twenty keep the sign-in over an hour by clocks that run faster, which the SDK's own client does not",
        .enabled(if: TestLength.isFull))
    func hour() throws {
        let place = try Workplace()
        let script = ProjectFolder.root.appending(path: "Benchmarks/mcp_hour.py").path
        let outcome = try place.run("'\(PythonScript.interpreter)' '\(script)' bin/keyfob", deadline: 900)
            .expectSuccess()
        #expect(outcome.text.contains("keyfob mcp"), "\(outcome)")
    }

    @Test("a client never has the token in its memory", arguments: ["bridge", "proxy"])
    func memory(way: String) throws {
        let home = try Place()
        try home.signIn()
        try home.place.python("mcp_memory", way, home.address)
    }

    @Test("each directory's sessions have its own account at the same server, over a thousand calls")
    func directories() throws {
        let home = try Place()
        try home.signIn("--name ada")
        try home.signIn("--name work")
        try home.place.run(
            "mkdir a b && keyfob bind --directory a ada && keyfob bind --directory b work"
        ).expectSuccess()
        try home.place.python("mcp_bridge", "directories", home.address, "ada", "work")
    }
}
