/// Tells on standard error how far something long has come, when that is a terminal.
package final class Progress {
    private let what: String
    private let isShown: Bool
    private var lastPercent = -1

    /// Progress of `what`, such as "importing".
    package init(_ what: String, isQuiet: Bool) {
        self.what = what
        isShown = !isQuiet && StandardError.isTerminal
    }

    /// Shows the share of `all` that is done; small jobs show nothing.
    package func update(_ done: Int, _ all: Int) {
        guard isShown, all >= 500 else { return }
        let percent = done * 100 / max(1, all)
        guard percent != lastPercent else { return }
        lastPercent = percent
        StandardError.show(progress: Self.line(what, percent, all, columns: StandardError.columns ?? 80))
        if done >= all { finish() }
    }

    /// How far it is, in a line that does not reach the end of the terminal's: the next one is to take its place.
    static func line(_ what: String, _ percent: Int, _ all: Int, columns: Int) -> String {
        let (start, end) = ("\(what) [", "] \(percent) % of \(all)")
        let cells = min(20, columns - 1 - DisplayWidth.of(start + end))
        guard cells > 0 else { return DisplayWidth.cut("\(what) \(percent) %", to: columns - 1) }
        let filled = percent * cells / 100
        return start + String(repeating: "#", count: filled) + String(repeating: ".", count: cells - filled) + end
    }

    /// Removes the line.
    package func finish() {
        guard isShown, lastPercent >= 0 else { return }
        StandardError.show(progress: "")
        lastPercent = -1
    }
}

/// Tells on standard error how much of something long has passed where nobody knows how much there is.
package final class Amount {
    private let what: String
    private let isShown: Bool
    private var bytes = 0
    private var lastShown = 0

    /// The amount of `what`, such as "writing".
    package init(_ what: String, isQuiet: Bool) {
        self.what = what
        isShown = !isQuiet && StandardError.isTerminal
    }

    /// Shows it anew for each MiB.
    package func add(_ count: Int) {
        bytes += count
        guard isShown, bytes >> 20 > lastShown else { return }
        lastShown = bytes >> 20
        StandardError.show(progress: "\(what) … \(lastShown) MiB")
    }

    /// Removes the line.
    package func finish() {
        guard lastShown > 0 else { return }
        StandardError.show(progress: "")
        lastShown = 0
    }
}
