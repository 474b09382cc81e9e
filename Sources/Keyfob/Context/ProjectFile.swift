internal import KeyfobSodium
internal import TOMLKit

/// A `.keyfob.toml`: which account is used in its folder and below, for whoever has allowed it.
///
///     account = "ada@contoso.example"   # an id, a user name or a label; "none" for no account
///     group = "work"                    # may be left out
public struct ProjectFile: Hashable, Sendable {
    /// The name that such a file has.
    public static let name = ".keyfob.toml"
    /// The largest file that is read, in bytes.
    public static let maximumCount = 65_536

    /// The account as the file names it; nil for "none".
    public let account: String?
    /// The group that the account is in, where the file says so.
    public let group: AccessGroup?

    /// The nearest such file from `directory` upwards, allowed or not.
    public static func nearest(from directory: String) -> String? {
        FileAccess.realPath(directory).flatMap { paths(from: $0).first }
    }

    /// The files of that name from a real path upwards; opens nothing.
    static func paths(from directory: String) -> [String] {
        FileAccess.ancestors(of: directory).map { FileAccess.path($0, name) }
            .filter { FileAccess.status($0, following: false) != nil }
    }

    /// The real path of the file that a person means by `path`: the file, or its folder.
    ///
    /// - Throws: `usage` for a file of another name, `noSuchFile` where its folder is not there.
    static func location(of path: String, mustExist: Bool) throws(KeyringError) -> String {
        if FileAccess.status(path, following: true)?.isDirectory == true, let folder = FileAccess.realPath(path) {
            return FileAccess.path(folder, name)
        }
        let slash = path.lastIndex(of: "/")
        guard path[(slash.map(path.index(after:)) ?? path.startIndex)...] == name else {
            throw FileAccess.status(path, following: false) == nil
                ? KeyringError(.noSuchFile, "there is no \(path)")
                : KeyringError(.usage, "\(path) is not called \(name), and no other file counts")
        }
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        if let real = FileAccess.realPath(folder) { return FileAccess.path(real, name) }
        guard !mustExist, let former = FileAccess.formerPath(folder) else {
            throw KeyringError(.noSuchFile, "there is no \(path)")
        }
        return FileAccess.path(former, name)
    }

    /// The content of a file that can be trusted to be its owner's, and what it is recognised by.
    ///
    /// - Throws: ``Refusal``.
    static func content(_ path: String) throws(Refusal) -> (bytes: [UInt8], digest: String) {
        switch FileAccess.read(path, limit: maximumCount, following: false) {
        case .bytes(let bytes, let status):
            guard status.isTrustworthy else { throw .foreign }
            guard !status.isWritableByEverybody else { throw .writableByEverybody }
            return (bytes, digest(of: bytes))
        case .missing: throw .missing
        case .link: throw .link
        case .notRegular: throw .notRegular
        case .tooLarge: throw .tooLarge
        case .failed(let number): throw .unreadable(number)
        }
    }

    private static func digest(of bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let hash = BLAKE2b.hash(bytes, count: 32)
        return String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Why a file is not even looked at.
    enum Refusal: Error, Hashable {
        case missing, link, notRegular, tooLarge, foreign, writableByEverybody
        case unreadable(CInt)

        /// What is wrong with the file, and what to do.
        var words: (what: String, advice: String?) {
            switch self {
            case .missing: ("is not there", nil)
            case .link: ("is a symbolic link, which is not followed", "put the file itself in its place")
            case .notRegular: ("is no regular file", nil)
            case .tooLarge: ("is larger than \(ProjectFile.maximumCount) bytes", nil)
            case .foreign: ("belongs to another user", "make a file of your own")
            case .writableByEverybody: ("can be written by everybody", "chmod o-w it")
            case .unreadable(let number): ("cannot be read: \(KeyringError.text(ofErrno: number))", nil)
            }
        }

        /// The same as an error about the file at `path`.
        func error(_ path: String) -> KeyringError {
            let code: KeyringError.Code =
                switch self {
                case .missing: .noSuchFile
                case .tooLarge: .limitExceeded
                case .unreadable: .inputOutput
                case .link, .notRegular, .foreign, .writableByEverybody: .configuration
                }
            return KeyringError(code, "\(path) \(words.what)", hint: words.advice)
        }
    }
}

// What is in it.
extension ProjectFile {
    /// The file that `bytes` are, which was read from `path`.
    ///
    /// - Throws: `damaged` for what is not TOML, with the line; `configuration` for a key that is unknown,
    ///   missing or of another kind.
    init(_ bytes: [UInt8], path: String) throws(KeyringError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw KeyringError(.damaged, "\(path) is not TOML: it is not UTF-8")
        }
        // The parser would take a zero byte for the end.
        if let place = bytes.firstIndex(where: { $0 < 0x20 && !"\t\r\n".utf8.contains($0) || $0 == 0x7F }) {
            throw KeyringError(
                .damaged, "\(path) is not TOML: line \(Self.line(bytes[..<place])) holds a control character")
        }
        // The parser makes a table inside a table for every dot of a key, and does not stop before the stack ends.
        guard Self.countDots(bytes) <= 256 else {
            throw KeyringError(.damaged, "\(path) holds more than 256 dots outside comments")
        }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw KeyringError(.damaged, "\(path) is not TOML: line \(error.source.begin.line) cannot be read")
        } catch {
            throw KeyringError(.damaged, "\(path) is not TOML")
        }
        let unknown = table.keys.filter { !["account", "group"].contains($0) }
        if let key = unknown.min(by: { (Self.line(of: $0, text) ?? .max, $0) < (Self.line(of: $1, text) ?? .max, $1) })
        {
            throw KeyringError(
                .configuration, "\(Self.place(path, key, text)): there is no key '\(key.prefix(60))'",
                hint: "the keys are 'account' and 'group'")
        }
        guard let name = try Self.text("account", table, path, text) else {
            throw KeyringError(.configuration, "\(path): the key 'account' is missing")
        }
        guard Identifier.isAcceptable(name) else {
            throw KeyringError(
                .configuration, "\(Self.place(path, "account", text)): 'account' is blank or holds control characters")
        }
        account = name == "none" ? nil : name
        do {
            group = try Self.text("group", table, path, text).map { try AccessGroup($0) }
        } catch let error as KeyringError {
            throw error
        } catch {
            throw KeyringError(.configuration, "\(Self.place(path, "group", text)): \(error)")
        }
    }

    /// How many dots there are in lines that are not comments as a whole.
    private static func countDots(_ bytes: [UInt8]) -> Int {
        bytes.split(separator: 0x0A).reduce(0) { count, line in
            let isComment = line.first { !" \t".utf8.contains($0) } == UInt8(ascii: "#")
            return isComment ? count : count + line.count { $0 == UInt8(ascii: ".") }
        }
    }

    private static func text(
        _ key: String, _ table: TOMLTable, _ path: String, _ text: String
    ) throws(KeyringError) -> String? {
        guard let value = table[key] else { return nil }
        guard let string = value.string else {
            throw KeyringError(.configuration, "\(place(path, key, text)): '\(key)' is no text in quotation marks")
        }
        return string
    }

    /// Path and line of a key.
    private static func place(_ path: String, _ key: String, _ text: String) -> String {
        line(of: key, text).map { "\(path), line \($0)" } ?? path
    }

    /// The first line that begins with a key, as far as that can be seen; from 1.
    private static func line(of key: String, _ text: String) -> Int? {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.firstIndex { $0.drop { " \t[\"'".contains($0) }.hasPrefix(key) }.map { $0 + 1 }
    }

    /// The line that follows these bytes, from 1.
    private static func line(_ bytes: ArraySlice<UInt8>) -> Int { bytes.count { $0 == 0x0A } + 1 }
}
