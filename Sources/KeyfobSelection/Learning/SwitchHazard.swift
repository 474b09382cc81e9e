internal import Glibc

/// How likely people at large are to change the account, after a streak and a pause.
///
/// A logistic regression over the traces that the parameters were tuned on; see `Benchmarks/README.md`.
enum SwitchHazard {
    /// The logarithm of the odds that the account changes.
    ///
    /// - Parameters:
    ///   - logStreak: The natural logarithm of the streak's length.
    ///   - logPause: The natural logarithm of the pause in seconds, plus 1.
    ///   - isFirstRun: Whether the window begins with this streak.
    static func logOdds(logStreak: Double, logPause: Double, isFirstRun: Bool) -> Double {
        var value = intercept + streak * logStreak + pause * logPause + both * logStreak * logPause / 10
        if logPause < log(1_801) { value += short }
        if isFirstRun { value += first + firstStreak * logStreak }
        return value
    }

    private static let intercept = -1.591
    private static let streak = -1.667
    private static let pause = 0.077
    private static let both = 0.66
    private static let short = 0.104
    private static let first = -2.126
    private static let firstStreak = 0.509
}
