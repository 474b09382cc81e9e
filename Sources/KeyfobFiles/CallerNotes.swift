internal import Glibc
package import KeyfobModel
package import KeyfobSodium

/// What programs were given here, by which it shows that one of them was most likely refused it; and what was done about that.
///
/// One text file in a folder that ends with the login; whoever writes there decides nothing but whether a token is
/// replaced once more.
package struct CallerNotes: Sendable {
    private let folder: RuntimeFolder
    private let name: String

    /// What a caller was given last, or what something was done about.
    package struct Note: Hashable, Sendable {
        /// Names a token, and tells nothing of it.
        package let mark: String
        /// When, in seconds since 1970.
        package let time: Int64

        /// A note of a token.
        package init(naming secret: borrowing SecretBytes, at time: Int64) {
            self = secret.withBytes { Note(naming: $0, at: time) }
        }

        /// A note of a token, whose bytes these are.
        package init(naming secret: RawSpan, at time: Int64) {
            self.init(mark: CallerNotes.mark(of: secret), time: time)
        }

        fileprivate init(mark: String, time: Int64) { (self.mark, self.time) = (mark, time) }

        /// Whether it is of at most so many seconds ago.
        package func isWithin(_ seconds: Int64, of now: Int64) -> Bool { (0...seconds).contains(now &- time) }
    }

    /// The program that has called this one.
    package struct Caller: Hashable, Sendable {
        /// The process, told from a later one of its number.
        let process: String
        /// What it was started with.
        let command: String

        /// The calling one; nil where the system does not tell.
        package static var current: Caller? {
            let parent = getppid()
            guard let bytes = try? POSIXFile.read("/proc/\(parent)/stat", limit: 4_096),
                // The name before it may hold anything.
                let end = bytes.lastIndex(of: UInt8(ascii: ")"))
            else { return nil }
            let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
            guard fields.count > 19 else { return nil }
            let words = FileAccess.head("/proc/\(parent)/cmdline", count: 4_096) ?? []
            return Caller(
                process: "\(parent)-" + String(decoding: fields[19], as: UTF8.self),
                command: words.withBytes { CallerNotes.mark(of: $0) })
        }
    }

    /// How many entries are remembered, the newest.
    private static let limit = 128
    /// Within how many seconds the same command is one that somebody repeats.
    private static let soon: Int64 = 120
    /// For how many seconds what was asked, or got anew, is not asked or got again.
    package static let pause: Int64 = 60

    /// The notes called `name` in a folder that ends with the login.
    package init(runtime: String, name: String) {
        folder = RuntimeFolder(path: runtime)
        self.name = name
    }

    /// The notes of what a tool's programs were given of a vault.
    package init(runtime: String, vault: String, of tool: ToolCall) {
        self.init(runtime: runtime, name: "\(vault).\(tool.tool)")
    }

    /// When servers were asked about tokens, and other tokens got in the place of those that were refused, by
    /// ``key(_:server:)``.
    package init(runtime: String, vault: String, ofChecksFor tool: ToolCall) {
        self.init(runtime: runtime, name: "\(vault).\(tool.tool).checks")
    }

    /// Names an account, or a token by its mark, at a server.
    package static func key(_ name: String, server: String) -> String {
        Array("\(name) \(server)".utf8).withBytes { mark(of: $0) }
    }

    private static func mark(of bytes: RawSpan) -> String { Hexadecimal.text(BLAKE2b.hash(bytes, count: 16)) }

    /// Whether a caller was most likely refused the token that it is given now: the process that asks again, or the same command,
    /// soon, unless the server has been asked meanwhile.
    ///
    /// - Parameter checks: Where it is noted that the server was asked.
    package func isDoubtful(_ given: Note, to caller: Caller, at server: String, checks: CallerNotes) -> Bool {
        let entries = entries()
        if entries.last(where: { $0.key == caller.process })?.note.mark == given.mark { return true }
        guard let last = entries.last(where: { $0.key == caller.command })?.note, last.mark == given.mark,
            last.isWithin(Self.soon, of: given.time)
        else { return false }
        return checks.note(of: Self.key(given.mark, server: server))?.isWithin(Self.pause, of: given.time) != true
    }

    /// What is noted by a key.
    package func note(of key: String) -> Note? { entries().last { $0.key == key }?.note }

    /// Takes note of what a caller is given; of two at the same moment, one may be lost.
    ///
    /// - Throws: `unsafePath`, `notWritable`, `diskFull`, `inputOutput`.
    package func write(_ note: Note, of caller: Caller) throws(StorageFailure) {
        try write(note, of: [caller.process, caller.command])
    }

    /// The same by keys.
    package func write(_ note: Note, of keys: [String]) throws(StorageFailure) {
        try folder.prepare()
        var kept = Array(entries().filter { !keys.contains($0.key) }.suffix(Self.limit - keys.count))
        for key in keys { kept.append((key, note)) }
        let text = kept.map { "\($0.key) \($0.note.mark) \($0.note.time)\n" }.joined()
        try POSIXFile.replace(path, with: Array(text.utf8))
    }

    private var path: String { folder.path + "/" + name }

    private func entries() -> [(key: String, note: Note)] {
        let bytes = (try? POSIXFile.read(path, limit: 1 << 16)) ?? []
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            guard words.count == 3, let time = Int64(digits: words[2].utf8) else { return nil }
            return (words[0], Note(mark: words[1], time: time))
        }
    }
}
