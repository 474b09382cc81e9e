import ArgumentParser
import Keyfob

/// Looks tokens up in an open keyring: of accounts in random order, and of one again and again.
struct LookUpStep: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "look-up", shouldDisplay: false)

    @Argument var folder: String
    @Argument var accounts: Int
    @Option var rounds = 2_000

    func run() throws {
        let keyring = try SampleVault(folder: folder).open()
        // Always the same order, so that runs are alike.
        var order = LinearCongruence(state: 42)
        let requests = (0..<rounds).map { _ in SampleVault.request(Int(order.next() % UInt64(accounts))) }
        var bytes = 0
        func look(_ request: TokenRequest) throws {
            bytes += try keyring.tokens.stored(for: request).secret.count
        }
        // Once without measuring: the keyring remembers what it was asked.
        for request in requests { try look(request) }
        let random = try Samples.timing(requests, look)
        let same = try Samples.timing(Array(repeating: requests[0], count: rounds), look)
        guard bytes > rounds * 1_000 else { throw ValidationError("the tokens are too short") }
        try Measurements([
            .newLookupMicroseconds: try newLookups().scaled(1_000_000).median,
            .lookupMicroseconds: random.scaled(1_000_000).median,
            .repeatedLookupMicroseconds: same.scaled(1_000_000).median,
            .peakMemory: PeakMemory.mebibytes(),
        ]).write()
    }

    /// Lookups of accounts that the keyring has not been asked about, several keyrings' worth where there are few.
    private func newLookups() throws -> Samples {
        let count = min(accounts - 1, rounds)
        var values: [Double] = []
        while values.count < min(rounds, 200) {
            let keyring = try SampleVault(folder: folder).open()
            // One for the statements to be prepared.
            _ = try keyring.tokens.stored(for: SampleVault.request(0)).secret.count
            for number in 1...count {
                let request = SampleVault.request(number)
                let stopwatch = Stopwatch()
                _ = try keyring.tokens.stored(for: request).secret.count
                values.append(stopwatch.seconds)
            }
        }
        return Samples(values)
    }
}

/// Numbers that look random and are the same at every run (Knuth's MMIX generator, its upper half).
struct LinearCongruence {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
