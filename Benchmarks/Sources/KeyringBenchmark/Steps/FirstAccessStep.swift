import ArgumentParser
import Keyfob

/// Reads the key file, opens the vault, unlocks it and looks one token up, once: run in a fresh process.
struct FirstAccessStep: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "first-access", shouldDisplay: false)

    @Argument var folder: String
    @Argument var account: Int

    func run() throws {
        let sample = SampleVault(folder: folder)
        let request = SampleVault.request(account)
        let stopwatch = Stopwatch()
        let keyring = try sample.open()
        let count = try keyring.token(for: request).secret.count
        let seconds = stopwatch.seconds
        guard count > 1_000 else { throw ValidationError("the token is too short") }
        try Measurements([.firstAccessMilliseconds: seconds * 1_000, .peakMemory: PeakMemory.mebibytes()]).write()
    }
}
