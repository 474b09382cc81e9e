internal import Keyfob
internal import KeyfobTerminal

// Messages go to `StandardError`. What a person reads is made harmless here (`TerminalText`); data is written as it is.

extension StandardOutput {
    /// What is said where whoever read the results went away before the end.
    static let readerLeft = KeyringError(.readerLeft, to: name).message
    private static let name = "standard output"

    /// Asks before something is done whose result would be lost.
    ///
    /// - Throws: `inputOutput` where nothing can be written.
    static func requireWritable() throws(KeyringError) {
        guard isWritable else { throw KeyringError(.closed, to: name) }
    }

    /// Writes a line for people.
    static func write(line: String) throws(KeyringError) {
        try write(data: shown(TerminalText.line(line)) + "\n")
    }

    /// Writes a line for people that a terminal which is narrower gets as several, all but the first behind some spaces.
    ///
    /// - Parameters:
    ///   - look: How its first word looks; nil for like the others.
    ///   - hanging: How many spaces.
    static func write(entry: String, _ look: EntryLook? = nil, hanging: Int = 8) throws(KeyringError) {
        let entry = shown(TerminalText.line(entry))
        var lines = columns.map { TextWrapping.lines(entry, to: max(1, $0), hanging: hanging) } ?? [entry]
        if let look {
            let end = lines[0].firstIndex(of: " ") ?? lines[0].endIndex
            lines[0] = look.rawValue + lines[0][..<end] + EntryLook.end + lines[0][end...]
        }
        try write(data: lines.map { $0 + "\n" }.joined())
    }

    /// Writes lines for people, each ended by a line feed.
    static func write(lines: String) throws(KeyringError) {
        try write(data: shown(TerminalText.lines(lines)))
    }

    /// Writes a path: on a terminal for people, and as it is for programs.
    static func write(path: String) throws(KeyringError) {
        try write(data: (isTerminal ? shown(TerminalText.line(path)) : path) + "\n")
    }

    /// Writes lines as a template has them, in which names are harmless already.
    static func write(filled lines: String) throws(KeyringError) { try write(data: shown(lines)) }

    /// Writes text for programs as it is.
    static func write(data: String) throws(KeyringError) {
        do { try put(Array(data.utf8)) } catch { throw KeyringError(error, to: name) }
    }

    /// Writes bytes as they are: the one place where a secret leaves guarded memory.
    static func write(bytes: RawSpan) throws(KeyringError) {
        do { try put(bytes) } catch { throw KeyringError(error, to: name) }
    }
}

/// How a word looks that tells of something wrong, where there is colour.
enum EntryLook: String {
    case warning = "\u{1B}[1;33m"
    case failure = "\u{1B}[1;31m"

    static let end = "\u{1B}[0m"
}

extension GlobalOptions {
    /// Prints a list; of an empty one it says what adds something to it.
    func show(_ table: Table, orSay words: String) throws(KeyringError) {
        if table.isEmpty { say(words) }
        if !table.isEmpty || StandardOutput.columns == nil { try StandardOutput.write(lines: table.text) }
    }
}
