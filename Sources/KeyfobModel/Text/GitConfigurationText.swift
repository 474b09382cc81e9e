/// The variables of a git configuration file, read as `git-config(1)` describes it.
///
/// Follows no include. A file that git would refuse tells what precedes the mistake.
package struct GitConfigurationText {
    /// A variable with its value.
    package struct Entry: Hashable {
        /// In small letters.
        package let section: String
        /// As it stands there.
        package let subsection: String?
        /// In small letters.
        package let name: String
        /// Nil where it has none, which means true, or one that is no text, or that versions of git read differently: one with
        /// a tab or a carriage return between words that are not in quotation marks.
        package let value: String?
        /// Where its line begins, and where the one after it does.
        package let range: Range<Int>
    }

    /// Those of the sections that were asked for, in their order.
    package private(set) var entries: [Entry] = []
    /// Whether git takes the whole file, and each variable is in a section.
    package private(set) var isSound = true

    private let bytes: [UInt8]
    private let sections: [String]
    private var index: Int
    /// The section; nil before the first one, and empty where nobody asks for it.
    private var section: String?
    private var subsection: String?

    /// Reads the variables of some sections, which are named in small letters.
    package init(_ bytes: [UInt8], sections: [String]) {
        self.bytes = bytes
        self.sections = sections
        index = Self.start(of: bytes)
        while let byte = skippingBlanks() {
            if byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";") {
                skipLine()
            } else if !(byte == UInt8(ascii: "[") ? readSection() : readEntry()) {
                isSound = false
                return
            }
        }
    }

    /// Where a file's text begins: behind a byte order mark, which git takes only at the very start.
    package static func start(of text: [UInt8]) -> Int { text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// The next byte that is neither a blank nor the end of a line.
    private mutating func skippingBlanks() -> UInt8? {
        while index < bytes.count {
            guard Self.isBlank(bytes[index]) || bytes[index] == 0x0A else { return bytes[index] }
            index += 1
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    private mutating func skipLine() {
        while let byte = take(), byte != 0x0A {}
    }

    /// The next byte, which is passed, with one byte for an end of a line that has two; nil at the end.
    private mutating func take() -> UInt8? {
        guard index < bytes.count else { return nil }
        if bytes[index] == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { index += 1 }
        defer { index += 1 }
        return bytes[index]
    }

    /// `[name]`, `[name "subsection"]` or the older `[name.subsection]`; whether git takes it.
    private mutating func readSection() -> Bool {
        index += 1
        var name: [UInt8] = []
        while let byte = take() {
            switch byte {
            case UInt8(ascii: "]"):
                guard !name.isEmpty else { return false }
                let parts = name.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
                begin(parts[0], parts.count > 1 ? Array(parts[1]) : nil)
                return true
            case _ where Self.isBlank(byte):
                guard let quoted = readSubsection() else { return false }
                begin(name[...], quoted)
                return true
            case _ where byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "."):
                name.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            default: return false
            }
        }
        return false
    }

    private mutating func begin(_ name: ArraySlice<UInt8>, _ subsection: [UInt8]?) {
        let name = String(decoding: name, as: UTF8.self)
        section = sections.contains(name) ? name : ""
        self.subsection = nil
        guard let subsection else { return }
        // A name that is no text, or at whose zero byte git ends it, is nobody's.
        self.subsection = subsection.contains(0) ? nil : String(validating: subsection, as: UTF8.self)
        if self.subsection == nil { section = "" }
    }

    /// `"subsection"]`, behind a blank.
    private mutating func readSubsection() -> [UInt8]? {
        var text: [UInt8] = []
        var isQuoted = false
        while let byte = take(), byte != 0x0A {
            if !isQuoted {
                if Self.isBlank(byte) { continue }
                guard byte == UInt8(ascii: "\"") else { return nil }
                isQuoted = true
            } else if byte == UInt8(ascii: "\"") {
                return take() == UInt8(ascii: "]") ? text : nil
            } else if byte == UInt8(ascii: "\\") {
                guard let escaped = take(), escaped != 0x0A else { return nil }
                text.append(escaped)
            } else {
                text.append(byte)
            }
        }
        return nil
    }

    /// `name = value`, or a name alone; whether git takes it.
    private mutating func readEntry() -> Bool {
        let start = index
        guard (bytes[index] | 0x20).isASCIISmallLetter else { return false }
        var name: [UInt8] = []
        while index < bytes.count, bytes[index].isASCIIAlphanumeric || bytes[index] == UInt8(ascii: "-") {
            name.append((0x41...0x5A).contains(bytes[index]) ? bytes[index] | 0x20 : bytes[index])
            index += 1
        }
        var end = take()
        while let byte = end, byte == 0x20 || byte == 0x09 { end = take() }
        var value: [UInt8]?
        var isClear = true
        if end == UInt8(ascii: "=") {
            value = readValue(&isClear)
            guard value != nil else { return false }
        } else if let end, end != 0x0A {
            return false
        }
        guard let section else {
            isSound = false
            return true
        }
        guard !section.isEmpty else { return true }
        var text: String?
        if let value, isClear, !value.contains(0) { text = String(validating: value, as: UTF8.self) }
        entries.append(
            Entry(
                section: section, subsection: subsection, name: String(decoding: name, as: UTF8.self), value: text,
                range: start..<index))
        return true
    }

    /// A value to the end of its line; nil where git would refuse it.
    ///
    /// git before 2.45 makes a blank of each tab and carriage return between words, and later ones keep them: then it is not
    /// clear.
    private mutating func readValue(_ isClear: inout Bool) -> [UInt8]? {
        var value: [UInt8] = []
        // Blanks at the end do not belong to the value, unless they are quoted.
        var kept = 0
        var isQuoted = false
        loop: while let byte = take() {
            if !isQuoted, Self.isBlank(byte) {
                if !value.isEmpty { value.append(byte) }
                continue
            }
            switch byte {
            case 0x0A:
                guard !isQuoted else { return nil }
                break loop
            case UInt8(ascii: "#") where !isQuoted, UInt8(ascii: ";") where !isQuoted:
                skipLine()
                break loop
            default: break
            }
            isClear = isClear && value[kept...].allSatisfy { $0 == 0x20 }
            switch byte {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\"):
                switch take() {
                case nil, 0x0A: break
                case UInt8(ascii: "n"): value.append(0x0A)
                case UInt8(ascii: "t"): value.append(0x09)
                case UInt8(ascii: "b"): value.append(0x08)
                case UInt8(ascii: "\""): value.append(UInt8(ascii: "\""))
                case UInt8(ascii: "\\"): value.append(UInt8(ascii: "\\"))
                default: return nil
                }
            default: value.append(byte)
            }
            kept = value.count
        }
        return isQuoted ? nil : Array(value.prefix(kept))
    }
}
