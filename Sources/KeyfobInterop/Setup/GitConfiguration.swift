internal import KeyfobModel

/// What git's configuration says of credentials, as far as one file tells: files that it includes are not looked at.
///
/// Read leniently: where git would refuse the file, it says less here, and that it is not sound.
struct GitConfiguration {
    /// A variable of a section `credential`.
    struct Entry: Hashable {
        /// The address that the section is for; nil for all.
        let url: String?
        /// In small letters.
        let name: String
        /// Nil where there is a name alone, which means true.
        let value: String?
        /// Where its line begins, and where the one after it does.
        let range: Range<Int>
    }

    /// In the order of the file.
    private(set) var entries: [Entry] = []
    /// Whether it is what git reads: it begins with a section, but for remarks, and headers and quotes end in their lines.
    private(set) var isSound = true

    private let text: [UInt8]
    private var position: Int

    init(_ text: [UInt8]) {
        self.text = text
        position = Self.start(of: text)
        read()
    }

    /// Where a file's text begins: behind a byte order mark, which git takes only at the very start.
    static func start(of text: [UInt8]) -> Int { text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    private var byte: UInt8? { position < text.count ? text[position] : nil }

    private mutating func read() {
        var section: (name: String, url: String?)?
        while let byte {
            switch byte {
            case UInt8(ascii: "#"), UInt8(ascii: ";"): skipLine()
            case UInt8(ascii: "["): section = header()
            case _ where (byte | 0x20).isASCIISmallLetter:
                if section == nil { isSound = false }
                let start = position
                let (name, value) = variable()
                guard let section, section.name == "credential" else { continue }
                entries.append(Entry(url: section.url, name: name, value: value, range: start..<position))
            case 0x09, 0x0A, 0x0D, 0x20: position += 1
            default:
                isSound = false
                skipLine()
            }
        }
    }

    private mutating func skipLine() {
        while let byte, byte != 0x0A { position += 1 }
        position = min(position + 1, text.count)
    }

    /// Reads `[name]`, `[name "url"]` or the older `[name.url]`; the position is behind it.
    private mutating func header() -> (name: String, url: String?) {
        position += 1
        var (name, url) = ([UInt8](), [UInt8]?.none)
        var isClosed = false
        defer { if !isClosed { isSound = false } }
        while let byte, byte != 0x0A {
            position += 1
            if byte == UInt8(ascii: "]") {
                isClosed = true
                break
            }
            if byte == UInt8(ascii: "\"") {
                url = quoted()
            } else if byte > 0x20 {
                name.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            }
        }
        if url == nil, let dot = name.firstIndex(of: UInt8(ascii: ".")) {
            url = Array(name[(dot + 1)...])
            name = Array(name[..<dot])
        }
        return (String(decoding: name, as: UTF8.self), url.map { String(decoding: $0, as: UTF8.self) })
    }

    /// The text up to the quotation mark.
    private mutating func quoted() -> [UInt8] {
        var text: [UInt8] = []
        while var byte, byte != 0x0A {
            position += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), let next = self.byte {
                byte = next
                position += 1
            }
            text.append(byte)
        }
        return text
    }

    /// Reads a variable; the position is at the beginning of the next line.
    private mutating func variable() -> (name: String, value: String?) {
        var name: [UInt8] = []
        while let byte, byte.isASCIIAlphanumeric || byte == UInt8(ascii: "-") {
            name.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            position += 1
        }
        while let byte, byte == 0x20 || byte == 0x09 { position += 1 }
        let text = String(decoding: name, as: UTF8.self)
        guard byte == UInt8(ascii: "=") else {
            skipLine()
            return (text, nil)
        }
        position += 1
        return (text, value())
    }

    private mutating func value() -> String {
        var (value, blanks, isQuoted) = ([UInt8](), [UInt8](), false)
        while let byte {
            position += 1
            switch byte {
            case 0x0A:
                if isQuoted { isSound = false }
                return String(decoding: value, as: UTF8.self)
            case 0x0D where self.byte == 0x0A: continue
            case UInt8(ascii: "#") where !isQuoted, UInt8(ascii: ";") where !isQuoted:
                skipLine()
                return String(decoding: value, as: UTF8.self)
            case 0x20 where !isQuoted, 0x09 where !isQuoted:
                // Those at the end are not part of it.
                if !value.isEmpty { blanks.append(byte) }
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\"):
                if self.byte == 0x0D { position += 1 }
                guard let next = self.byte else { break }
                position += 1
                guard next != 0x0A else { continue }
                value += blanks + [next == UInt8(ascii: "n") ? 0x0A : next == UInt8(ascii: "t") ? 0x09 : next]
                blanks = []
            default:
                value += blanks + [byte]
                blanks = []
            }
        }
        if isQuoted { isSound = false }
        return String(decoding: value, as: UTF8.self)
    }
}
