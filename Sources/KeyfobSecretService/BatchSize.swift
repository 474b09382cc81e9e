/// How many secrets to ask for at a time.
///
/// An answer that D-Bus's limits forbid (64 MiB for an array) ends the service's connection to the bus, and nobody says
/// beforehand how long secrets are. Nor how long it takes: GNOME's keyring needs 7 ms for each secret when it has
/// 20,000. So it begins with few, and grows as long as they are short and come quickly.
package struct BatchSize: Equatable, Sendable {
    /// From 1 to 256.
    package private(set) var count = 32

    private let deadline: Duration

    package init(deadline: Duration) {
        self.deadline = deadline
    }

    /// Learns from the last batch.
    ///
    /// - Parameters:
    ///   - longest: The number of bytes of its longest secret.
    ///   - time: How long it took.
    package mutating func adapt(longest: Int, time: Duration) {
        let fitting = Self.bytes / max(1, longest)
        // A tenth of what is allowed, at the speed of the last batch.
        let timely = Double(count) * (deadline / max(time, .microseconds(1))) / 10
        count = max(1, min(256, 2 * count, fitting, Int(min(256, timely))))
    }

    private static let bytes = 8 << 20
}
