import Foundation
import KeyfobTestSupport

/// A socket where a message bus would be.
final class HalfABus {
    /// How far it goes.
    enum Kind: String, CaseIterable {
        /// Listens, and never takes a connection.
        case silent
        /// Listens, and its queue is full.
        case full
        /// Lets one in, and then does not greet.
        case greetless
        /// Hangs up.
        case noBus
    }

    private let folder: ScratchFolder
    private let process = Process()
    private let lifeline = Pipe()

    init(_ kind: Kind) throws {
        folder = try ScratchFolder()
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        process.executableURL = URL(
            filePath: ProcessInfo.processInfo.environment["KEYFOB_PYTHON"]
                ?? root.appending(path: ".venv/bin/python3").path)
        process.arguments = [
            root.appending(path: "Tests/SecretService/half-a-bus.py").path, kind.rawValue, folder.path + "/bus",
        ]
        let output = Pipe()
        process.standardInput = lifeline
        process.standardOutput = output
        try process.run()
        _ = try output.fileHandleForReading.read(upToCount: 1)
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    var environment: [String: String] { ["XDG_RUNTIME_DIR": folder.path] }
}
