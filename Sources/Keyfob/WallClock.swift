internal import Glibc

/// Where a keyring gets the time from.
public struct WallClock: Sendable {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    public let milliseconds: @Sendable () -> Int64

    /// A clock that answers with what `milliseconds` returns.
    public init(milliseconds: @escaping @Sendable () -> Int64) {
        self.milliseconds = milliseconds
    }

    /// The system's clock.
    public static let system = WallClock {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// A clock that stands at `time`.
    public static func standing(at time: Timestamp) -> WallClock {
        WallClock { time.seconds * 1_000 }
    }

    /// Now, in seconds.
    public var now: Timestamp { Timestamp(seconds: milliseconds() / 1_000) }
}
