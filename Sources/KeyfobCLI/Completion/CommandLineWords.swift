/// The words of a line of the shell as far as the cursor, the last of them unfinished, and empty behind a space.
///
/// Quotes and backslashes are taken away; what a shell would expand stays as it is.
enum CommandLineWords {
    /// The words behind the program's name.
    static func split(_ line: String) -> [String] {
        var words = [""]
        var (quote, isEscaped): (Character?, Bool) = (nil, false)
        for character in line {
            if isEscaped {
                words[words.count - 1].append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else if quote == nil, character == " " || character == "\t" {
                if words.last != "" { words.append("") }
            } else {
                words[words.count - 1].append(character)
            }
        }
        // Variables may be set before the name.
        let name = words.firstIndex { !$0.contains("=") || $0.hasPrefix("-") } ?? 0
        return Array(words.dropFirst(name + 1))
    }
}
