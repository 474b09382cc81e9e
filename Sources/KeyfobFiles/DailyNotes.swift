package import KeyfobModel

/// What was told today about a vault, so that it is told once a day.
///
/// One text file in the folder for state, `VAULT.told`, with a line `DAY KEY` for each. Who asks sees to it that a key
/// names nobody; whoever writes in the folder decides nothing but whether something is told once more.
package struct DailyNotes: Sendable {
    private let state: String
    private let path: String

    /// The notes about `vault` in the folder `state` (`$XDG_STATE_HOME/keyfob`).
    package init(state: String, vault: String) {
        self.state = state
        path = state + "/\(vault).told"
    }

    /// Takes note of `key`.
    ///
    /// Two processes at the same moment may both be first.
    ///
    /// - Returns: Whether it is the first time on the day of `now`, in UTC.
    /// - Throws: `notWritable`, `diskFull`, `damaged` for a file that is too long, `inputOutput`.
    package func isFirst(_ key: String, now: Timestamp) throws -> Bool {
        let day = "\(now.seconds / 86_400) "
        let text = String(decoding: try POSIXFile.read(path, limit: 1 << 20) ?? [], as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init).filter { $0.hasPrefix(day) }
        guard !lines.contains(day + key) else { return false }
        try POSIXFile.createDirectories(state)
        let all = (lines + [day + key]).map { $0 + "\n" }.joined()
        try POSIXFile.replace(path, with: Array(all.utf8))
        return true
    }
}
