internal import FoundationEssentials

/// The characters that the person's terminal shows: those of UTF-8, or ASCII where the locale is another one.
///
/// There what else would be sent is not only unreadable: bytes of UTF-8 are controls in ISO 8859. What goes elsewhere, to
/// files and programs, is UTF-8 always.
package enum TerminalCharset {
    /// Whether this process's locale has UTF-8.
    package static let isUTF8 = isUTF8(ProcessInfo.processInfo.environment)

    /// What stands for text that was left out.
    package static let ellipsis = isUTF8 ? "…" : "..."

    private static let signs: [Character: String] = [
        "…": "...", "·": "-", "│": "|", "↑": "Up", "↓": "Down", "–": "-",
    ]

    /// Whether a locale's characters are those of UTF-8: the first of the variables that is not empty counts.
    package static func isUTF8(_ environment: [String: String]) -> Bool {
        let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let folded = name.lowercased()
        return folded.contains("utf-8") || folded.contains("utf8")
    }

    /// A text as the terminal shows it: where it has no UTF-8, own signs have others in their place, and each character of
    /// a name that it lacks is "?".
    package static func shown(_ text: String, isUTF8: Bool = isUTF8) -> String {
        guard !isUTF8, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        return text.map { $0.isASCII ? String($0) : signs[$0] ?? "?" }.joined()
    }
}
