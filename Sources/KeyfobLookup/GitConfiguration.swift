internal import KeyfobModel

/// The remotes in a git configuration file.
///
/// Reads sections, subsections, quotes, escapes, comments and continued lines as `git-config(1)` has
/// them. Includes are not followed. A file that git would refuse tells what precedes the mistake.
struct GitConfiguration {
    /// A remote and its first URL.
    struct Remote: Hashable {
        let name: String
        let url: String
    }

    /// The remotes that have a URL, in their order, each name once.
    private(set) var remotes: [Remote] = []

    private let bytes: [UInt8]
    private var index = 0
    /// The remote that the section is about.
    private var section: String?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        while let byte = skippingBlanks() {
            switch byte {
            case UInt8(ascii: "#"), UInt8(ascii: ";"): skipLine()
            case UInt8(ascii: "["):
                guard readSection() else { return }
            default:
                guard readEntry() else { return }
            }
        }
    }

    /// The next byte that is neither a blank nor the end of a line.
    private mutating func skippingBlanks() -> UInt8? {
        while index < bytes.count {
            guard " \t\r\n".utf8.contains(bytes[index]) else { return bytes[index] }
            index += 1
        }
        return nil
    }

    private mutating func skipLine() {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    }

    /// The next byte, which is passed; nil at the end.
    private mutating func take() -> UInt8? {
        guard index < bytes.count else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    /// `[remote "name"]`, or another section.
    private mutating func readSection() -> Bool {
        index += 1
        var name: [UInt8] = []
        var subsection: [UInt8]?
        while let byte = take() {
            switch byte {
            case UInt8(ascii: "]"):
                let isRemote = Identifier.folded(String(decoding: name, as: UTF8.self)) == "remote"
                section = isRemote ? subsection.flatMap { String(validating: $0, as: UTF8.self) } : nil
                return true
            case UInt8(ascii: " "), UInt8(ascii: "\t"):
                continue
            case UInt8(ascii: "\""):
                guard subsection == nil, let quoted = readQuoted() else { return false }
                subsection = quoted
            case UInt8(ascii: "\n"): return false
            default:
                guard subsection == nil else { return false }
                name.append(byte)
            }
        }
        return false
    }

    /// The rest of a subsection's name, behind its first quotation mark.
    private mutating func readQuoted() -> [UInt8]? {
        var text: [UInt8] = []
        while let byte = take(), byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "\"") { return text }
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            guard let escaped = take(), escaped != UInt8(ascii: "\n") else { return nil }
            text.append(escaped)
        }
        return nil
    }

    /// `name = value`, or a name alone.
    private mutating func readEntry() -> Bool {
        var name: [UInt8] = []
        while index < bytes.count, !" \t\r\n=#;".utf8.contains(bytes[index]) { name.append(bytes[index]); index += 1 }
        while index < bytes.count, " \t\r".utf8.contains(bytes[index]) { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else {
            skipLine()
            return !name.isEmpty
        }
        index += 1
        guard !name.isEmpty, let value = readValue() else { return false }
        guard let section, Identifier.folded(String(decoding: name, as: UTF8.self)) == "url", !value.isEmpty,
            let url = String(validating: value, as: UTF8.self), !remotes.contains(where: { $0.name == section })
        else { return true }
        remotes.append(Remote(name: section, url: url))
        return true
    }

    /// A value to the end of its line; nil when git would refuse it.
    private mutating func readValue() -> [UInt8]? {
        var value: [UInt8] = []
        // Blanks at the end do not belong to the value, unless they are quoted.
        var kept = 0
        var isQuoted = false
        loop: while let byte = take() {
            switch byte {
            case UInt8(ascii: "\n"):
                guard !isQuoted else { return nil }
                break loop
            case UInt8(ascii: "\""):
                isQuoted.toggle()
                kept = value.count
            case UInt8(ascii: "\\"):
                guard let escaped = take() else { return nil }
                switch escaped {
                case UInt8(ascii: "\n"): continue
                case UInt8(ascii: "\r") where index < bytes.count && bytes[index] == UInt8(ascii: "\n"): index += 1
                case UInt8(ascii: "n"): value.append(0x0A)
                case UInt8(ascii: "t"): value.append(0x09)
                case UInt8(ascii: "b"): value.append(0x08)
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): value.append(escaped)
                default: return nil
                }
                kept = value.count
            case UInt8(ascii: "#") where !isQuoted, UInt8(ascii: ";") where !isQuoted:
                skipLine()
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                guard isQuoted || !value.isEmpty else { continue }
                value.append(byte)
                if isQuoted { kept = value.count }
            default:
                value.append(byte)
                kept = value.count
            }
        }
        return isQuoted ? nil : Array(value.prefix(kept))
    }
}
