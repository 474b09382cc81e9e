internal import Foundation

/// A client on a message bus, for one test: Tests/Broker/caller.py, which tells of its commands.
package final class BusClient {
    private let process = Process()
    private let commands = Pipe()
    private let answers = Pipe()

    /// A client on the bus that an environment names.
    package init(_ environment: [String: String]) throws {
        let root =
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        process.executableURL = URL(
            filePath: ProcessInfo.processInfo.environment["KEYFOB_PYTHON"]
                ?? root.appending(path: ".venv/bin/python3").path)
        process.arguments = [
            root.appending(path: "Tests/Broker/caller.py").path, environment["DBUS_SESSION_BUS_ADDRESS"] ?? "",
        ]
        process.standardInput = commands
        process.standardOutput = answers
        try process.run()
        _ = try answer()
    }

    deinit {
        try? commands.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The number of its process.
    package var number: Int32 { process.processIdentifier }

    /// What comes of a command.
    package func ask(_ command: String) throws -> String {
        try tell(command)
        return try answer()
    }

    /// Has it do something whose answer is read later.
    package func tell(_ command: String) throws {
        try commands.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
    }

    /// The next line that it says.
    package func answer() throws -> String {
        var line: [UInt8] = []
        while let byte = try answers.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }
}
