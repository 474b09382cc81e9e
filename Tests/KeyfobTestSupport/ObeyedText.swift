/// What a terminal obeys, hides or reorders a line by.
package enum ObeyedText {
    /// Each by itself.
    package static let scalars: [Unicode.Scalar] = [
        "\u{0}", "\t", "\n", "\r", "\u{1B}", "\u{7F}", "\u{80}", "\u{85}", "\u{9B}", "\u{9D}", "\u{AD}", "\u{61C}",
        "\u{180E}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202B}",
        "\u{202C}", "\u{202D}", "\u{202E}", "\u{2060}", "\u{2064}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
        "\u{FEFF}", "\u{FFF9}", "\u{FFFB}", "\u{E0000}", "\u{E007F}",
    ]
}
