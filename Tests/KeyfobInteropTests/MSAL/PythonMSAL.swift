import Foundation
import Testing

/// MSAL for Python, run as a program of its own by `Support/msal_cache.py`.
///
/// The interpreter is `KEYFOB_PYTHON`, or `.venv/bin/python3` in the package's folder.
struct PythonMSAL {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let testFolder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    private static var interpreter: URL {
        if let path = ProcessInfo.processInfo.environment["KEYFOB_PYTHON"] { return URL(filePath: path) }
        return testFolder.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: ".venv/bin/python3")
    }

    /// What the script prints; an error where it fails.
    @discardableResult
    static func run(_ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = interpreter
        process.arguments = [testFolder.appending(path: "Support/msal_cache.py").path] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        do {
            try process.run()
        } catch {
            throw Failure(description: "\(interpreter.path) cannot be run; set KEYFOB_PYTHON to a python3 with msal")
        }
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "msal_cache.py \(arguments.first ?? "") failed:\n\(output)")
        }
        return output
    }
}

/// The mark of tests that need MSAL for Python.
///
/// Where it is missing they fail; nothing is skipped.
struct RequiresMSAL: SuiteTrait, TestTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try PythonMSAL.run("version")
        try await function()
    }
}

extension Trait where Self == RequiresMSAL {
    /// Needs a Python with `msal`: `KEYFOB_PYTHON`, or `.venv/bin/python3` in the package's folder.
    static var requiresMSAL: Self { Self() }
}
