import Foundation
import Testing

/// A command run on a terminal, with what a person types.
struct TerminalRun: Decodable {
    /// The status; nil when it had to be stopped.
    let status: Int32?
    /// All that came on the screen.
    let screen: String
    /// Whether typing was shown, at each step.
    let echoes: [Bool]
    /// Whether the terminal was left as it was found.
    let isRestored: Bool
    /// The text that was waited for in vain.
    let missed: String?
}

extension Workplace {
    /// Runs `line` on a terminal; at each step waits for a text on the screen and types another.
    func onTerminal(_ line: String, _ steps: [(waitFor: String, type: String)]) throws -> TerminalRun {
        try onTerminal(line, steps: steps.map { [$0.waitFor, $0.type] })
    }

    /// The same with steps as `terminal.py` takes them: what is typed may depend on the screen.
    func onTerminal(_ line: String, steps: [[String]]) throws -> TerminalRun {
        struct Task: Encodable {
            let line: String
            let steps: [[String]]
        }
        let outcome = try python("terminal", input: JSONEncoder().encode(Task(line: line, steps: steps)))
        let run = try JSONDecoder().decode(TerminalRun.self, from: outcome.output)
        #expect(run.missed == nil && run.status != nil, "\(run)")
        #expect(run.isRestored, "\(run)")
        return run
    }
}
