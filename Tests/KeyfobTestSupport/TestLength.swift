internal import Foundation

/// How long those tests run that kill, race or try at random.
package enum TestLength {
    /// Whether the long versions are to be run, as `make test-full` does: `KEYFOB_FULL=1`.
    package static let isFull = ProcessInfo.processInfo.environment["KEYFOB_FULL"] == "1"

    /// How many rounds: some, in a full run many.
    package static func rounds(_ some: Int, full many: Int) -> Int { isFull ? many : some }
}
