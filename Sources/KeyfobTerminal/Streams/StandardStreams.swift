internal import Glibc
internal import Synchronization

/// Where results go; the command writes them.
package enum StandardOutput {
    /// Whether a person sees it.
    package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// How wide the terminal is; nil where there is none.
    package static var columns: Int? { isTerminal ? TerminalSize.of(STDOUT_FILENO).columns : nil }

    /// How many lines the terminal shows; nil where there is none, or it does not know.
    package static var rows: Int? { isTerminal ? TerminalSize.known(STDOUT_FILENO)?.rows : nil }

    /// What is held back; nil where all is written at once.
    private static let held = Mutex<[UInt8]?>(nil)

    /// Holds back what is written from now on, until ``release()``.
    package static func holdBack() { held.withLock { $0 = [] } }

    /// Ends that.
    ///
    /// - Returns: What was held back.
    package static func release() -> [UInt8] {
        held.withLock { bytes in
            defer { bytes = nil }
            return bytes ?? []
        }
    }

    /// Whether it is open for writing.
    package static var isWritable: Bool { fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE != O_RDONLY }

    /// A text in the characters of the terminal, where there is one.
    package static func shown(_ text: String) -> String { isTerminal ? TerminalCharset.shown(text) : text }

    /// Writes a text's bytes as they are.
    package static func put(_ bytes: [UInt8]) throws(WritingFailure) {
        let isHeld = held.withLock { held in
            held?.append(contentsOf: bytes)
            return held != nil
        }
        if isHeld { return }
        try DescriptorWriter.write(bytes, to: STDOUT_FILENO)
    }

    /// Writes all of something as it is.
    package static func put(_ bytes: RawSpan) throws(WritingFailure) {
        try DescriptorWriter.write(bytes, to: STDOUT_FILENO)
    }
}

/// Where messages go.
///
/// A message that cannot be written is no reason to fail. All of it is made harmless here (``TerminalText``).
package enum StandardError {
    /// Whether a person sees it.
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Goes to the end of a file that messages go to, where somebody else has opened it anew and written behind this process.
    package static func goToEnd() { lseek(STDERR_FILENO, 0, SEEK_END) }

    /// The file that it is, as systemd names that of the journal: device and inode.
    package static var file: String? {
        var status = stat()
        return unsafe fstat(STDERR_FILENO, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : nil
    }

    /// How wide the terminal is; nil where there is none.
    package static var columns: Int? { isTerminal ? TerminalSize.of(STDERR_FILENO).columns : nil }

    /// Writes a message: one line, which a terminal that is narrower gets as several, broken between words.
    ///
    /// Where the terminal does not know how wide it is, it breaks the line itself.
    package static func write(line: String) {
        let line = shown(TerminalText.line(line))
        let columns = isTerminal ? TerminalSize.known(STDERR_FILENO)?.columns : nil
        let lines = columns.map { TextWrapping.message(line, to: $0) } ?? [line]
        write(drawing: lines.map { $0 + "\n" }.joined())
    }

    /// Writes a line of a file, or another that is to be taken as it is, however wide the terminal is.
    package static func write(verbatim line: String) {
        write(drawing: shown(TerminalText.line(line)) + "\n")
    }

    /// Writes lines, each ended by a line feed.
    package static func write(lines: String) {
        write(drawing: shown(TerminalText.lines(lines)))
    }

    /// Shows a line in place of the last one that was shown so; an empty one removes it.
    static func show(progress: String) {
        write(drawing: "\r" + shown(TerminalText.line(progress)) + (progress.isEmpty ? "\u{1B}[K" : ""))
    }

    /// A text in the characters of the terminal, where there is one.
    private static func shown(_ text: String) -> String { isTerminal ? TerminalCharset.shown(text) : text }

    /// Writes what was drawn here, with what a terminal is to obey.
    package static func write(drawing: String) {
        try? DescriptorWriter.write(Array(drawing.utf8), to: STDERR_FILENO)
    }

    /// Whether a line can be written without waiting for whoever reads.
    package static var takesLine: Bool { DescriptorWriter.takesLine(STDERR_FILENO) }
}
