import ArgumentParser
import Foundation

/// A program that is run to its end.
struct ChildProcess {
    let program: String
    let arguments: [String]
    var environment: [String: String] = [:]

    /// Runs it.
    ///
    /// - Returns: Its standard output, and the milliseconds from before its start to after its end.
    @discardableResult
    func run() throws -> (output: Data, milliseconds: Double) {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        let stopwatch = Stopwatch()
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let milliseconds = stopwatch.seconds * 1_000
        guard process.terminationStatus == 0 else {
            throw ValidationError("\(program) \(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
        }
        return (output, milliseconds)
    }

    /// Runs it and reads the measurements that it writes, the time of the whole process with them.
    func measure() throws -> Measurements {
        let (output, milliseconds) = try run()
        return try Measurements(parsing: output).merging(Measurements([.processMilliseconds: milliseconds]))
    }
}
