import Foundation
import Testing

/// The front as it is installed, with the full program beside it.
struct FrontProgram {
    /// What is built: `KEYFOB_FRONT`, or `KeyfobFront` beside the test bundle.
    private static let built = KeyfobBinary.beside("KeyfobFront", variable: "KEYFOB_FRONT")

    /// Installs it below the folder of a test, as `one/bin/keyfob`, with the full program; and as `alone/bin/keyfob`
    /// without.
    static func install(in place: Workplace) throws {
        try place.run(
            """
            mkdir -p one/bin one/libexec/keyfob alone/bin
            cp '\(built)' one/bin/keyfob
            ln -s '\(KeyfobBinary.path)' one/libexec/keyfob/keyfob
            cp one/bin/keyfob alone/bin/keyfob
            """
        ).expectSuccess()
    }
}

extension Workplace {
    /// Runs a line with `keyfob` being the front, and expects what the full program says and prints.
    @discardableResult
    func runBoth(_ line: String, _ deadline: Int = 60) throws -> Outcome {
        let full = try run(line, deadline: deadline)
        let front = try run("PATH=\(path)/one/bin:$PATH; \(line)", deadline: deadline)
        let isSame = full.status == front.status && full.output == front.output && full.errors == front.errors
        if !isSame { Issue.record("the full program: \(full)\nthe front: \(front)") }
        return front
    }

    /// The same; whether the front answers by itself.
    func isAnsweredByFront(_ line: String) throws -> Bool {
        let full = try runBoth(line)
        let alone = try run("PATH=\(path)/alone/bin:$PATH; \(line)")
        if alone.status == 69 {
            alone.expectError(69, "/libexec/keyfob/keyfob, is missing or cannot be started")
            return false
        }
        #expect(alone.status == full.status && alone.output == full.output && alone.errors == full.errors)
        return true
    }
}
