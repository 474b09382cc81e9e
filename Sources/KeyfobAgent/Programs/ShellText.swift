internal import KeyfobModel

/// The text of a shell script, and which functions it may call.
///
/// It is looked through for words alone: what it takes too much for a call is refused too often, and nothing is missed that the text
/// names.
struct ShellText {
    private let text: [UInt8]

    init(_ text: [UInt8]) { self.text = text }

    /// The first of several functions that the script may call; nil where it calls none of them.
    ///
    /// It calls those whose name is in it, any where it runs code of other files or texts, or a command that a variable names, and the
    /// one that stands for missing commands.
    func callable(of names: [String]) -> String? {
        if names.contains("command_not_found_handle") { return "command_not_found_handle" }
        if let name = names.first(where: has) { return name }
        return has("eval") || has("source") || hasCommandOfVariable ? names.first : nil
    }

    /// Whether a word is in it.
    private func has(_ word: String) -> Bool {
        let word = Array(word.utf8)
        guard let first = word.first, let last = word.last, word.count <= text.count else { return word.isEmpty }
        return (0...(text.count - word.count)).contains { start in
            let end = start + word.count
            guard text[start] == first, text[start..<end].elementsEqual(word) else { return false }
            let goesOnBefore = start > 0 && Self.isWordPart(text[start - 1]) && Self.isWordPart(first)
            let goesOnBehind = end < text.count && Self.isWordPart(text[end]) && Self.isWordPart(last)
            return !goesOnBefore && !goesOnBehind
        }
    }

    private static func isWordPart(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") }

    /// Words behind which a command begins.
    private static let openings: Set = ["then", "do", "else", "elif", "if", "while", "until", "time", "coproc"]

    /// Whether a variable stands where a command begins, or `.`, which runs another file.
    private var hasCommandOfVariable: Bool {
        var (isCommand, index) = (true, 0)
        func byte(_ index: Int) -> UInt8 { text.indices.contains(index) ? text[index] : 0 }
        while index < text.count {
            let this = text[index]
            index += 1
            switch this {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
            case UInt8(ascii: "#") where isCommand:
                while index < text.count, text[index] != UInt8(ascii: "\n") { index += 1 }
            case UInt8(ascii: "\""), UInt8(ascii: "'"): if isCommand, byte(index) == UInt8(ascii: "$") { return true }
            case UInt8(ascii: "$"):
                if isCommand { return true }
                if byte(index) == UInt8(ascii: "{") { index += 1 }
            case UInt8(ascii: "."):
                if isCommand, byte(index) == UInt8(ascii: " ") || byte(index) == UInt8(ascii: "\t") { return true }
                isCommand = false
            case UInt8(ascii: "("): isCommand = byte(index - 2) != UInt8(ascii: "(")
            case _ where "\n;&|{!`)".utf8.contains(this): isCommand = true
            case _ where isCommand && Self.isWordPart(this):
                var word = [this]
                while Self.isWordPart(byte(index)) {
                    word.append(byte(index))
                    index += 1
                }
                isCommand = Self.openings.contains(String(decoding: word, as: UTF8.self))
            default: isCommand = false
            }
        }
        return false
    }
}
