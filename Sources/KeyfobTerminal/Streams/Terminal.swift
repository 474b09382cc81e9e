internal import Glibc
package import KeyfobSodium

// The rules of talking to a person:
//
// - Questions go to the terminal itself (/dev/tty), never to standard output or standard error, so
//   that both can be redirected.
// - What is typed for a passphrase is not shown, and the terminal is put back as it was, also when
//   the person interrupts.
// - With --no-input, or without a terminal, nothing is asked: the command fails and says what to give.

/// The terminal of the person who runs the command.
package struct Terminal: ~Copyable {
    /// The longest line that a terminal edits, in bytes; it drops the rest.
    package static let lineLimit = 4_096

    /// What Ctrl-C sends.
    private static let interrupt: UInt8 = 3

    private let descriptor: CInt

    /// The terminal; nil when there is none.
    package init?() {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
    }

    /// Whether there is one.
    package static var isThere: Bool {
        if Terminal() != nil { true } else { false }
    }

    /// Whether a terminal is what a path names.
    package static func isOne(_ path: String) -> Bool {
        ["/dev/pts/", "/dev/tty", "/dev/console"].contains(where: path.hasPrefix)
    }

    /// The session that has the terminal.
    package static var session: Int32 { getsid(0) }

    /// Whether a person can be asked in the middle of what another program does: it runs in the foreground, and has not set
    /// the terminal to take single keys, as programs do that draw on the whole of it.
    package static var isFree: Bool {
        guard let terminal = Terminal() else { return false }
        var settings = termios()
        guard tcgetpgrp(terminal.descriptor) == getpgrp(),
            unsafe tcgetattr(terminal.descriptor, &settings) == 0
        else { return false }
        return settings.c_lflag & tcflag_t(ICANON) != 0
    }

    deinit {
        close(descriptor)
    }

    /// Asks for a line that is not shown.
    ///
    /// - Parameters:
    ///   - question: What stands before it.
    ///   - limit: The most bytes that are taken. With more than ``lineLimit`` they are taken as they come, and cannot be
    ///     edited.
    /// - Throws: `interrupted`, `nothingTyped` for an empty line and the end of input, `gone`, `cannotHide`.
    package func secret(after question: String, limit: Int = lineLimit) throws(TerminalFailure) -> SecretBytes {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else {
            throw .gone
        }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        // Interrupts come as characters, so that there is time to put the terminal back.
        silent.c_lflag &= ~tcflag_t(ISIG)
        if limit > Self.lineLimit {
            silent.c_lflag &= ~tcflag_t(ICANON)
            silent.c_cc.6 = 1  // VMIN
            silent.c_cc.5 = 0  // VTIME
        }
        // Ends the line, so that it comes at once.
        silent.c_cc.11 = Self.interrupt  // VEOL
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &silent) == 0 else {
            throw .cannotHide
        }
        defer {
            _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &before)
            write("\n")
        }
        ask(question)
        let line: SecretBytes
        do {
            line = try SecretBytes.readingLine(descriptor: descriptor, limit: limit, stop: Self.interrupt)
        } catch {
            throw .nothingTyped
        }
        let isInterrupted = line.withBytes { bytes in
            (0..<bytes.byteCount).contains { bytes.byte(at: $0) == Self.interrupt }
        }
        guard !isInterrupted else { throw .interrupted }
        // No passphrase is empty.
        guard line.count > 0 else { throw .nothingTyped }
        return line
    }

    /// Does something meanwhile nothing that is typed is shown, and drops it afterwards: between two questions for a passphrase
    /// somebody may be typing the next one already.
    package func hidingTyping<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { return try body() }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        // Who is ended meanwhile is so once what is typed is shown again.
        var (ending, usual) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&ending)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP] { unsafe sigaddset(&ending, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &ending, &usual)
        _ = unsafe tcsetattr(descriptor, TCSANOW, &silent)
        defer {
            _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &before)
            unsafe pthread_sigmask(SIG_SETMASK, &usual, nil)
        }
        return try body()
    }

    /// Asks for a line that is shown.
    ///
    /// - Parameter limit: How long it is waited for; nil for as long as nobody types.
    /// - Throws: `nothingTyped` at the end of input, `unwanted`, `unanswered`.
    package func line(after question: String, until limit: QuestionLimit? = nil) throws(TerminalFailure) -> String {
        ask(question)
        if let limit { try wait(limit) }
        do {
            let line = try SecretBytes.readingLine(descriptor: descriptor, limit: Self.lineLimit)
            return String(decoding: line.withBytes { [UInt8]($0) }, as: UTF8.self)
        } catch {
            throw .nothingTyped
        }
    }

    /// Waits until a line is typed.
    private func wait(_ limit: QuestionLimit) throws(TerminalFailure) {
        while true {
            try limit.check()
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&polled, 1, QuestionLimit.interval) > 0 { return }
        }
    }

    /// Shows lines, in which nothing may be that a terminal obeys.
    package func show(_ lines: String) { write(TerminalCharset.shown(lines)) }

    /// How wide it is.
    package var columns: Int { TerminalSize.of(descriptor).columns }

    /// Shows a question, broken between words where the terminal is narrower.
    private func ask(_ question: String) {
        let question = TerminalCharset.shown(TerminalText.line(question))
        let columns = TerminalSize.known(descriptor)?.columns
        // What is typed begins behind it.
        guard let columns, question.last == " ", DisplayWidth.of(question) > columns else { return write(question) }
        write(TextWrapping.message(question, to: columns).joined(separator: "\n") + " ")
    }

    private func write(_ text: String) {
        try? DescriptorWriter.write(Array(text.utf8), to: descriptor)
    }
}

/// How large a terminal is.
struct TerminalSize {
    let columns: Int
    let rows: Int

    /// The size of the terminal behind a descriptor; 80 and 24 where it does not know.
    static func of(_ descriptor: CInt) -> TerminalSize { known(descriptor) ?? TerminalSize(columns: 80, rows: 24) }

    /// The same; nil where it does not know.
    static func known(_ descriptor: CInt) -> TerminalSize? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
