import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

/// A vault whose account is refreshed by processes that are killed, at a provider whose state is a file.
struct RefreshVictim {
    let home: SilentHome
    var ada: Account { home.ada }
    let program: String
    /// Whether the provider refuses with an empty body.
    let isWordless: Bool
    private var provider: String { home.home.folder.path + "/provider" }

    init(isWordless: Bool = false) throws {
        self.isWordless = isWordless
        home = try SilentHome(ada: SilentHome.plainAccount())
        let document = """
            {"formatVersion": 1, "name": "plain", "title": "Plain", "issuer": "https://id.example",
            "environment": "id.example", "discovery": false, "clientIDs": ["app"],
            "flows": ["authorizationCode"], "endpoints": {"authorization_endpoint": "https://id.example/authorize",
            "token_endpoint": "https://id.example/token"}}
            """
        try home.keyring.providers.add([UInt8](document.utf8))
        try home.grant("rt1", home.ada)
        try home.home.folder.write("key", [UInt8](repeating: 1, count: 32))
        try home.home.folder.write("provider", Array("1\n0\nalive\n".utf8))
        program = try TestProgram.path("KeyfobRefreshVictim")
    }

    /// How a process ended, and what it said.
    struct Ending: Equatable {
        let wasKilled: Bool
        let output: String

        var isToken: Bool { output.hasPrefix("token at") }
    }

    /// When a signal is sent.
    enum Moment {
        /// So long after the start.
        case after(milliseconds: Int)
        /// Once the provider has been asked.
        case asked
    }

    /// Starts the program and waits for its end; or sends it a signal at a moment.
    func run(_ options: [String] = [], killed moment: Moment? = nil, by signal: CInt = SIGKILL) throws -> Ending {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments =
            [
                home.home.location.vault, home.home.location.state, home.home.folder.path + "/key", provider,
            ] + options + (isWordless ? ["--wordless"] : [])
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        switch moment {
        case .after(let milliseconds): Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
        case .asked:
            while process.isRunning, !FileManager.default.fileExists(atPath: provider + ".lock") { usleep(5_000) }
        case nil: break
        }
        if moment != nil { kill(process.processIdentifier, signal) }
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Ending(
            wasKilled: process.terminationReason == .uncaughtSignal,
            output: String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines))
    }

    /// Which refresh token is good at the provider, and whether its family lives.
    func providerState() throws -> (good: Int, isAlive: Bool) {
        let lines = String(decoding: try home.home.folder.read("provider"), as: UTF8.self).split(separator: "\n")
        return (try #require(Int(lines[0])), lines[2] == "alive")
    }

    /// Which refresh token is stored, by the generation of the grant: each rotation raises both by one.
    func storedNumber() throws -> Int {
        Int(try home.theGrant(of: ada).generation)
    }
}
