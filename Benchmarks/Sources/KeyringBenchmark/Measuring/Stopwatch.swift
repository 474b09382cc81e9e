/// Runs from when it is made.
struct Stopwatch {
    private let start = ContinuousClock.now

    /// The seconds since then.
    var seconds: Double {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
