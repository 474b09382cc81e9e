import ArgumentParser
import Keyfob

/// Reads the key file, opens the vault, unlocks it and looks one token up: once in a fresh process, and then
/// anew, several times, in the same one.
struct FirstAccessStep: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "first-access", shouldDisplay: false)

    @Argument var folder: String
    @Argument var account: Int

    func run() throws {
        let sample = SampleVault(folder: folder)
        let request = SampleVault.request(account)
        let stopwatch = Stopwatch()
        let keyring = try sample.open()
        let count = try keyring.tokens.stored(for: request).secret.count
        let seconds = stopwatch.seconds
        guard count > 1_000 else { throw ValidationError("the token is too short") }
        let reopening = try Samples.timing(Array(repeating: request, count: 20)) { request in
            _ = try sample.open().tokens.stored(for: request).secret.count
        }
        try Measurements([
            .firstAccessMilliseconds: seconds * 1_000, .reopeningMilliseconds: reopening.scaled(1_000).median,
            .peakMemory: PeakMemory.mebibytes(),
        ]).write()
    }
}
