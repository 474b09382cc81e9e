internal import KeyfobModel

/// A kubeconfig in the form in which kubectl writes it, by its lines.
///
/// What YAML could say otherwise, such as a value over several lines that kubectl would not write so, is not read.
struct KubeconfigLines {
    /// A line of the file.
    struct Line {
        /// Without its end.
        let text: Substring
        /// With its end.
        let range: Range<Int>

        var indent: Int { text.utf8.prefix { $0 == 0x20 }.count }
        var isBlank: Bool {
            text.utf8.allSatisfy { $0 == 0x20 } || text.utf8.dropFirst(indent).first == UInt8(ascii: "#")
        }
        var isItem: Bool { text == "-" || text.dropFirst(indent).hasPrefix("- ") }
        /// Behind the blanks and the dash of an item.
        var bare: Substring { isItem ? text.dropFirst(indent + 2) : text.dropFirst(indent) }
    }

    /// A user.
    struct User {
        let name: String
        /// Its lines; blank ones behind it are not its own.
        let lines: Range<Int>
    }

    private static let list = "users:"

    let lines: [Line]
    /// The line that begins the list of users.
    private(set) var list: Int?
    private(set) var users: [User] = []
    /// How far its items are indented.
    private(set) var indent = 0

    /// Reads a file.
    ///
    /// - Throws: `unknownForm`.
    init(_ text: [UInt8]) throws(SetupFlaw) {
        guard let whole = String(validating: text, as: UTF8.self) else { throw .unknownForm("it is not UTF-8") }
        lines = Self.lines(whole)
        let first = lines.firstIndex { !$0.isBlank }
        for (index, line) in lines.enumerated() where !line.isBlank {
            guard Self.isOrdinary(line, isFirst: index == first) else {
                throw .unknownForm("line \(index + 1) is not as kubectl writes it")
            }
            guard line.indent == 0, line.text.hasPrefix(Self.list) else { continue }
            guard list == nil else { throw .unknownForm("it has two lists of users") }
            list = index
        }
        if let list { try readUsers(after: list) }
    }

    /// What stood where the users go.
    var former: FormerEntries {
        get throws(SetupFlaw) {
            guard let list else { return .nothing }
            switch lines[list].text {
            case "users: []": return .brackets
            case "users: null": return .null
            case "users:": return users.isEmpty ? .bare : .some
            default: throw .unknownForm("line \(list + 1) is not as kubectl writes it")
            }
        }
    }

    /// The first line that says something.
    var firstEntry: Int? { lines.firstIndex { !$0.isBlank && $0.text != "---" } }

    private mutating func readUsers(after list: Int) throws(SetupFlaw) {
        var index = list + 1
        var begun: Int?
        func end(_ index: Int) -> Int { lines[..<index].lastIndex { !$0.isBlank }.map { $0 + 1 } ?? index }
        func isNext(_ line: Line) -> Bool { line.isItem && (begun == nil || line.indent == indent) }
        var starts: [Int] = []
        while index < lines.count, lines[index].isBlank || lines[index].indent > 0 || lines[index].isItem {
            if !lines[index].isBlank, isNext(lines[index]) {
                if begun == nil { indent = lines[index].indent }
                begun = index
                starts.append(index)
            }
            index += 1
        }
        for (number, start) in starts.enumerated() {
            let range = start..<end(number + 1 < starts.count ? starts[number + 1] : index)
            let names = range.filter { $0 == start || lines[$0].indent == indent + 2 && !lines[$0].isItem }
                .map { lines[$0].bare }.filter { $0.hasPrefix("name:") }
            guard names.count == 1, let name = names.first.flatMap({ Self.text($0.dropFirst(5)) }) else {
                throw .unknownForm("the user in line \(start + 1) is not as kubectl writes it")
            }
            users.append(User(name: name, lines: range))
        }
    }

    /// Whether a line says by itself what it says: no text in it goes on in the next one but what is indented further.
    private static func isOrdinary(_ line: Line, isFirst: Bool) -> Bool {
        guard !line.text.utf8.contains(0x09), line.text.utf8.allSatisfy({ $0 >= 0x20 }) else { return false }
        if line.text == "---" { return isFirst }
        if line.indent == 0, !line.isItem {
            guard let colon = line.text.utf8.firstIndex(of: UInt8(ascii: ":")),
                line.text[..<colon].utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") })
            else { return false }
        }
        // A name, and nothing but text in quotation marks or brackets that ends where it began.
        var value = line.bare
        while value.hasPrefix("- ") { value = value.dropFirst(2) }
        if let colon = value.firstRange(of: ": "), !"\"'{[".contains(value.first ?? " ") {
            value = value[colon.upperBound...]
        }
        while value.last == " " { value.removeLast() }
        switch value.first {
        case "{": return value.hasSuffix("}")
        case "[": return value.hasSuffix("]")
        case "\"", "'": return isClosed(value)
        default: return true
        }
    }

    /// Whether a text in quotation marks ends with the line, and not before.
    private static func isClosed(_ value: Substring) -> Bool {
        var rest = value.dropFirst()
        while let character = rest.popFirst() {
            if character == "\\", value.first == "\"" {
                rest = rest.dropFirst()
            } else if character == value.first {
                guard character == "'", rest.first == "'" else { return rest.isEmpty }
                rest = rest.dropFirst()
            }
        }
        return false
    }

    /// What a scalar says; nil for one that is more than a plain text or one in quotation marks.
    static func text(_ scalar: Substring) -> String? {
        let scalar = scalar.drop { $0 == " " }
        guard let first = scalar.first else { return nil }
        if first == "'" {
            guard scalar.count > 1, scalar.last == "'" else { return nil }
            let inside = scalar.dropFirst().dropLast()
            return inside.replacing("''", with: "").contains("'") ? nil : String(inside.replacing("''", with: "'"))
        }
        if first == "\"" {
            guard scalar.count > 1, scalar.last == "\"" else { return nil }
            let inside = scalar.dropFirst().dropLast()
            return inside.contains("\"") || inside.contains("\\") ? nil : String(inside)
        }
        return scalar.contains(" #") || "&*!|>%@`{[".contains(first) ? nil : String(scalar)
    }

    private static func lines(_ text: String) -> [Line] {
        var lines: [Line] = []
        var start = text.utf8.startIndex
        var offset = 0
        while start < text.utf8.endIndex {
            let newline = text.utf8[start...].firstIndex(of: 0x0A)
            let end = newline ?? text.utf8.endIndex
            let next = newline.map { text.utf8.index(after: $0) } ?? end
            var line = text.utf8[start..<end]
            if line.last == 0x0D { line = line.dropLast() }
            let count = text.utf8.distance(from: start, to: next)
            lines.append(
                Line(text: Substring(line), range: offset..<offset + count))
            offset += count
            start = next
        }
        return lines
    }
}
