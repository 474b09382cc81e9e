internal import KeyfobSodium

/// Writes an ASCII armor line by line, with LF.
struct ArmorEncoder {
    private var isOpened = false
    /// Bytes that do not fill a line yet, fewer than 48.
    private var rest: [UInt8] = []

    /// Appends the lines that are complete with `bytes`.
    mutating func update(_ bytes: [UInt8], into output: inout [UInt8]) {
        open(into: &output)
        rest += bytes
        var start = 0
        while rest.count - start >= Armor.bytesPerLine {
            Self.write(Base64.standard.encode(rest[start..<start + Armor.bytesPerLine]), into: &output)
            start += Armor.bytesPerLine
        }
        rest.removeFirst(start)
    }

    /// Appends the last line, if there is one, and the closing line.
    mutating func finish(into output: inout [UInt8]) {
        open(into: &output)
        if !rest.isEmpty { Self.write(Base64.standard.encode(rest), into: &output) }
        Self.write(Armor.closingLine, into: &output)
    }

    private mutating func open(into output: inout [UInt8]) {
        if !isOpened { Self.write(Armor.openingLine, into: &output) }
        isOpened = true
    }

    private static func write(_ line: [UInt8], into output: inout [UInt8]) {
        output += line
        output.append(UInt8(ascii: "\n"))
    }
}
