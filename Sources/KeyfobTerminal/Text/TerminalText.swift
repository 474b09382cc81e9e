internal import KeyfobModel

/// Text that a terminal shows and obeys in nothing.
///
/// Every message goes through here on its way out, in ``StandardError``, ``StandardOutput`` and ``Terminal``, because a
/// label, a path, an argument or a provider's answer may hold whatever its writer liked. What a terminal would obey, or
/// what reorders, hides or breaks a line, becomes U+FFFD.
package enum TerminalText {
    /// One line.
    package static func line(_ text: String) -> String { replaced(text, keepsLineEnds: false) }

    /// Lines that were put together here, each ended by a line feed.
    package static func lines(_ text: String) -> String { replaced(text, keepsLineEnds: true) }

    /// A JSON document in which strings hold such characters as escapes: the same document to a program.
    ///
    /// - Parameter isASCII: Whether all that is no ASCII is one; nil for a terminal that has nothing else.
    package static func json(
        _ document: String, isASCII: Bool? = nil
    ) -> String {
        let isASCII = isASCII ?? (StandardOutput.isTerminal && !TerminalCharset.isUTF8)
        // Line feeds part its tokens, and other controls below U+007F are escapes already.
        func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
            scalar.value >= 0x7F && (isASCII || Identifier.isObeyedByTerminals(scalar))
        }
        guard document.utf8.contains(where: { $0 >= 0x7F }), document.unicodeScalars.contains(where: isEscaped) else {
            return document
        }
        var text = ""
        for scalar in document.unicodeScalars {
            if isEscaped(scalar) {
                for unit in Character(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func replaced(_ text: String, keepsLineEnds: Bool) -> String {
        // Nearly all text.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        func isReplaced(_ scalar: Unicode.Scalar) -> Bool {
            Identifier.isObeyedByTerminals(scalar) && !(keepsLineEnds && scalar == "\n")
        }
        guard text.unicodeScalars.contains(where: isReplaced) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isReplaced($0) ? "\u{FFFD}" : $0 }))
    }
}
