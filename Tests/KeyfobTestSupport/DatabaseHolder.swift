internal import Foundation
internal import Synchronization

/// Another process that has a database for itself: nobody else can even read it.
package final class DatabaseHolder: Sendable {
    private struct Holding {
        let process: Process
        let input: Pipe
    }

    private let holding: Mutex<Holding?>

    /// Begins; it has it when this returns.
    package init(_ path: String) throws {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1], isolation_level=None)
            database.execute("BEGIN EXCLUSIVE")
            print("held", flush=True)
            sys.stdin.read()
            """
        process.arguments = ["python3", "-c", script, path]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        guard !output.fileHandleForReading.availableData.isEmpty else { throw CocoaError(.fileReadUnknown) }
        holding = Mutex(Holding(process: process, input: input))
    }

    /// Lets it go.
    package func release() {
        holding.withLock { holding in
            guard let ended = holding else { return }
            holding = nil
            try? ended.input.fileHandleForWriting.close()
            ended.process.waitUntilExit()
        }
    }

    deinit { release() }
}
