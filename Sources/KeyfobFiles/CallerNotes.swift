internal import Glibc
package import KeyfobModel
package import KeyfobSodium

/// What programs were given here, by which it shows that one of them asks for the same again, and what was got anew for them.
///
/// One text file in a folder that ends with the login; whoever writes there decides nothing but whether a token is
/// replaced once more.
package struct CallerNotes: Sendable {
    private let folder: RuntimeFolder
    private let name: String

    /// What a caller was given last, and when something was got anew for it.
    package struct Note: Hashable, Sendable {
        /// Names what was given, and tells nothing of it.
        package var mark: String
        /// When another one was got in its place because the server refused it, in seconds since 1970; 0 for never.
        package var renewedAt: Int64

        /// A note.
        package init(mark: String, renewedAt: Int64 = 0) {
            self.mark = mark
            self.renewedAt = renewedAt
        }

        /// A note of a token.
        package init(naming secret: borrowing SecretBytes, renewedAt: Int64 = 0) {
            self = secret.withBytes { Note(naming: $0, renewedAt: renewedAt) }
        }

        /// A note of a token, whose bytes these are.
        package init(naming secret: RawSpan, renewedAt: Int64 = 0) {
            self.init(mark: Hexadecimal.text(BLAKE2b.hash(secret, count: 16)), renewedAt: renewedAt)
        }
    }

    /// How many callers are remembered, the newest.
    private static let limit = 64

    /// The notes called `name` in a folder that ends with the login.
    package init(runtime: String, name: String) {
        folder = RuntimeFolder(path: runtime)
        self.name = name
    }

    /// The notes of what a tool's programs were given of a vault.
    package init(runtime: String, vault: String, of tool: ToolCall) {
        self.init(runtime: runtime, name: "\(vault).\(tool.tool)")
    }

    /// When other tokens were got in the place of those that servers had refused to a tool's programs, by ``key(account:server:)``.
    package init(runtime: String, vault: String, ofRenewalsFor tool: ToolCall) {
        self.init(runtime: runtime, name: "\(vault).\(tool.tool).renewals")
    }

    /// Names an account at a server in a word.
    package static func key(account: String, server: String) -> String {
        Array("\(account) \(server)".utf8).withBytes { Note(naming: $0).mark }
    }

    /// The program that has called this one, told from a later one of its number; nil where the system does not tell.
    package static var caller: String? {
        let parent = getppid()
        guard let bytes = try? POSIXFile.read("/proc/\(parent)/stat", limit: 4_096),
            // The name before it may hold anything.
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19 else { return nil }
        return "\(parent)-" + String(decoding: fields[19], as: UTF8.self)
    }

    /// What a caller was given last.
    package func note(of caller: String) -> Note? {
        entries().last { $0.caller == caller }?.note
    }

    /// Takes note of what a caller is given; of two at the same moment, one may be lost.
    ///
    /// - Throws: `unsafePath`, `notWritable`, `diskFull`, `inputOutput`.
    package func write(_ note: Note, of caller: String) throws(StorageFailure) {
        try folder.prepare()
        let kept = entries().filter { $0.caller != caller }.suffix(Self.limit - 1) + [(caller: caller, note: note)]
        let text = kept.map { "\($0.caller) \($0.note.mark) \($0.note.renewedAt)\n" }.joined()
        try POSIXFile.replace(path, with: Array(text.utf8))
    }

    private var path: String { folder.path + "/" + name }

    private func entries() -> [(caller: String, note: Note)] {
        let bytes = (try? POSIXFile.read(path, limit: 1 << 16)) ?? []
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            guard words.count == 3, let time = Int64(digits: words[2].utf8) else { return nil }
            return (words[0], Note(mark: words[1], renewedAt: time))
        }
    }
}
