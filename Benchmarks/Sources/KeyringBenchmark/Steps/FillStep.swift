import ArgumentParser
import Foundation
import Keyfob

/// Makes a vault and imports the cache into it.
struct FillStep: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "fill", shouldDisplay: false)

    @Argument var folder: String

    func run() throws {
        let sample = SampleVault(folder: folder)
        let keyring = try Keyring.create(at: sample.location, slot: .keyFile(try sample.key())).keyring
        let cache = try SampleVault.secret(sample.cache)
        let stopwatch = Stopwatch()
        let report = try keyring.caches.importMSAL(cache)
        let seconds = stopwatch.seconds
        let credentials = report.credentials[.added] ?? 0
        try Measurements([
            .importSeconds: seconds, .credentials: Double(credentials), .peakMemory: PeakMemory.mebibytes(),
        ]).write()
    }
}
