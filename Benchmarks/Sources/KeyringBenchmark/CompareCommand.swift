import ArgumentParser
import Foundation

/// Runs every step for each number of accounts and prints what they found.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Run everything and print a table.",
        usage: "keyring-benchmark compare --python FILE --peers DIR [--keyfob FILE] [--quick] [--json]")

    @Option(help: "A python3 with msal and msal-extensions.") var python: String
    @Option(help: "The folder with the Python scripts.") var peers: String
    @Option(help: "The keyfob command, to measure whole processes.") var keyfob: String?
    @Flag(help: "Fewer rounds.") var quick = false
    @Flag(help: "Print a JSON document.") var json = false

    /// Each with four credentials.
    private static let accountCounts = [10, 1_000, 10_000]

    func run() throws {
        var rows: [Comparison.Row] = []
        for accounts in Self.accountCounts {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let measuring = StepRunner(
                sample: SampleVault(folder: folder.path), accounts: accounts, python: python, peers: peers,
                keyfob: keyfob, rounds: quick ? 5 : 15, lookups: quick ? 500 : 2_000)
            rows.append(try measuring.row())
        }
        let comparison = Comparison(rows: rows)
        print(json ? try comparison.json() : comparison.text(), terminator: "")
    }
}
