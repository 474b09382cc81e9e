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
        // More different accounts than a keyring remembers answers, where there are as many.
        let requests = (0..<rounds).map { _ in SampleVault.request(Int(order.next() % UInt64(accounts))) }
        var bytes = 0
        func look(_ request: TokenRequest) throws {
            bytes += try keyring.token(for: request).secret.count
        }
        // Once without measuring: the pages of the file come into memory.
        for request in requests { try look(request) }
        let random = try Samples.timing(requests, look)
        let same = try Samples.timing(Array(repeating: requests[0], count: rounds), look)
        guard bytes > rounds * 1_000 else { throw ValidationError("the tokens are too short") }
        try Measurements([
            .lookupMicroseconds: random.scaled(1_000_000).median,
            .repeatedLookupMicroseconds: same.scaled(1_000_000).median,
            .peakMemory: PeakMemory.mebibytes(),
        ]).write()
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
