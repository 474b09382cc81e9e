import Foundation
import Testing

/// A program of `Support/Python`, run by `KEYFOB_PYTHON` or the project's `.venv/bin/python3`.
enum PythonScript {
    /// The interpreter.
    static let interpreter =
        ProcessInfo.processInfo.environment["KEYFOB_PYTHON"]
        ?? ProjectFolder.root.appending(path: ".venv/bin/python3").path

    /// The line that starts it with no folder of the user's in `PYTHONPATH`: with one, no agent knows a script.
    static let ofNoFolder = "MODULES='\(LibraryFile.pythonFolder)' env -u PYTHONPATH '\(interpreter)'"

    /// The path of a script.
    static func path(_ name: String) -> String {
        ProjectFolder.tests.appending(path: "Support/Python/\(name).py").path
    }
}

extension Workplace {
    /// Runs a script; its failure is the test's.
    @discardableResult
    func python(
        _ script: String, _ arguments: String..., input: Data = Data(), location: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let words = [PythonScript.interpreter, PythonScript.path(script)] + arguments
        let line = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        return try run(line, input: input, deadline: 600).expectSuccess(location)
    }
}
