import Foundation
import KeyfobTestSupport

/// Programs that are run in a folder.
extension ScratchFolder {
    /// Runs a program in the folder, without input and with its output thrown away; returns its status.
    func run(_ program: String, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: path)
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
