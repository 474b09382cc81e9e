import Foundation

/// How long the tests with random input run.
enum TestLength {
    /// Whether the long versions are to be run: `KEYFOB_FULL=1`.
    static let isFull = ProcessInfo.processInfo.environment["KEYFOB_FULL"] == "1"

    /// How many triples of states the laws are tried on.
    static let triples = isFull ? 100_000 : 5_000
    /// How many histories are played.
    static let histories = isFull ? 10_000 : 300
}
