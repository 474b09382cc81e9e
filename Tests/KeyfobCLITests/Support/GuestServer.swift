import Foundation
import Testing

/// A server of `Tests/Provider` to which tokens of the provider go, for as long as somebody holds this.
final class GuestServer: Sendable {
    /// What it serves, its log, and the tokens that it refuses.
    let folder: String
    /// Its host with its port.
    let host: String
    private let process: Process
    // It ends when this is closed.
    private let lifeline: FileHandle

    private convenience init(
        _ script: String, _ provider: ProviderServer, fill: (_ folder: String) throws -> Void = { _ in }
    ) throws {
        let certificates = provider.authorityFile == nil ? [] : [provider.folder]
        try self.init(script, [provider.issuer] + certificates, fill: fill)
    }

    private init(_ script: String, _ arguments: [String], fill: (_ folder: String) throws -> Void = { _ in }) throws {
        folder =
            FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "keyfob-\(script)-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try fill(folder)
        let (input, output) = (Pipe(), Pipe())
        lifeline = input.fileHandleForWriting
        process = Process()
        process.executableURL = URL(filePath: PythonScript.interpreter)
        process.arguments =
            [
                ProjectFolder.root.appending(path: "Tests/Provider/\(script).py").path, folder,
            ] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = output.fileHandleForReading.availableData
        host = "127.0.0.1:" + String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// Repositories over http, with a repository `app` of one commit for each owner.
    static func git(_ provider: ProviderServer, owners: String...) throws -> GuestServer {
        try GuestServer("git_server", provider) { folder in
            try Workplace().run(
                """
                git init -q -b main first && git -C first -c user.name=x -c user.email=x@x commit -q --allow-empty -m first
                for owner in \(owners.joined(separator: " ")); do
                    git clone -q --bare first \(folder)/repos/$owner/app.git || exit
                done
                """
            ).expectSuccess()
        }
    }

    /// AWS, with the role `reader` and the bucket `books`.
    static func aws(_ provider: ProviderServer) throws -> GuestServer { try GuestServer("aws_server", provider) }

    /// An API, which takes any token; the provider has to be secure.
    static func api(_ provider: ProviderServer) throws -> GuestServer { try GuestServer("api_server", provider) }

    /// An MCP server with an authorization server of its own: that of `fastmcp`, or of the package `mcp` (`sdk`).
    static func mcp(_ kind: String) throws -> GuestServer { try GuestServer("mcp_server", [kind]) }

    /// Debian's Glewlwyd, an OpenID provider, with parameters of its plugin: `oauth-par-required=true`.
    static func glewlwyd(_ parameters: [String] = []) throws -> GuestServer { try GuestServer("glewlwyd", parameters) }

    /// Canaille, an OpenID provider of PyPI's.
    static func canaille() throws -> GuestServer { try GuestServer("canaille_server", []) }

    deinit {
        try? lifeline.close()
        process.waitUntilExit()
    }

    /// What it was asked, line by line.
    func requests() throws -> [String] {
        try String(contentsOfFile: folder + "/requests", encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Refuses a token from now on.
    func refuse(_ token: String) throws { try write(token, to: "refused") }

    /// Leads whoever asks a git server for something below `/moved/` elsewhere.
    func move(to address: String) throws { try write(address, to: "moved") }

    /// The clients that have registered themselves.
    func registrations() throws -> [String] {
        try String(contentsOfFile: folder + "/registrations", encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Lets an MCP server know those clients no more.
    func forget(_ clients: [String]) throws { try write(clients.joined(separator: "\n"), to: "forgotten") }

    /// Lets AWS's credentials be valid for so many seconds.
    func shorten(to seconds: Int) throws { try write(String(seconds), to: "seconds") }

    /// Has an MCP server want tokens with these scopes.
    func demand(scopes: String) throws { try write(scopes, to: "scopes") }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }
}
