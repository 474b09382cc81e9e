import Foundation
import Testing

/// The git server of `Tests/Provider/git_server.py`, for as long as somebody holds this.
final class GitServer: Sendable {
    /// Where its repositories are, its log, and the tokens that it refuses.
    let folder: String
    /// Its host with its port.
    let host: String
    private let process: Process
    // It ends when this is closed.
    private let lifeline: FileHandle

    /// A server with a repository `app` of one commit for each owner.
    init(_ provider: ProviderServer, owners: String...) throws {
        folder =
            FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "keyfob-git-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Workplace().run(
            """
            git init -q -b main first && git -C first -c user.name=x -c user.email=x@x commit -q --allow-empty -m first
            for owner in \(owners.joined(separator: " ")); do
                git clone -q --bare first \(folder)/repos/$owner/app.git || exit
            done
            """
        ).expectSuccess()
        let (input, output) = (Pipe(), Pipe())
        lifeline = input.fileHandleForWriting
        process = Process()
        process.executableURL = URL(filePath: PythonScript.interpreter)
        process.arguments = [
            ProjectFolder.root.appending(path: "Tests/Provider/git_server.py").path, folder, provider.issuer,
        ]
        if provider.authorityFile != nil { process.arguments?.append(provider.folder) }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = output.fileHandleForReading.availableData
        host = "127.0.0.1:" + String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    deinit {
        try? lifeline.close()
        process.waitUntilExit()
    }

    /// What it was asked, each as `status scheme user path`.
    func requests() throws -> [String] {
        try String(contentsOfFile: folder + "/requests", encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// Answers 401 to a token from now on.
    func refuse(_ token: String) throws {
        try token.write(toFile: folder + "/refused", atomically: true, encoding: .utf8)
    }

    /// Leads whoever asks for something below `/moved/` elsewhere.
    func move(to address: String) throws {
        try address.write(toFile: folder + "/moved", atomically: true, encoding: .utf8)
    }
}
