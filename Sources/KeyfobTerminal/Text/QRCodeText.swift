/// A QR code as lines of text, two modules in the height of one character; where the terminal has ASCII alone, a module in
/// the width of two.
///
/// With colours both are set, so the code looks the same on every terminal. Without colours nobody knows which is
/// which: the blocks stand for the light modules then, which is right where text is light on dark, as on most terminals;
/// on the others the code appears with light and dark exchanged, which most telephones read as well.
package struct QRCodeText {
    /// The light margin that readers need, in modules.
    static let margin = 4

    private let code: QRCode
    private let isColored: Bool
    private let isASCII: Bool

    init(_ code: QRCode, isColored: Bool, isASCII: Bool = false) {
        self.code = code
        self.isColored = isColored
        self.isASCII = isASCII
    }

    /// The lines for a text, each with its end; nil where the code would not be seen as it is.
    ///
    /// - Parameters:
    ///   - text: What the code holds, such as an address.
    ///   - isColored: Whether to set colours.
    ///   - columns: How wide the terminal is; nil where there is none.
    ///   - isUTF8: Whether it shows more than ASCII.
    /// - Returns: nil without a terminal, on one that is too narrow, and for a text that is too long.
    package static func lines(
        for text: String, isColored: Bool, columns: Int? = StandardError.columns, isUTF8: Bool = TerminalCharset.isUTF8
    ) -> String? {
        guard let columns, let code = QRCode(text) else { return nil }
        let drawing = QRCodeText(code, isColored: isColored, isASCII: !isUTF8)
        guard drawing.width <= columns else { return nil }
        return drawing.lines.map { $0 + "\n" }.joined()
    }

    /// How many columns the lines take.
    var width: Int { (code.size + 2 * Self.margin) * (isASCII ? 2 : 1) }

    /// The lines, without ends.
    var lines: [String] {
        let range = -Self.margin..<code.size + Self.margin
        if isASCII { return range.map { row in range.map { module(code.isDark(row, $0)) }.joined() + end } }
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let blocks = range.map { block(code.isDark(row, $0), code.isDark(row + 1, $0)) }.joined()
            // Black on white, of the colours that no theme changes.
            return isColored ? "\u{1B}[38;5;16;48;5;231m" + blocks + "\u{1B}[0m" : blocks
        }
    }

    /// The character whose filled halves are the dark modules, or without colours the light ones.
    private func block(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper == isColored, lower == isColored) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }

    /// A module by itself: a ground, or without colours "#" for a light one.
    private func module(_ isDark: Bool) -> String {
        guard isColored else { return isDark ? "  " : "##" }
        return isDark ? "\u{1B}[48;5;16m  " : "\u{1B}[48;5;231m  "
    }

    private var end: String { isColored ? "\u{1B}[0m" : "" }
}
