import ArgumentParser

/// Measures a keyring beside MSAL for Python.
///
/// Each step runs in a process of its own, so that its first access is a first one and its peak memory its own.
@main
struct KeyringBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keyring-benchmark",
        abstract: "Measure a keyring beside MSAL for Python.",
        subcommands: [
            CompareCommand.self, FillStep.self, ListStep.self, LookUpStep.self, FirstAccessStep.self,
            RefreshCommand.self, RefreshFillStep.self, RefreshStep.self,
        ],
        defaultSubcommand: CompareCommand.self)
}
