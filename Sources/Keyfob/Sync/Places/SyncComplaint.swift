/// Why git or rclone could not do something: the line of all that it printed that says so, without what must stay secret.
enum SyncComplaint {
    /// What git says.
    ///
    /// What the other side answers goes before what git makes of it, and ssh's own words before git's "could
    /// not read from remote repository".
    static func ofGit(_ text: String) -> String? {
        let lines = lines(of: text)
        let answer = lines.first { $0.hasPrefix("remote: ") && !isProgress($0) }.map { rest(of: $0, "remote: ") }
        let refusal = lines.first { $0.hasPrefix("! [") }.map { rest(of: $0, "! ") }
        let own = lines.first { $0.hasPrefix("fatal: ") || $0.hasPrefix("error: ") }
        let others = lines.filter { line in
            ![
                "fatal: ", "error: ", "remote: ", "hint: ", "warning: ", "Warning: ", "! [", "To ", "@",
                "Please make sure",
            ]
            .contains(where: line.hasPrefix) && line != "and the repository exists."
        }
        let isOfTransport = own?.contains("Could not read from remote repository") ?? true
        var reason = answer
        if isOfTransport { reason = reason ?? others.last.map { String($0) } }
        reason = reason ?? refusal ?? own.map { rest(of: $0, "fatal: ", "error: ") }
        return reason.map { harmless(rest(of: $0, "ERROR: ")) }
    }

    /// What rclone says: the last that failed.
    static func ofRclone(_ text: String) -> String? {
        let line = lines(of: text).last { $0.contains("Failed") || $0.contains("ERROR") || $0.contains("CRITICAL") }
        guard let line else { return lines(of: text).last.map { harmless(String($0)) } }
        // 2026/11/27 08:14:20 CRITICAL: Failed to …
        return harmless(String(line.split(separator: ": ", maxSplits: 1).last ?? line[...]))
    }

    /// Whether a reason is that nobody could be reached.
    static func isOfNetwork(_ reason: String) -> Bool {
        [
            "Could not resolve", "Couldn't connect", "Couldn't resolve", "Connection refused", "Connection timed out",
            "Connection reset", "Network is unreachable", "No route to host", "no such host", "i/o timeout",
            "Could not connect",
            "connection refused",
        ].contains(where: reason.contains)
    }

    /// A text without passwords and tokens: neither before the host of an address, nor behind its question mark, nor in the
    /// settings that rclone takes in the name of a place.
    static func harmless(_ text: String) -> String {
        text.replacing(/((?:https?|ftp|git|webdavs?):\/\/)[^\/@\s'"]*@/) { $0.1 }
            .replacing(/((?:https?|webdavs?):\/\/[^\s'"?]*)\?[^\s'"]*/) { $0.1 }
            .replacing(
                /([A-Za-z_]*(?:pass|secret|token|key|auth|credential)[A-Za-z_]*)=(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|[^,:\s'"]*)/
                    .ignoresCase()
            ) {
                "\($0.1)=…"
            }
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(whereSeparator: \.isNewline).map { line in
            line.drop(while: \.isWhitespace)
        }.filter { !$0.isEmpty }
    }

    private static func rest(of line: some StringProtocol, _ prefixes: String...) -> String {
        let prefix = prefixes.first(where: line.hasPrefix) ?? ""
        return String(line.dropFirst(prefix.count)).trimmingSpaces
    }

    /// Whether a line of the other side tells how far it is.
    private static func isProgress(_ line: Substring) -> Bool {
        let words = rest(of: line, "remote: ")
        return words.isEmpty || words.allSatisfy { "=-*#".contains($0) }
            || ["Enumerating", "Counting", "Compressing", "Total", "Resolving", "Processing"].contains(
                where: words.hasPrefix)
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
