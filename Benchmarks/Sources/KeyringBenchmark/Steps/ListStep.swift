import ArgumentParser
import Keyfob

/// Lists all accounts of an open keyring.
struct ListStep: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", shouldDisplay: false)

    @Argument var folder: String
    @Option var rounds = 5

    func run() throws {
        let keyring = try SampleVault(folder: folder).open()
        var count = 0
        let milliseconds = try Samples.timing(rounds) { count = try keyring.accounts.list().count }.scaled(1_000)
        try Measurements([
            .listMilliseconds: milliseconds.median, .accounts: Double(count), .peakMemory: PeakMemory.mebibytes(),
        ]).write()
    }
}
