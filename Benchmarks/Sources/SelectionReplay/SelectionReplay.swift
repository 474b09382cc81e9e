import ArgumentParser
import Foundation

/// Replays real histories of account choices against the selection and against simple rules.
///
/// At each choice a rule knows what came before it: it takes an account or asks, and is then told the truth.
@main
struct SelectionReplay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selection-replay",
        abstract: "Replay histories of account choices.",
        discussion: """
            Each *.jsonl file of the folders is one person's history: a first line with the accounts, and one \
            line for each choice. The cost is 10 x the share of choices taken wrongly + the share asked.

            Example:
              selection-replay traces/accounts
              selection-replay --speed
            """)

    @Argument(help: "Folders with histories.") var folders: [String] = []
    @Flag(help: "Print a JSON document.") var json = false
    @Flag(help: "Measure one choice among 10,000 accounts instead; no histories are needed.") var speed = false
    @Option(help: ArgumentHelp("Write the selection's features there, for fit-selection.py.", valueName: "folder"))
    var features: String?

    func validate() throws {
        if folders.isEmpty != speed { throw ValidationError("give folders with histories, or --speed") }
    }

    func run() throws {
        if speed {
            for count in [50, 10_000] { print(SpeedMeasurement(usedAccounts: count).text, terminator: "") }
            return
        }
        let traces = try folders.flatMap(Trace.all)
        guard !traces.isEmpty else { throw ValidationError("no *.jsonl file in \(folders.joined(separator: ", "))") }
        if let features { return try FeatureDump(folder: features).write(traces) }
        let rules: [any Rule.Type] = [
            KeyfobRule.self, LastUsedRule.self, StreakRule<Three>.self, StreakRule<Five>.self, StreakRule<Ten>.self,
        ]
        let report = Report(
            choices: traces.reduce(0) { $0 + $1.choices.count }, rules: rules.map { Score(of: $0, traces) })
        print(json ? try report.json() : report.text, terminator: "")
    }
}
