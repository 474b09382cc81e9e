/// Breaks a line between words, so that a terminal need not break it within one.
///
/// A word is never broken here, and neither is a command in quotes: what is longer than a line stands on one of its own, whole.
/// The terminal then breaks it, which it takes back when somebody copies it. A line feed would be copied too, and end the
/// command in its middle.
package enum LineBreaking {
    /// A line as lines of at most so many cells, all but the first behind some spaces.
    ///
    /// What is quoted or in brackets stays together where it fits into a line. A word that fits only without the spaces has
    /// fewer before it.
    ///
    /// - Parameters:
    ///   - columns: How many cells a line has.
    ///   - hanging: How many spaces; a label of that length, which ends with a space, stays as it is before its text.
    ///   - width: How many cells a text takes.
    package static func lines(_ line: String, to columns: Int, hanging: Int, width: (String) -> Int) -> [String] {
        guard width(line) > columns else { return [line] }
        let bytes = Array(line.utf8)
        let isLabelled = hanging <= columns / 2 && hanging < bytes.count && hanging > 0 && bytes[hanging - 1] == space
        let start = isLabelled ? hanging : bytes.firstIndex { $0 != space } ?? 0
        let hang = min(hanging, columns / 2)
        var lines = [text(bytes[..<start])]
        var (used, isFresh) = (width(lines[0]), true)
        for piece in pieces(bytes[start...], room: columns - hang, width) {
            let size = width(piece)
            let last = lines.count - 1
            // What is joined may be wider than its parts: a mark that begins a word combines with the space before it.
            let joined = lines[last] + (isFresh ? piece : " " + piece)
            let widest = max(used + (isFresh ? 0 : 1) + size, width(joined))
            if widest <= columns {
                lines[last] = joined
                used = widest
            } else if isFresh, lines[last].utf8.allSatisfy({ $0 == space }) {
                lines[last] = spaces(max(0, min(used, columns - size))) + piece
                used = columns
            } else if isFresh, size > columns {
                lines[last] += piece
                used = columns
            } else {
                if isFresh { lines[last] = trimmed(lines[last]) }
                let indent = max(0, min(hang, columns - size))
                lines.append(spaces(indent) + piece)
                used = min(columns, indent + size)
            }
            isFresh = false
        }
        return lines
    }

    /// The cells of the longest part of a line that is never broken.
    package static func longest(in line: String, width: (String) -> Int) -> Int {
        pieces(Array(line.utf8)[...], room: 0, width).map(width).max() ?? 0
    }

    /// How far the text of a message stands from the left: its other lines stand there too.
    ///
    /// - Parameter line: A message, such as "keyfob: …", "note: …", or one without such a word, whose other lines are set in.
    package static func hanging(ofMessage line: String) -> Int {
        // That of a list stands behind its dash.
        let dash = line.utf8.prefix { $0 == space || $0 == UInt8(ascii: "-") }.count
        guard dash == 0 else { return dash }
        var count = 0
        for byte in line.utf8 {
            count += 1
            if byte == UInt8(ascii: ":") { return line.utf8.dropFirst(count).first == space ? count + 1 : 2 }
            guard byte.isASCIIAlphanumeric, count <= 10 else { break }
        }
        return 2
    }

    private static let (space, quote) = (UInt8(ascii: " "), UInt8(ascii: "'"))

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

    private static func trimmed(_ line: String) -> String {
        var bytes = Array(line.utf8)[...]
        while bytes.last == space { bytes.removeLast() }
        return text(bytes)
    }

    /// The words; those between quotes or brackets together where they fit, and those of a command always.
    private static func pieces(_ bytes: ArraySlice<UInt8>, room: Int, _ width: (String) -> Int) -> [String] {
        let words = bytes.split(separator: space)
        var pieces: [String] = []
        var index = 0
        while index < words.count {
            let (end, isCommand) = group(words, from: index)
            // As it stands there: a command keeps each of its spaces.
            let whole = text(bytes[words[index].startIndex..<words[end - 1].endIndex])
            if end == index + 1 || isCommand || width(whole) <= room {
                pieces.append(whole)
                index = end
            } else {
                pieces.append(text(words[index]))
                index += 1
            }
        }
        return pieces
    }

    /// Where what begins with a word ends that may stay together, and whether it is a command.
    private static func group(_ words: [ArraySlice<UInt8>], from first: Int) -> (end: Int, isCommand: Bool) {
        let word = words[first].drop { $0 == UInt8(ascii: "(") }
        // A command at the end of a message needs no quotes.
        if first > 0, words[first - 1].last == UInt8(ascii: ":"), word.elementsEqual("keyfob".utf8) {
            return (words.count, true)
        }
        switch word.first {
        case UInt8(ascii: "["):
            let end = words[first...].firstIndex { $0.contains(UInt8(ascii: "]")) }
            return ((end ?? first) + 1, false)
        case quote:
            guard let end = endOfQuotes(words, from: first) else { break }
            // Programs have names of small letters; who quotes a sentence begins it with a capital one.
            let name = word.dropFirst().first ?? 0
            return (end, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(name))
        default: break
        }
        return (first + 1, false)
    }

    /// The place behind the word that ends what is quoted, with quotes within it; nil where nothing does.
    private static func endOfQuotes(_ words: [ArraySlice<UInt8>], from first: Int) -> Int? {
        var (depth, isInDouble) = (0, false)
        for index in first..<words.count {
            let word = Array(words[index].drop { $0 == UInt8(ascii: "(") })
            var place = 0
            while place < word.count {
                defer { place += 1 }
                if word[place] == UInt8(ascii: "\"") { isInDouble.toggle() }
                guard word[place] == quote, !isInDouble else { continue }
                // A quote within a word that a shell reads.
                if word[place...].starts(with: #"'\''"#.utf8) {
                    place += 3
                } else if place == 0 {
                    depth += 1
                } else if place + 1 == word.count || !word[place + 1].isASCIIAlphanumeric {
                    depth -= 1
                }
            }
            if depth <= 0 { return index + 1 }
        }
        return nil
    }
}
