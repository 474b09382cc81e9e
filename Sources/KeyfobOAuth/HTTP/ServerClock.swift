package import KeyfobModel

/// By how much a server's clock is another one than this machine's, as the dates of its answers say.
package struct ServerClock: Hashable, Sendable {
    /// By how many seconds it is ahead.
    private var offset: Int64 = 0

    private static let tolerance: Int64 = 5
    /// What is signed for later is good for whoever finds it until then.
    private static let longestOffset: Int64 = 86_400

    /// One that is the same.
    package init() {}

    /// That of a server whose time it is `theirs`; nil where it is known to be that already, or off by more than a day.
    package func following(_ theirs: Timestamp, now: Timestamp) -> ServerClock? {
        let found = theirs.seconds - now.seconds
        guard abs(found - offset) > Self.tolerance, abs(found) <= Self.longestOffset else { return nil }
        var clock = self
        clock.offset = found
        return clock
    }

    /// What time it is there.
    package func time(_ now: Timestamp) -> Timestamp { now.advanced(by: offset) }
}
