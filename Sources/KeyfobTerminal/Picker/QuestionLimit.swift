internal import Glibc

/// How long a question to a person stays: until nobody needs the answer any more, or nobody has typed for a while.
package struct QuestionLimit {
    /// How often somebody looks whether the answer is still needed, in milliseconds.
    static let interval: Int32 = 250

    private let seconds: Int
    private let isWanted: () -> Bool
    private var start = Self.now

    /// A limit.
    ///
    /// - Parameters:
    ///   - seconds: For how long nobody has to have typed anything.
    ///   - isWanted: Whether somebody still needs the answer.
    package init(seconds: Int, isWanted: @escaping () -> Bool) {
        self.seconds = seconds
        self.isWanted = isWanted
    }

    /// Somebody has typed.
    mutating func restart() { start = Self.now }

    /// - Throws: `unwanted`, `unanswered`.
    func check() throws(TerminalFailure) {
        guard isWanted() else { throw .unwanted }
        guard Self.now - start < seconds else { throw .unanswered }
    }

    private static var now: Int {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }
}
