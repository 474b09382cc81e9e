internal import KeyfobModel
internal import KeyfobSodium

// Texts: plain, in quotation marks, literal and folded.

extension YAMLScanner {
    mutating func scanPlainText(_ bytes: RawSpan) throws(YAMLProblem) -> YAMLText {
        let start = index
        var end = start
        var hasBreaks = false
        while true {
            let word = index
            try passPlainWords(bytes)
            guard index > word else { break }
            end = index
            let crossed = passBlanksAndBreaks(bytes)
            guard index > end else { break }
            let isOver = index == bytes.byteCount || bytes.begins(with: "#", at: index)
            if crossed {
                guard !isOver, marker(at: index, bytes) == nil, isFurtherIn(bytes), try !endsPlain(at: index, bytes)
                else {
                    returnToLineStart()
                    break
                }
                hasBreaks = true
            } else if isOver {
                break
            }
        }
        return YAMLText(start..<end, .plain, isSpelled: hasBreaks)
    }

    /// Passes what belongs to a plain text, up to a blank.
    private mutating func passPlainWords(_ bytes: RawSpan) throws(YAMLProblem) {
        while index < bytes.byteCount, !isBlankOrEnd(index, bytes), try !endsPlain(at: index, bytes) { pass() }
    }

    /// Whether a plain text ends before the character at `index`, which is no blank.
    private func endsPlain(at index: Int, _ bytes: RawSpan) throws(YAMLProblem) -> Bool {
        let byte = bytes.byte(at: index)
        if byte == UInt8(ascii: ":") {
            if isBlankOrEnd(index + 1, bytes) { return true }
            // YAML 1.2 has a name here, and go-yaml a text.
            if flowLevel > 0, ",[]{}".utf8.contains(bytes.byte(at: index + 1)) { throw problem(.unclear) }
        }
        return flowLevel > 0 && ",[]{}".utf8.contains(byte)
    }

    /// Passes blanks and the ends of lines, up to a mark of a document; whether there were any of these.
    private mutating func passBlanksAndBreaks(_ bytes: RawSpan) -> Bool {
        var crossed = false
        while index < bytes.byteCount {
            if isBlank(bytes.byte(at: index)) {
                pass()
            } else if isBreak(index, bytes) {
                crossed = true
                passBreak(bytes)
                if marker(at: index, bytes) != nil { break }
            } else {
                break
            }
        }
        return crossed
    }

    /// Whether the line is indented further than the block around it.
    private func isFurtherIn(_ bytes: RawSpan) -> Bool { blanks(at: lineStart, bytes) > indent }

    mutating func scanQuotedText(_ bytes: RawSpan) throws(YAMLProblem) -> YAMLText {
        let mark = bytes.byte(at: index)
        let begun = problem(.quotes)
        pass()
        let start = index
        var isSpelled = false
        while index < bytes.byteCount {
            let byte = bytes.byte(at: index)
            if byte == mark {
                guard mark == UInt8(ascii: "'"), bytes.begins(with: "''", at: index) else {
                    pass()
                    let style: YAMLText.Style = mark == UInt8(ascii: "'") ? .singleQuoted : .doubleQuoted
                    return YAMLText(start..<index - 1, style, isSpelled: isSpelled)
                }
                isSpelled = true
                pass(2)
            } else if isBreak(index, bytes) {
                isSpelled = true
                try continueLine(bytes, begun)
            } else if byte == UInt8(ascii: "\\"), mark == UInt8(ascii: "\"") {
                isSpelled = true
                pass()
                guard index < bytes.byteCount else { throw begun }
                if isBreak(index, bytes) { try continueLine(bytes, begun) } else { try passEscape(bytes) }
            } else {
                pass()
            }
        }
        throw begun
    }

    /// Passes the ends of lines within quotation marks, and the blanks at the beginning of the next line with text.
    private mutating func continueLine(_ bytes: RawSpan, _ begun: YAMLProblem) throws(YAMLProblem) {
        while index < bytes.byteCount, isBreak(index, bytes) {
            passBreak(bytes)
            guard marker(at: index, bytes) == nil else { throw begun }
            while index < bytes.byteCount, isBlank(bytes.byte(at: index)) { pass() }
        }
        guard index == bytes.byteCount || isFurtherIn(bytes) else { throw problem(.indentation) }
    }

    /// Passes what stands behind a backslash.
    private mutating func passEscape(_ bytes: RawSpan) throws(YAMLProblem) {
        let letter = bytes.byte(at: index)
        guard let count = YAMLEscape.digits(of: letter) else {
            guard YAMLEscape.scalar(of: letter) != nil else { throw problem(.escape) }
            return pass()
        }
        guard index + count < bytes.byteCount else { throw problem(.escape) }
        var value: UInt32 = 0
        for offset in 1...count {
            guard let digit = Hexadecimal.value(of: bytes.byte(at: index + offset)), value >> 28 == 0 else {
                throw problem(.escape)
            }
            value = value << 4 | UInt32(digit)
        }
        guard Unicode.Scalar(value) != nil else { throw problem(.escape) }
        pass(1 + count)
    }
}

// Literal and folded texts.
extension YAMLScanner {
    mutating func scanBlockText(_ bytes: RawSpan) throws(YAMLProblem) -> YAMLText {
        let style: YAMLText.Style = bytes.begins(with: "|", at: index) ? .literal : .folded
        let isAtMargin = blanks(at: lineStart, bytes) == 0
        pass()
        let (chomping, width) = try scanBlockHeader(bytes)
        let start = index
        let textIndent: Int
        if let width {
            textIndent = max(indent, 0) + width
        } else {
            textIndent = try firstIndent(bytes)
        }
        var end = index
        while index < bytes.byteCount, marker(at: index, bytes) == nil {
            let blanks = blanks(at: index, bytes)
            let isEmpty = index + blanks < bytes.byteCount && isBreak(index + blanks, bytes)
            guard isEmpty || blanks >= textIndent, index + blanks < bytes.byteCount else {
                if bytes.begins(with: "\t", at: index + blanks) { throw problem(.tab) }
                break
            }
            while index < bytes.byteCount, !isBreak(index, bytes) { pass() }
            if index < bytes.byteCount { passBreak(bytes) }
            end = index
        }
        if textIndent == 0 { try requireText(start..<end, isAtMargin, bytes) }
        return YAMLText(start..<end, style, isSpelled: true, indent: textIndent, chomping: chomping)
    }

    /// Refuses a text that is the whole document, at the margin, where programs take it for something else.
    private func requireText(_ range: Range<Int>, _ isAtMargin: Bool, _ bytes: RawSpan) throws(YAMLProblem) {
        guard let first = range.first(where: { !isBreak($0, bytes) }) else { return }
        guard isAtMargin, !"#\t".utf8.contains(bytes.byte(at: first)) else { throw problem(.unclear) }
    }

    /// Passes the rest of the line behind `|` or `>`: how it ends, and by how much it is indented where that is written.
    private mutating func scanBlockHeader(_ bytes: RawSpan) throws(YAMLProblem) -> (YAMLText.Chomping, Int?) {
        var (chomping, width) = (nil as YAMLText.Chomping?, nil as Int?)
        while index < bytes.byteCount, !isBlankOrEnd(index, bytes) {
            switch bytes.byte(at: index) {
            case UInt8(ascii: "+") where chomping == nil: chomping = .keep
            case UInt8(ascii: "-") where chomping == nil: chomping = .strip
            case UInt8(ascii: "1")...UInt8(ascii: "9") where width == nil: width = Int(bytes.byte(at: index)) - 0x30
            default: throw problem(.block)
            }
            pass()
        }
        while index < bytes.byteCount, isBlank(bytes.byte(at: index)) { pass() }
        if bytes.begins(with: "#", at: index) {
            while index < bytes.byteCount, !isBreak(index, bytes) { pass() }
        }
        guard index < bytes.byteCount else { return (chomping ?? .clip, width) }
        guard isBreak(index, bytes) else { throw problem(.block) }
        passBreak(bytes)
        return (chomping ?? .clip, width)
    }

    /// By how much the first line that has something in it is indented.
    private func firstIndent(_ bytes: RawSpan) throws(YAMLProblem) -> Int {
        var (position, most, number) = (index, 0, line)
        while position < bytes.byteCount {
            let blanks = blanks(at: position, bytes)
            let end = position + blanks
            guard end < bytes.byteCount, isBreak(end, bytes) else {
                // Less far in than the block around it, the text has no line at all.
                guard end < bytes.byteCount, blanks > indent else { break }
                guard blanks >= most else { throw YAMLProblem(line: number, flaw: .indentation) }
                return blanks
            }
            most = max(most, blanks)
            position = end + (bytes.begins(with: "\r\n", at: end) ? 2 : 1)
            number += 1
        }
        return max(most, indent + 1)
    }
}
