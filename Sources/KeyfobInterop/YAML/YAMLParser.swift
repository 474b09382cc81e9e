internal import KeyfobSodium

/// Makes a tape of the tokens of a YAML text.
struct YAMLParser {
    private var scanner: YAMLScanner
    private let limits: YAMLTape.Limits
    private(set) var nodes: [YAMLTape.Node] = []
    /// In how many brackets the next token is.
    private var flowLevel = 0
    /// The last token that was passed.
    private var last: YAMLToken?

    init(_ bytes: RawSpan, _ limits: YAMLTape.Limits) {
        scanner = YAMLScanner(bytes)
        self.limits = limits
    }

    mutating func parse(_ bytes: RawSpan) throws(YAMLProblem) {
        // The end of a document that has nothing, and then nothing more.
        var isOver = false
        if case .documentEnd = try peek(bytes) {
            isOver = true
        } else if case .documentStart = try peek(bytes) {
            try take(bytes)
        }
        let start = last?.range.upperBound ?? scanner.index
        switch try peek(bytes) {
        case .end, .documentStart, .documentEnd: try addEmpty(at: start)
        default: try parseNode(lead: nil, level: 0, bytes)
        }
        while case .documentEnd = try peek(bytes) {
            isOver = true
            try take(bytes)
        }
        switch try peek(bytes) {
        case .end: return
        case .documentStart: throw try misplaced(bytes, as: .severalDocuments)
        default: throw try misplaced(bytes, as: isOver ? .severalDocuments : nil)
        }
    }

    // MARK: Tokens

    private mutating func peek(_ bytes: RawSpan) throws(YAMLProblem) -> YAMLToken.Kind { try scanner.peek(bytes).kind }

    @discardableResult
    private mutating func take(_ bytes: RawSpan) throws(YAMLProblem) -> YAMLToken {
        let token = try scanner.take(bytes)
        last = token
        return token
    }

    /// The problem that the next token is where it cannot be.
    private mutating func misplaced(_ bytes: RawSpan, as flaw: YAMLProblem.Flaw? = nil) throws(YAMLProblem)
        -> YAMLProblem
    {
        let token = try scanner.peek(bytes)
        func problem(_ flaw: YAMLProblem.Flaw) -> YAMLProblem { YAMLProblem(line: token.line, flaw: flaw) }
        if let flaw { return problem(flaw) }
        if flowLevel > 0 { return problem(.brackets) }
        switch token.kind {
        case .comma, .flowSequenceEnd, .flowMappingEnd: return problem(.brackets)
        case .value: return problem(.colon)
        default: break
        }
        guard let last, last.line == token.line else { return problem(.indentation) }
        switch last.kind {
        case .scalar(let text) where text.style != .plain: return problem(.quotes)
        case .flowSequenceEnd, .flowMappingEnd: return problem(.brackets)
        default: return problem(.noColon)
        }
    }

    // MARK: Nodes

    private mutating func add(_ node: YAMLTape.Node) throws(YAMLProblem) {
        guard nodes.count < limits.nodes else { throw YAMLProblem(line: scanner.line, flaw: .tooLarge) }
        nodes.append(node)
    }

    private mutating func addEmpty(at place: Int, lead: Int? = nil) throws(YAMLProblem) {
        try add(YAMLTape.Node(.empty, place..<place, lead: lead, next: nodes.count + 1))
    }

    /// Adds a sequence or a mapping that begins with the last token, and all that `body` adds.
    private mutating func addCollection(
        _ kind: YAMLTape.Kind, from start: Int, lead: Int?, isFlow: Bool, level: Int, _ bytes: RawSpan,
        _ body: (inout YAMLParser, RawSpan) throws(YAMLProblem) -> Void
    ) throws(YAMLProblem) {
        guard level < limits.depth else { throw YAMLProblem(line: last?.line ?? 1, flaw: .tooDeep) }
        let place = nodes.count
        try add(YAMLTape.Node(kind, start..<start, lead: lead, isFlow: isFlow))
        flowLevel += isFlow ? 1 : 0
        try body(&self, bytes)
        flowLevel -= isFlow ? 1 : 0
        let end = isFlow ? last?.range.upperBound : nodes.last?.range.upperBound
        nodes[place].close(at: end ?? start, next: nodes.count)
    }

    private mutating func parseNode(
        lead: Int?, level: Int, mayBeItems: Bool = false, _ bytes: RawSpan
    ) throws(YAMLProblem) {
        let token = try scanner.peek(bytes)
        let start = token.range.lowerBound
        switch token.kind {
        case .scalar(let text):
            try take(bytes)
            try add(YAMLTape.Node(.scalar, token.range, lead: lead, next: nodes.count + 1, text: text))
        case .entry where mayBeItems:
            // The items of a mapping's value can be no further in than its name.
            try addCollection(.sequence, from: start, lead: lead, isFlow: false, level: level, bytes) {
                (parser, bytes) throws(YAMLProblem) in
                try parser.parseItems(level: level, bytes)
            }
        case .blockSequence:
            try take(bytes)
            try addCollection(.sequence, from: start, lead: lead, isFlow: false, level: level, bytes) {
                (parser, bytes) throws(YAMLProblem) in
                try parser.parseItems(level: level, bytes)
                try parser.passBlockEnd(bytes)
            }
        case .blockMapping:
            try take(bytes)
            try addCollection(.mapping, from: start, lead: lead, isFlow: false, level: level, bytes) {
                (parser, bytes) throws(YAMLProblem) in
                try parser.parseBlockMembers(level: level, bytes)
                try parser.passBlockEnd(bytes)
            }
        case .flowSequence:
            try take(bytes)
            try addCollection(.sequence, from: start, lead: lead, isFlow: true, level: level, bytes) {
                (parser, bytes) throws(YAMLProblem) in
                try parser.parseFlowItems(level: level, bytes)
            }
        case .flowMapping:
            try take(bytes)
            try addCollection(.mapping, from: start, lead: lead, isFlow: true, level: level, bytes) {
                (parser, bytes) throws(YAMLProblem) in
                try parser.parseFlowMembers(level: level, bytes)
            }
        default: throw try misplaced(bytes)
        }
    }

    // MARK: Blocks

    private mutating func passBlockEnd(_ bytes: RawSpan) throws(YAMLProblem) {
        guard case .blockEnd = try peek(bytes) else { throw try misplaced(bytes) }
        // It is none of what stands in the text.
        let before = last
        try take(bytes)
        last = before
    }

    private mutating func parseItems(level: Int, _ bytes: RawSpan) throws(YAMLProblem) {
        while case .entry = try peek(bytes) {
            let dash = try take(bytes).range
            switch try peek(bytes) {
            case .entry, .key, .value, .blockEnd: try addEmpty(at: dash.upperBound, lead: dash.lowerBound)
            default: try parseNode(lead: dash.lowerBound, level: level + 1, bytes)
            }
        }
    }

    private mutating func parseBlockMembers(level: Int, _ bytes: RawSpan) throws(YAMLProblem) {
        var names: Set<[UInt8]> = []
        while case .key = try peek(bytes) {
            let place = nodes.count
            let sign = try take(bytes).range
            switch try peek(bytes) {
            case .key, .value, .blockEnd: try addEmpty(at: sign.upperBound)
            default: try parseNode(lead: nil, level: level + 1, mayBeItems: true, bytes)
            }
            try requireName(at: place, &names, bytes)
            guard case .value = try peek(bytes) else {
                try addEmpty(at: last?.range.upperBound ?? 0)
                continue
            }
            let colon = try take(bytes).range
            switch try peek(bytes) {
            case .key, .value, .blockEnd: try addEmpty(at: colon.upperBound, lead: colon.lowerBound)
            default: try parseNode(lead: colon.lowerBound, level: level + 1, mayBeItems: true, bytes)
            }
        }
    }

    /// Refuses the name that was added at `place` where it is none, or came before.
    private func requireName(at place: Int, _ names: inout Set<[UInt8]>, _ bytes: RawSpan) throws(YAMLProblem) {
        let node = nodes[place]
        func problem(_ flaw: YAMLProblem.Flaw) -> YAMLProblem {
            YAMLProblem(line: YAMLTape.line(of: node.range.lowerBound, in: bytes), flaw: flaw)
        }
        guard node.kind == .scalar || node.kind == .empty else { throw problem(.badName) }
        let name = node.text?.copy(in: bytes) ?? []
        if node.text?.style == .plain, name == Array("<<".utf8) { throw problem(.merge) }
        guard names.insert(name).inserted else { throw problem(.repeatedName) }
    }

    // MARK: Brackets

    private mutating func parseFlowItems(level: Int, _ bytes: RawSpan) throws(YAMLProblem) {
        var isFirst = true
        while true {
            if case .flowSequenceEnd = try peek(bytes) { break }
            if !isFirst { try passComma(bytes) }
            isFirst = false
            switch try peek(bytes) {
            case .flowSequenceEnd: break
            case .key: try parsePair(level: level + 1, bytes)
            default: try parseNode(lead: nil, level: level + 1, bytes)
            }
        }
        try take(bytes)
    }

    /// A mapping of one name within a sequence: `[a: b]`.
    private mutating func parsePair(level: Int, _ bytes: RawSpan) throws(YAMLProblem) {
        let start = try scanner.peek(bytes).range.lowerBound
        try addCollection(.mapping, from: start, lead: nil, isFlow: true, level: level, bytes) {
            (parser, bytes) throws(YAMLProblem) in
            var names: Set<[UInt8]> = []
            try parser.parseFlowMember(level: level, &names, bytes)
        }
    }

    private mutating func parseFlowMembers(level: Int, _ bytes: RawSpan) throws(YAMLProblem) {
        var (isFirst, names) = (true, Set<[UInt8]>())
        while true {
            if case .flowMappingEnd = try peek(bytes) { break }
            if !isFirst { try passComma(bytes) }
            isFirst = false
            if case .flowMappingEnd = try peek(bytes) { break }
            try parseFlowMember(level: level, &names, bytes)
        }
        try take(bytes)
    }

    private mutating func passComma(_ bytes: RawSpan) throws(YAMLProblem) {
        guard case .comma = try peek(bytes) else { throw try misplaced(bytes, as: .brackets) }
        try take(bytes)
    }

    /// A name, and what stands behind its colon where it has one.
    private mutating func parseFlowMember(
        level: Int, _ names: inout Set<[UInt8]>, _ bytes: RawSpan
    ) throws(YAMLProblem) {
        let place = nodes.count
        var hasSign = false
        if case .key = try peek(bytes) {
            hasSign = true
            try take(bytes)
        }
        if hasSign, try !isFlowNodeNext(bytes) {
            try addEmpty(at: last?.range.upperBound ?? 0)
        } else {
            try parseNode(lead: nil, level: level + 1, bytes)
        }
        try requireName(at: place, &names, bytes)
        guard case .value = try peek(bytes) else { return try addEmpty(at: last?.range.upperBound ?? 0) }
        let colon = try take(bytes).range
        if try isFlowNodeNext(bytes) {
            try parseNode(lead: colon.lowerBound, level: level + 1, bytes)
        } else {
            try addEmpty(at: colon.upperBound, lead: colon.lowerBound)
        }
    }

    private mutating func isFlowNodeNext(_ bytes: RawSpan) throws(YAMLProblem) -> Bool {
        switch try peek(bytes) {
        case .value, .comma, .flowSequenceEnd, .flowMappingEnd: false
        default: true
        }
    }
}
