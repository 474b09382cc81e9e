internal import KeyfobFiles
internal import KeyfobModel

/// What a git configuration file says of remotes, of who commits, and of other files that belong to it.
///
/// Reads sections, subsections, quotes, escapes, comments and continued lines as `git-config(1)` has
/// them. Follows no include. A file that git would refuse tells what precedes the mistake.
struct GitConfiguration {
    /// A variable with its value.
    struct Entry: Hashable {
        /// In small letters.
        let section: String
        let subsection: String?
        /// In small letters.
        let name: String
        /// Nil where it has none, or one that is no text.
        let value: String?
    }

    /// A remote and its first URL.
    struct Remote: Hashable {
        let name: String
        let url: String
    }

    /// The largest file that is read, in bytes.
    private static let maximumCount = 1 << 20
    /// The sections that are read.
    private static let sections = ["remote", "user", "extensions", "include", "includeif"]

    /// In their order.
    private(set) var entries: [Entry] = []
    /// Whether everybody can write it.
    private(set) var isOpenToAll = false

    private let bytes: [UInt8]
    private var index = 0
    /// The section, where it is one of those that are read.
    private var section: String?
    private var subsection: String?

    /// Why nothing is read of a file.
    enum Obstacle: Error {
        case missing
        /// It is somebody else's, or too large, or cannot be read.
        case unsuitable
    }

    /// The configuration at `path`, which may be a link to a file that is the caller's own, or root's.
    init(at path: String) throws(Obstacle) {
        switch FileAccess.read(path, limit: Self.maximumCount, following: true) {
        case .bytes(let bytes, let status) where status.isTrustworthy:
            self.init(bytes)
            isOpenToAll = status.isWritableByEverybody
        case .missing: throw .missing
        default: throw .unsuitable
        }
    }

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
                let folded = Identifier.folded(String(decoding: name, as: UTF8.self))
                section = Self.sections.contains(folded) ? folded : nil
                self.subsection = nil
                guard let subsection else { return true }
                // A name that is no text is nobody's.
                self.subsection = String(validating: subsection, as: UTF8.self)
                if self.subsection == nil { section = nil }
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
            if !name.isEmpty { add(name, nil) }
            return !name.isEmpty
        }
        index += 1
        guard !name.isEmpty, let value = readValue() else { return false }
        add(name, String(validating: value, as: UTF8.self))
        return true
    }

    private mutating func add(_ name: [UInt8], _ value: String?) {
        guard let section else { return }
        let name = Identifier.folded(String(decoding: name, as: UTF8.self))
        entries.append(Entry(section: section, subsection: subsection, name: name, value: value))
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

// What it means.
extension GitConfiguration {
    /// The remotes that have a URL, in their order, each name once.
    var remotes: [Remote] {
        var remotes: [Remote] = []
        for entry in entries where entry.section == "remote" && entry.name == "url" {
            guard let name = entry.subsection, let url = entry.value, !url.isEmpty,
                !remotes.contains(where: { $0.name == name })
            else { continue }
            remotes.append(Remote(name: name, url: url))
        }
        return remotes
    }

    /// Who commits: the last `user.email`; nil where there is none, and then nil inside where that is no address.
    var committer: MailAddress?? {
        guard let entry = entries.last(where: { $0.isCommitter }) else { return nil }
        return .some(entry.value.flatMap { MailAddress($0) })
    }

    /// Whether other files belong to it, on some condition or on none.
    var hasIncludes: Bool { entries.contains { $0.section == "include" || $0.section == "includeif" } }

    /// Whether working trees have configurations of their own.
    var hasWorktreeConfigurations: Bool {
        let entry = entries.last { $0.section == "extensions" && $0.name == "worktreeconfig" }
        guard let entry else { return false }
        // A name alone is true, as in git.
        return entry.value.map { ["true", "yes", "on", "1"].contains(Identifier.folded($0)) } ?? true
    }
}

extension GitConfiguration.Entry {
    /// Whether it says who commits.
    var isCommitter: Bool { section == "user" && subsection == nil && name == "email" }
}
