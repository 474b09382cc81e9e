internal import KeyfobSodium

/// Textual encodings of keys and certificates (RFC 7468).
enum PEM {
    /// A block: its label, and where its letters are.
    struct Block: Sendable {
        let label: String
        let letters: Range<Int>
    }

    /// The blocks of a text; what stands around them is passed over.
    static func blocks(in text: RawSpan) -> [Block] {
        var blocks: [Block] = []
        var begun: (label: String, start: Int)?
        var position = 0
        while position < text.byteCount {
            let end = text.firstIndex(of: UInt8(ascii: "\n"), in: position..<text.byteCount) ?? text.byteCount
            if let words = boundary(text, position..<end) {
                if let open = begun {
                    if words == "END " + open.label {
                        blocks.append(Block(label: open.label, letters: open.start..<position))
                    }
                    begun = nil
                } else if words.hasPrefix("BEGIN ") {
                    begun = (String(words.dropFirst(6)), min(end + 1, text.byteCount))
                }
            }
            position = end + 1
        }
        return blocks
    }

    /// What a block stands for; nil where its letters are no Base64.
    static func content(of block: Block, in text: RawSpan) -> SecretBytes? {
        var letters = SecretBuffer(capacity: block.letters.count + 1)
        for index in block.letters where text.byte(at: index) > 0x20 {
            letters.append(text.extracting(index..<index + 1))
        }
        return letters.withBytes { Base64.standard.decodeSecret($0) }
    }

    /// A block of some content, with its line feed.
    static func block(_ label: String, _ content: RawSpan) -> SecretBytes {
        let letters = Base64.standard.encodeSecret(content)
        let (start, end) = (Array("-----BEGIN \(label)-----\n".utf8), Array("-----END \(label)-----\n".utf8))
        var text = SecretBuffer(capacity: start.count + letters.count + letters.count / width + 1 + end.count)
        start.withBytes { text.append($0) }
        letters.withBytes { letters in
            for first in stride(from: 0, to: letters.byteCount, by: width) {
                text.append(letters.extracting(first..<min(first + width, letters.byteCount)))
                [UInt8(ascii: "\n")].withBytes { text.append($0) }
            }
        }
        end.withBytes { text.append($0) }
        return text.withBytes { SecretBytes(copying: $0) }
    }

    private static let width = 64

    /// What stands in a line that begins or ends a block; nil for any other.
    private static func boundary(_ text: RawSpan, _ line: Range<Int>) -> String? {
        let dashes = "-----"
        guard line.count < 100, line.count > 10,
            (0..<5).allSatisfy({ text.byte(at: line.lowerBound + $0) == UInt8(ascii: "-") })
        else { return nil }
        var words = String(decoding: [UInt8](text.extracting(line)), as: UTF8.self)[...]
        while let last = words.utf8.last, last <= 0x20 { words = words.dropLast() }
        guard words.hasSuffix(dashes), words.utf8.count > 10 else { return nil }
        return String(words.dropFirst(5).dropLast(5))
    }
}
