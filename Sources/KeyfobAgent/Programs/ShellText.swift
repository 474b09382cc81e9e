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
        if let name = names.first(where: { $0.unicodeScalars.contains("\u{FFFD}") || has($0) }) { return name }
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

    static func isWordPart(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") }

    /// Where a word ends that begins at a place, or what ends with a byte, which is behind that; nil where that cannot be told.
    private func end(of closing: UInt8?, from start: Int, depth: Int = 0) -> Int? {
        guard depth < 32 else { return nil }
        var index = start
        while index < text.count {
            let this = text[index]
            index += 1
            if let closing {
                if this == closing { return index }
            } else if " \t\r\n;&|)<>".utf8.contains(this) {
                return index - 1
            }
            let inner: UInt8
            switch this {
            case UInt8(ascii: "\\"):
                index += 1
                continue
            case UInt8(ascii: "'") where closing != UInt8(ascii: "\""):
                while index < text.count, text[index] != this { index += 1 }
                index += 1
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "`"): inner = this
            case UInt8(ascii: "(") where closing != UInt8(ascii: "\"") || text[index - 2] == UInt8(ascii: "$"):
                inner = UInt8(ascii: ")")
            case UInt8(ascii: "{") where text[max(start, index - 2)] == UInt8(ascii: "$"): inner = UInt8(ascii: "}")
            default: continue
            }
            guard let end = end(of: inner, from: index, depth: depth + 1) else { return nil }
            index = end
        }
        return closing == nil ? text.count : nil
    }

    /// Words behind which a command begins.
    private static let openings: Set = ["then", "do", "else", "elif", "if", "while", "until", "time", "coproc"]

    /// Whether a variable stands where a command begins, or `.`, which runs another file.
    private var hasCommandOfVariable: Bool {
        var (isCommand, index) = (true, 0)
        // Where the values end behind which a command still begins, as in `LC_ALL=C command`: there may be commands in them.
        var values: [Int] = []
        func byte(_ index: Int) -> UInt8 { text.indices.contains(index) ? text[index] : 0 }
        while index < text.count {
            while let end = values.last, index >= end {
                values.removeLast()
                isCommand = true
            }
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
                if byte(index) == UInt8(ascii: "["), let end = end(of: UInt8(ascii: "]"), from: index + 1) {
                    let isSet = byte(end) == UInt8(ascii: "=") || byte(end) == UInt8(ascii: "+")
                    if isSet, byte(end) == UInt8(ascii: "=") || byte(end + 1) == UInt8(ascii: "=") { index = end }
                }
                if byte(index) == UInt8(ascii: "+"), byte(index + 1) == UInt8(ascii: "=") { index += 1 }
                if byte(index) == UInt8(ascii: "=") {
                    index += 1
                    guard let end = end(of: nil, from: index) else { return true }
                    (isCommand, values) = (false, values + [end])
                } else if word.allSatisfy(\.isASCIIDigit), "<>".utf8.contains(byte(index)) {
                    isCommand = true
                }
            case _ where isCommand && "<>".utf8.contains(this):
                while "<>&| \t".utf8.contains(byte(index)) { index += 1 }
                guard let end = end(of: nil, from: index) else { return true }
                (isCommand, values) = (false, values + [end])
            default: isCommand = false
            }
        }
        return false
    }
}
