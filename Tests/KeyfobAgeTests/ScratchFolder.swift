import Foundation

/// A folder for one test, in which programs are run; removed afterwards.
final class ScratchFolder {
    private let location: URL

    init() throws {
        location = FileManager.default.temporaryDirectory.appending(path: "keyfob-age-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: location, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: location)
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: location.appending(path: name))
    }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: location.appending(path: name)))
    }

    /// Runs a program in the folder, without input and with its output thrown away; returns its status.
    func run(_ program: String, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = location
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    func run(_ program: String, _ arguments: String...) throws -> Int32 {
        try run(program, arguments)
    }

    /// Runs a program that asks for a passphrase on its terminal.
    func typePassphrase(_ passphrase: String, _ command: [String]) throws -> Int32 {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Support/type-passphrase.py").path
        return try run("/usr/bin/env", ["python3", script, passphrase] + command)
    }

    func typePassphrase(_ passphrase: String, _ command: String...) throws -> Int32 {
        try typePassphrase(passphrase, command)
    }
}
