internal import Glibc
internal import Keyfob

/// Where results go.
///
/// Messages go to ``StandardError``. What a person reads is made harmless here (``TerminalText``); data is written as it is.
enum StandardOutput {
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// What is said where whoever read the results went away before the end.
    static let readerLeft = DescriptorWriter.readerLeft(name)
    private static let name = "standard output"

    /// How wide the terminal is; nil where there is none.
    static var columns: Int? { isTerminal ? TerminalSize.of(STDOUT_FILENO).columns : nil }

    /// Asks before something is done whose result would be lost.
    ///
    /// - Throws: `inputOutput` where nothing can be written.
    static func requireWritable() throws(KeyringError) {
        guard fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE != O_RDONLY else {
            throw DescriptorWriter.closed(name)
        }
    }

    /// Writes a line for people.
    static func write(line: String) throws(KeyringError) {
        try write(data: shown(TerminalText.line(line)) + "\n")
    }

    /// Writes a line for people that a terminal which is narrower gets as several, all but the first behind eight spaces.
    ///
    /// - Parameter look: How its first word looks; nil for like the others.
    static func write(entry: String, _ look: EntryLook? = nil) throws(KeyringError) {
        let entry = shown(TerminalText.line(entry))
        var lines = columns.map { TextWrapping.lines(entry, to: max(20, $0), hanging: 8) } ?? [entry]
        if let look, let end = lines[0].firstIndex(of: " ") {
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

    /// A text in the characters of the terminal, where there is one.
    private static func shown(_ text: String) -> String { isTerminal ? TerminalCharset.shown(text) : text }

    /// Writes lines as a template has them, in which names are harmless already.
    static func write(filled lines: String) throws(KeyringError) { try write(data: shown(lines)) }

    /// Writes text for programs as it is.
    static func write(data: String) throws(KeyringError) {
        try DescriptorWriter.write(Array(data.utf8), to: STDOUT_FILENO, name: name)
    }

    /// Writes bytes as they are: the one place where a secret leaves guarded memory.
    static func write(bytes: RawSpan) throws(KeyringError) {
        try DescriptorWriter.write(bytes, to: STDOUT_FILENO, name: name)
    }
}

/// How a word looks that tells of something wrong, where there is colour.
enum EntryLook: String {
    case warning = "\u{1B}[1;33m"
    case failure = "\u{1B}[1;31m"

    static let end = "\u{1B}[0m"
}

/// Where messages go.
///
/// A message that cannot be written is no reason to fail. All of it is made harmless here (``TerminalText``).
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func write(line: String) {
        write(drawing: shown(TerminalText.line(line)) + "\n")
    }

    /// Writes lines, each ended by a line feed.
    static func write(lines: String) {
        write(drawing: shown(TerminalText.lines(lines)))
    }

    /// Shows a line in place of the last one that was shown so; an empty one removes it.
    static func show(progress: String) {
        write(drawing: "\r" + shown(TerminalText.line(progress)) + (progress.isEmpty ? "\u{1B}[K" : ""))
    }

    /// A text in the characters of the terminal, where there is one.
    private static func shown(_ text: String) -> String { isTerminal ? TerminalCharset.shown(text) : text }

    /// Writes what was drawn here, with what a terminal is to obey.
    static func write(drawing: String) {
        try? DescriptorWriter.write(Array(drawing.utf8), to: STDERR_FILENO, name: "standard error")
    }
}

/// Writes all of something to a descriptor.
enum DescriptorWriter {
    static func write(_ bytes: [UInt8], to descriptor: CInt, name: String) throws(KeyringError) {
        try unsafe write(bytes.span.bytes, to: descriptor, name: name)
    }

    /// - Throws: `diskFull`, or `inputOutput` with the reason.
    static func write(_ bytes: RawSpan, to descriptor: CInt, name: String) throws(KeyringError) {
        var start = 0
        while start < bytes.byteCount {
            let rest = bytes.extracting(start..<bytes.byteCount)
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure(name) }
            start += count
        }
    }

    /// What is said where whoever read what is written went away before the end.
    static func readerLeft(_ name: String) -> String { "\(name) was closed before everything was written" }

    static func closed(_ name: String) -> KeyringError {
        KeyringError(.inputOutput, "\(name) is closed")
    }

    private static func failure(_ name: String) -> KeyringError {
        switch errno {
        case EPIPE: KeyringError(.inputOutput, readerLeft(name))
        case ENOSPC, EDQUOT: KeyringError(.diskFull, "the disk is full: \(name) is incomplete")
        case EBADF: closed(name)
        default: KeyringError(.inputOutput, "\(name) could not be written (error \(errno))")
        }
    }
}
