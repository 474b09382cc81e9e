internal import KeyfobModel

/// What setup has put into a tool's file between two remarks that find it again, for tools whose remarks begin with `#`.
struct MarkedLines {
    private static let begin = "# keyfob setup: begin"
    private static let end = "# keyfob setup: end"

    /// A line of a file.
    struct Line {
        let text: String
        /// With its end.
        let range: Range<Int>
        let hasEnding: Bool
    }

    /// Setup's lines, remarks included.
    struct Block {
        /// What they are for; empty where there can be only one.
        let name: String
        let lines: Range<Int>
    }

    private let bytes: [UInt8]
    let lines: [Line]
    let blocks: [Block]

    /// Finds them in a text.
    ///
    /// - Parameter start: Where the text begins, behind a byte order mark.
    /// - Throws: `changed` where a remark has no partner.
    init(_ bytes: [UInt8], from start: Int = 0) throws(SetupFlaw) {
        self.bytes = bytes
        var (lines, blocks): ([Line], [Block]) = ([], [])
        var begun: (name: String, line: Int)?
        var start = start
        while start < bytes.count {
            let newline = bytes[start...].firstIndex(of: 0x0A)
            let end = newline ?? bytes.count
            let own = bytes[start..<end].last == 0x0D ? bytes[start..<end].dropLast() : bytes[start..<end]
            let text = String(decoding: own, as: UTF8.self)
            if let name = Self.name(begun: text) {
                if let begun { throw .changed(line: begun.line + 1) }
                begun = (name, lines.count)
            } else if text == Self.end {
                guard let (name, first) = begun else { throw .changed(line: lines.count + 1) }
                blocks.append(Block(name: name, lines: first..<lines.count + 1))
                begun = nil
            }
            lines.append(Line(text: text, range: start..<(newline.map { $0 + 1 } ?? end), hasEnding: newline != nil))
            start = newline.map { $0 + 1 } ?? end
        }
        if let begun { throw .changed(line: begun.line + 1) }
        (self.lines, self.blocks) = (lines, blocks)
    }

    private static func name(begun line: String) -> String? {
        guard line.hasPrefix(begin) else { return nil }
        let rest = line.dropFirst(begin.count)
        return rest.isEmpty ? "" : rest.first == " " ? String(rest.dropFirst()) : nil
    }

    /// Whether such lines stand in a text, as far as a glance tells.
    static func areThere(in text: [UInt8]) -> Bool { String(decoding: text, as: UTF8.self).contains(begin) }

    /// How lines come into a text.
    ///
    /// - Parameters:
    ///   - name: What they are for.
    ///   - place: Where a line begins, or the end of the text.
    static func adding(_ lines: [String], for name: String = "", to text: [UInt8], at place: Int) -> TextEdit {
        let isCRLF = text.firstIndex(of: 0x0A).map { $0 > 0 && text[$0 - 1] == 0x0D } ?? false
        let ending = isCRLF ? "\r\n" : "\n"
        let all = [name.isEmpty ? begin : "\(begin) \(name)"] + lines + [end]
        let isLineStart = place <= GitConfigurationText.start(of: text) || text[place - 1] == 0x0A
        let added = isLineStart ? all.map { $0 + ending } : all.map { ending + $0 }
        return TextEdit(adding: added.joined(), at: place)
    }

    /// How some of setup's lines go; what else stands among them by now stays, and their section's head with it.
    ///
    /// - Parameters:
    ///   - isOwn: Whether setup may have written a line.
    ///   - isHead: Whether that is the head of a section.
    func removing(
        _ blocks: [Block], isOwn: (String) -> Bool, isHead: (String, Block) -> Bool = { _, _ in false }
    ) -> TextEdit {
        var going: [Int] = []
        for block in blocks {
            let inside = block.lines.dropFirst().dropLast()
            let isWhole = inside.allSatisfy { isOwn(lines[$0].text) || isHead(lines[$0].text, block) }
            going += block.lines.filter { index in
                let text = lines[index].text
                return !inside.contains(index) || isOwn(text) || isWhole && isHead(text, block)
            }
        }
        var ranges: [Range<Int>] = []
        for index in going {
            let range = lines[index].range
            if let last = ranges.last, last.upperBound == range.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
            } else {
                ranges.append(range)
            }
        }
        // At the end of a file that has no line's end there, it is the one before that came with them.
        if lines.last?.hasEnding == false, let last = ranges.last, last.upperBound == bytes.count, last.lowerBound > 0,
            bytes[last.lowerBound - 1] == 0x0A
        {
            let isCRLF = last.lowerBound > 1 && bytes[last.lowerBound - 2] == 0x0D
            ranges[ranges.count - 1] = last.lowerBound - (isCRLF ? 2 : 1)..<bytes.count
        }
        return TextEdit(removing: ranges)
    }
}
