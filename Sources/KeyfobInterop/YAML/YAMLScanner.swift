internal import KeyfobSodium

/// Parts a YAML text into tokens, as libyaml and those made after it do (PyYAML, go-yaml): what begins as a name does is
/// one where a colon follows in the same line, and blocks begin and end by how far their first token is indented.
///
/// Where YAML 1.2 and these programs differ, the text is refused.
struct YAMLScanner {
    /// A token that is a name if a colon follows.
    private struct Candidate {
        /// Its number among all tokens.
        let token: Int
        /// Whether nothing else can stand here.
        let isRequired: Bool
        let index: Int
        let line: Int
        let column: Int
    }

    /// The longest name, in bytes.
    private static let longestName = 1_024

    private(set) var index: Int
    private(set) var line = 1
    private(set) var lineStart = 0
    /// By how much the innermost block is indented; -1 outside of all.
    private(set) var indent = -1
    private var outerIndents: [Int] = []
    private(set) var flowLevel = 0
    /// Whether a name, or an item of a list, can begin here.
    private var canBeginName = true
    /// At most one for each level of brackets.
    private var candidates: [Candidate?] = [nil]
    private var queue: [YAMLToken] = []
    private var head = 0
    private var takenCount = 0
    private var isAtEnd = false
    /// The last token.
    private var last = YAMLToken.Kind.end

    init(_ bytes: RawSpan) {
        index = bytes.begins(with: "\u{FEFF}") ? 3 : 0
        lineStart = index
    }

    private var column: Int { index - lineStart }

    func problem(_ flaw: YAMLProblem.Flaw) -> YAMLProblem { YAMLProblem(line: line, flaw: flaw) }

    // MARK: Tokens

    /// The next token, which stays the next one.
    mutating func peek(_ bytes: RawSpan) throws(YAMLProblem) -> YAMLToken {
        while try needsMore() { try scan(bytes) }
        return queue[head]
    }

    /// The next token, which is passed.
    @discardableResult
    mutating func take(_ bytes: RawSpan) throws(YAMLProblem) -> YAMLToken {
        let token = try peek(bytes)
        head += 1
        takenCount += 1
        if head == queue.count {
            queue.removeAll(keepingCapacity: true)
            head = 0
        }
        return token
    }

    /// Whether the next token is not known yet, since it may turn out to be a name.
    private mutating func needsMore() throws(YAMLProblem) -> Bool {
        guard !isAtEnd else { return false }
        guard head < queue.count else { return true }
        try dropCandidates()
        return candidates.contains { $0?.token == takenCount }
    }

    private mutating func add(_ kind: YAMLToken.Kind, _ range: Range<Int>, line: Int) {
        queue.append(YAMLToken(kind: kind, range: range, line: line))
        last = kind
    }

    /// Adds a token of `count` bytes that begins here, and passes it.
    private mutating func add(_ kind: YAMLToken.Kind, count: Int) {
        add(kind, index..<index + count, line: line)
        index += count
    }

    private mutating func scan(_ bytes: RawSpan) throws(YAMLProblem) {
        try skipToToken(bytes)
        try dropCandidates()
        unwind(to: column)
        guard index < bytes.byteCount else { return try scanEnd() }
        if let kind = marker(at: index, bytes) { return try scanMarker(kind, bytes) }
        let byte = bytes.byte(at: index)
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            try beginFlow(byte == UInt8(ascii: "[") ? .flowSequence : .flowMapping)
        case UInt8(ascii: "]"): try endFlow(.flowSequenceEnd)
        case UInt8(ascii: "}"): try endFlow(.flowMappingEnd)
        case UInt8(ascii: ","):
            guard flowLevel > 0 else { throw problem(.reserved) }
            try removeCandidate()
            canBeginName = true
            add(.comma, count: 1)
        case UInt8(ascii: "-") where isBlankOrEnd(index + 1, bytes): try scanEntry()
        case UInt8(ascii: "?") where isBlankOrEnd(index + 1, bytes): try scanKey()
        case UInt8(ascii: ":"):
            if try isValue(bytes) { try scanValue() } else { try scanName(bytes) }
        case UInt8(ascii: "&"), UInt8(ascii: "*"): throw problem(.anchor)
        case UInt8(ascii: "!"): throw problem(.tag)
        case UInt8(ascii: "%"): throw problem(column == 0 ? .directive : .reserved)
        case UInt8(ascii: "@"), UInt8(ascii: "`"): throw problem(.reserved)
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            guard flowLevel == 0 else { throw problem(.reserved) }
            try removeCandidate()
            canBeginName = true
            let (start, line) = (index, line)
            let text = try scanBlockText(bytes)
            add(.scalar(text), start..<text.range.upperBound, line: line)
        default: try scanName(bytes)
        }
    }

    /// A text that is a name if a colon follows.
    private mutating func scanName(_ bytes: RawSpan) throws(YAMLProblem) {
        try addCandidate()
        canBeginName = false
        let (start, line) = (index, line)
        if "\"'".utf8.contains(bytes.byte(at: index)) {
            let text = try scanQuotedText(bytes)
            add(.scalar(text), start..<index, line: line)
        } else {
            if flowLevel > 0 { try requirePlain(bytes) }
            let text = try scanPlainText(bytes)
            add(.scalar(text), text.range, line: line)
        }
    }

    // MARK: Between tokens

    /// Passes blanks, comments and the ends of lines.
    private mutating func skipToToken(_ bytes: RawSpan) throws(YAMLProblem) {
        var (isFresh, hasTab) = (index == lineStart, false)
        loop: while index < bytes.byteCount {
            switch bytes.byte(at: index) {
            case 0x20: index += 1
            case 0x09:
                hasTab = true
                index += 1
            case UInt8(ascii: "#"):
                guard index == lineStart || isBlank(bytes.byte(at: index - 1)) else { throw problem(.comment) }
                while index < bytes.byteCount, !isBreak(index, bytes) { index += 1 }
            case 0x0A, 0x0D:
                passBreak(bytes)
                (isFresh, hasTab) = (true, false)
                if flowLevel == 0 { canBeginName = true }
            default: break loop
            }
        }
        guard index < bytes.byteCount else { return }
        if isFresh, flowLevel > 0 || hasTab {
            guard blanks(at: lineStart, bytes) > indent else { throw problem(hasTab ? .tab : .indentation) }
            guard !hasTab || indent >= 0 || flowLevel > 0 || "[{".utf8.contains(bytes.byte(at: index)) else {
                throw problem(.tab)
            }
        }
        // Behind a tab nobody knows how far a block is indented.
        if hasTab, flowLevel == 0 { canBeginName = false }
    }

    /// Ends the blocks that are indented further than `column`.
    private mutating func unwind(to column: Int) {
        guard flowLevel == 0 else { return }
        while indent > column, let outer = outerIndents.popLast() {
            indent = outer
            add(.blockEnd, index..<index, line: line)
        }
    }

    /// Whether a block begins with a token at `column`.
    private mutating func indents(to column: Int) -> Bool {
        guard flowLevel == 0, indent < column else { return false }
        outerIndents.append(indent)
        indent = column
        return true
    }

    // MARK: What may be a name

    private mutating func addCandidate() throws(YAMLProblem) {
        guard canBeginName else { return }
        try removeCandidate()
        candidates[flowLevel] = Candidate(
            token: takenCount + queue.count - head, isRequired: flowLevel == 0 && indent == column, index: index,
            line: line, column: column)
    }

    private mutating func removeCandidate() throws(YAMLProblem) {
        if let candidate = candidates[flowLevel], candidate.isRequired {
            throw YAMLProblem(line: candidate.line, flaw: .noColon)
        }
        candidates[flowLevel] = nil
    }

    /// Drops those that are too far away for a colon.
    private mutating func dropCandidates() throws(YAMLProblem) {
        for level in candidates.indices {
            guard let candidate = candidates[level],
                candidate.line != line || index - candidate.index > Self.longestName
            else { continue }
            if candidate.isRequired { throw YAMLProblem(line: candidate.line, flaw: .noColon) }
            candidates[level] = nil
        }
    }

    // MARK: Signs

    private mutating func scanEnd() throws(YAMLProblem) {
        guard flowLevel == 0 else { throw problem(.brackets) }
        unwind(to: -1)
        try removeCandidate()
        isAtEnd = true
        add(.end, count: 0)
    }

    private mutating func scanMarker(_ kind: YAMLToken.Kind, _ bytes: RawSpan) throws(YAMLProblem) {
        guard flowLevel == 0 else { throw problem(.brackets) }
        unwind(to: -1)
        try removeCandidate()
        canBeginName = false
        add(kind, count: 3)
        guard case .documentEnd = kind else { return }
        var end = index
        while end < bytes.byteCount, isBlank(bytes.byte(at: end)) { end += 1 }
        guard isBlankOrEnd(end, bytes) || bytes.begins(with: "#", at: end) else { throw problem(.severalDocuments) }
    }

    private mutating func beginFlow(_ kind: YAMLToken.Kind) throws(YAMLProblem) {
        try addCandidate()
        flowLevel += 1
        candidates.append(nil)
        canBeginName = true
        add(kind, count: 1)
    }

    private mutating func endFlow(_ kind: YAMLToken.Kind) throws(YAMLProblem) {
        guard flowLevel > 0 else { throw problem(.reserved) }
        try removeCandidate()
        flowLevel -= 1
        candidates.removeLast()
        canBeginName = false
        add(kind, count: 1)
    }

    private mutating func scanEntry() throws(YAMLProblem) {
        guard flowLevel == 0 else { throw problem(.reserved) }
        guard canBeginName else { throw problem(.item) }
        if indents(to: column) { add(.blockSequence, index..<index, line: line) }
        try removeCandidate()
        canBeginName = true
        add(.entry, count: 1)
    }

    private mutating func scanKey() throws(YAMLProblem) {
        if flowLevel == 0 {
            guard canBeginName else { throw problem(.reserved) }
            if indents(to: column) { add(.blockMapping, index..<index, line: line) }
        }
        try removeCandidate()
        canBeginName = flowLevel == 0
        add(.key, count: 1)
    }

    private mutating func scanValue() throws(YAMLProblem) {
        if let candidate = candidates[flowLevel] {
            candidates[flowLevel] = nil
            let place = head + candidate.token - takenCount
            let range = candidate.index..<candidate.index
            queue.insert(YAMLToken(kind: .key, range: range, line: candidate.line), at: place)
            if indents(to: candidate.column) {
                queue.insert(YAMLToken(kind: .blockMapping, range: range, line: candidate.line), at: place)
            }
            canBeginName = false
        } else {
            if flowLevel == 0 {
                guard canBeginName else { throw problem(.colon) }
                if indents(to: column) { add(.blockMapping, index..<index, line: line) }
            }
            canBeginName = flowLevel == 0
        }
        add(.value, count: 1)
    }

    /// Whether the colon here parts a name from its value.
    private func isValue(_ bytes: RawSpan) throws(YAMLProblem) -> Bool {
        if isBlankOrEnd(index + 1, bytes) { return true }
        guard flowLevel > 0 else { return false }
        if ",[]{}".utf8.contains(bytes.byte(at: index + 1)) { return true }
        switch last {
        // Behind these no blank is needed.
        case .flowSequenceEnd, .flowMappingEnd: return true
        case .scalar(let text): return text.style != .plain
        // libyaml and those made after it have an empty name here, and YAML 1.2 has a text.
        case .key: throw problem(.unclear)
        default: return false
        }
    }

    /// Refuses a text in brackets whose first character YAML 1.2 and others take for something else.
    private func requirePlain(_ bytes: RawSpan) throws(YAMLProblem) {
        let first = bytes.byte(at: index)
        guard first == UInt8(ascii: "-") || first == UInt8(ascii: "?") else { return }
        let isFollowed = index + 1 < bytes.byteCount && !",[]{}".utf8.contains(bytes.byte(at: index + 1))
        guard first == UInt8(ascii: "-"), isFollowed else { throw problem(.unclear) }
    }

    // MARK: Bytes

    /// What marks the beginning or the end of a document here.
    func marker(at index: Int, _ bytes: RawSpan) -> YAMLToken.Kind? {
        guard index == lineStart, isBlankOrEnd(index + 3, bytes) else { return nil }
        return bytes.begins(with: "---", at: index)
            ? .documentStart : bytes.begins(with: "...", at: index) ? .documentEnd : nil
    }

    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    func isBreak(_ index: Int, _ bytes: RawSpan) -> Bool {
        bytes.byte(at: index) == 0x0A || bytes.byte(at: index) == 0x0D
    }

    func isBlankOrEnd(_ index: Int, _ bytes: RawSpan) -> Bool {
        index >= bytes.byteCount || isBlank(bytes.byte(at: index)) || isBreak(index, bytes)
    }

    /// The number of blanks from `index` on, tabs aside.
    func blanks(at index: Int, _ bytes: RawSpan) -> Int {
        var end = index
        while end < bytes.byteCount, bytes.byte(at: end) == 0x20 { end += 1 }
        return end - index
    }

    /// Passes bytes within a line.
    mutating func pass(_ count: Int = 1) { index += count }

    /// Passes the end of the line here.
    mutating func passBreak(_ bytes: RawSpan) {
        index += bytes.begins(with: "\r\n", at: index) ? 2 : 1
        line += 1
        lineStart = index
    }

    /// Goes back to the beginning of the line, for what stands in it is not known yet.
    mutating func returnToLineStart() {
        index = lineStart
        if flowLevel == 0 { canBeginName = true }
    }
}
