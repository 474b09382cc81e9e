/// Texts in lines of a width.
enum PickerText {
    /// Joins texts into at most `lines` lines; what has no room is cut with "…" in the last one.
    static func wrapped(_ texts: [String], _ separator: String, to cells: Int, lines: Int) -> [String] {
        var wrapped: [String] = []
        for text in texts {
            if let last = wrapped.last {
                let joined = last + separator + text
                if DisplayWidth.of(joined) <= cells || wrapped.count == lines {
                    wrapped[wrapped.count - 1] = joined
                    continue
                }
            }
            wrapped.append(text)
        }
        return wrapped.prefix(max(0, lines)).map { DisplayWidth.cut($0, to: cells) }
    }
}
