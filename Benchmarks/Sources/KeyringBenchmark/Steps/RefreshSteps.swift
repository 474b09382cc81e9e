import ArgumentParser
import Dispatch
import Foundation
import Keyfob
import KeyfobNetwork
import Synchronization

/// Imports the cache with the accounts of the provider in `endpoint.py`.
struct RefreshFillStep: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "refresh-fill", shouldDisplay: false)

    @Argument var folder: String

    func run() throws {
        let sample = SampleVault(folder: folder)
        let keyring = try Keyring.create(at: sample.location, slot: .keyFile(try sample.key())).keyring
        let report = try keyring.caches.importMSAL(try SampleVault.secret(sample.cache))
        try Measurements([.accounts: Double(report.accounts[.added] ?? 0)]).write()
    }
}

/// Refreshes tokens without asking anybody: one after the other, and 30 times at once.
struct RefreshStep: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "silent-refresh", shouldDisplay: false)

    @Argument var folder: String
    @Argument var accounts: Int
    @Option var python: String
    @Option var peers: String
    /// How many refreshes one after the other.
    @Option var rounds = 60
    /// How often 30 ask at once.
    @Option var gatherings = 3

    func run() throws {
        let endpoint = try Endpoint(python: python, peers: peers)
        defer { endpoint.stop() }
        let sample = SampleVault(folder: folder)
        // Five, as five programs would have.
        let keyrings = try (0..<5).map { _ in try sample.open() }
        let provider = NewProvider(issuer: endpoint.issuer, name: "benchmark", environment: "127.0.0.1")
        try keyrings[0].providers.add(provider, replacing: true)
        let measuring = SilentRefreshes(
            keyrings: keyrings, network: try .system(NetworkConfiguration(userAgent: "keyring-benchmark")),
            endpoint: endpoint, accounts: accounts)
        let (rounds, gatherings) = (rounds, gatherings)
        let found = try Self.wait {
            try await measuring.oneByOne(rounds).merging(try await measuring.atOnce(gatherings))
        }
        try found.merging(
            Measurements([.peakMemory: PeakMemory.mebibytes(), .syncMilliseconds: try syncMilliseconds()])
        ).write()
    }

    /// What it takes to make one block durable: a refresh does so several times.
    private func syncMilliseconds() throws -> Double {
        let path = folder + "/block"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        guard let file = FileHandle(forWritingAtPath: path) else { throw ValidationError("no file to sync") }
        return try Samples.timing(100) {
            try file.seek(toOffset: 0)
            try file.write(contentsOf: Data(count: 4_096))
            try file.synchronize()
        }.scaled(1_000).median
    }

    /// Waits on the main thread: a program that only looks tokens up has no task either.
    private static func wait(
        _ body: @escaping @Sendable () async throws -> Measurements
    ) throws -> Measurements {
        let done = DispatchSemaphore(value: 0)
        let result = ResultBox()
        Task {
            do {
                let found = try await body()
                result.value.withLock { $0 = .success(found) }
            } catch {
                result.value.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        done.wait()
        guard let found = result.value.withLock({ $0 }) else { throw ValidationError("no result") }
        return try found.get()
    }

    private final class ResultBox: Sendable {
        let value = Mutex<Result<Measurements, any Error>?>(nil)
    }
}

/// Keyrings of one vault whose tokens a provider replaces.
struct SilentRefreshes: Sendable {
    let keyrings: [Keyring]
    let network: Network
    let endpoint: Endpoint
    let accounts: Int

    /// How many ask at once.
    static let crowd = 30

    /// Refreshes one after the other, accounts in random order; each token that comes is stale already.
    func oneByOne(_ rounds: Int) async throws -> Measurements {
        try endpoint.begin(lifetime: 60)
        // One for the connection, the provider's document, and whatever else happens once.
        try await refresh(0)
        var order = LinearCongruence(state: 42)
        var values: [Double] = []
        for _ in 0..<rounds {
            let number = Int(order.next() % UInt64(accounts))
            let stopwatch = Stopwatch()
            try await refresh(number)
            values.append(stopwatch.seconds * 1_000)
        }
        let samples = Samples(values)
        return Measurements([
            .refreshMilliseconds: samples.median, .refreshTailMilliseconds: samples.percentile(0.95),
        ])
    }

    /// Lets 30 tasks with five keyrings ask for the same stale token.
    func atOnce(_ rounds: Int) async throws -> Measurements {
        var found: [Measurements] = []
        for round in 0..<rounds {
            let request = Self.request(round % accounts)
            try endpoint.begin(lifetime: 3_600)
            let stopwatch = Stopwatch()
            let failures = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<Self.crowd {
                    let keyring = keyrings[number % keyrings.count]
                    group.addTask {
                        do {
                            let answer = try await keyring.tokens.acquireSilently(for: request, network: network)
                            return answer.secret.count > 1_000
                        } catch {
                            return false
                        }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 0 : 1) }
            }
            let milliseconds = stopwatch.seconds * 1_000
            let counts = try endpoint.begin(lifetime: 60)
            // As it was: stale.
            try await refresh(round % accounts, SilentOptions(forcesRefresh: true))
            found.append(
                Measurements([
                    .atOnceMilliseconds: milliseconds, .atOnceRequests: counts.requests,
                    .atOnceReuses: counts.reused, .atOnceFailures: Double(failures),
                ]))
        }
        return Measurements(mediansOf: found)
    }

    private func refresh(_ number: Int, _ options: SilentOptions = SilentOptions()) async throws {
        let answer = try await keyrings[0].tokens.acquireSilently(
            for: Self.request(number), options: options, network: network)
        guard answer.found.origin == .provider else { throw ValidationError("the token is not from the provider") }
        guard answer.secret.count > 1_000 else { throw ValidationError("the token is too short") }
    }

    private static func request(_ number: Int) -> TokenRequest {
        var request = SampleVault.request(number)
        request.scopes = ["api.read"]
        return request
    }
}
