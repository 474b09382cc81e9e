internal import Glibc

/// The terminal while it shows a picker: keys come as they are typed, and the screen is another one.
///
/// Whoever calls ``enter()`` calls ``leave()``, whatever happens in between.
struct PickerTerminal: ~Copyable {
    /// Why waiting ended.
    enum Event: Hashable, Sendable {
        /// What was typed.
        case input([UInt8])
        /// Nothing came in time.
        case silence
        /// A signal came.
        case signal(CInt)
        /// Nobody is there any more.
        case gone
    }

    /// The other screen, which scrolls away nothing; what is pasted is marked; nothing goes on in the next line.
    private static let entering = "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?7l\u{1B}[2J\u{1B}[H"
    private static let leaving = "\u{1B}[0m\u{1B}[2J\u{1B}[H\u{1B}[?7h\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"
    /// How many milliseconds a terminal that takes nothing is waited for when the picker leaves.
    private static let leavingPatience: Int32 = 200

    private let descriptor: CInt
    private let before: termios

    /// Takes the terminal of the process.
    ///
    /// - Throws: `absent`, `gone`.
    init() throws(TerminalFailure) {
        // A description of its own, so that not to block is true for nobody else.
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw .absent
        }
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else {
            close(descriptor)
            throw .gone
        }
        self.descriptor = descriptor
        before = settings
    }

    deinit {
        close(descriptor)
    }

    /// Shows the other screen; also again, after the process was stopped.
    ///
    /// - Throws: `cannotTakeKeys`.
    func enter() throws(TerminalFailure) {
        var raw = before
        raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON)
        raw.c_cflag |= tcflag_t(CS8)
        // Ctrl-C comes as a character, so that there is time to put the terminal back.
        raw.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN | ISIG)
        raw.c_cc.5 = 0  // VTIME
        raw.c_cc.6 = 1  // VMIN
        // What was typed ahead is kept.
        guard unsafe tcsetattr(descriptor, TCSANOW, &raw) == 0 else {
            throw .cannotTakeKeys
        }
        send(Self.entering)
    }

    /// Puts the terminal back; what was typed beyond the choice is left to whoever reads next.
    func leave() {
        send(Self.leaving)
        var settings = before
        _ = unsafe tcsetattr(descriptor, TCSANOW, &settings)
    }

    /// Columns and rows; 80 and 24 where the terminal does not know.
    var size: TerminalSize { TerminalSize.of(descriptor) }

    /// Draws a frame over what is there.
    ///
    /// Stops half-way when a signal comes while the terminal takes nothing; whoever handles it draws again.
    func draw(_ frame: PickerScreen.Frame, columns: Int, rows: Int, color: Bool, _ signals: borrowing SignalPipe) {
        var drawing = "\u{1B}[?25l"
        for row in 0..<rows {
            let line = row < frame.lines.count ? frame.lines[row] : PickerLine()
            drawing += line.drawing(row: row, columns: columns, color: color)
        }
        drawing += "\u{1B}[\(frame.cursorRow + 1);\(frame.cursorColumn + 1)H\u{1B}[?25h"
        send(drawing, orUntil: signals.descriptor)
    }

    /// Waits for keys or a signal, at most `patience` milliseconds; nil for any time.
    func wait(_ signals: borrowing SignalPipe, patience: Int32?) -> Event {
        while true {
            if let signal = signals.next() { return .signal(signal) }
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&polled, nfds_t(polled.count), patience ?? -1)
            if count == 0 { return .silence }
            // A signal came, or what has come is seen at the next turn.
            guard count > 0, polled[1].revents == 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 1_024)
            let length = unsafe read(descriptor, &buffer, buffer.count)
            if length > 0 { return .input(Array(buffer[..<length])) }
            if length < 0, errno == EAGAIN || errno == EINTR { continue }
            return .gone
        }
    }

    /// Writes all, or what the terminal takes until it takes nothing for a while, or another descriptor is readable.
    private func send(_ text: String, orUntil other: CInt = -1) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var polled = [
                    pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
                    pollfd(fd: other, events: Int16(POLLIN), revents: 0),
                ]
                let ready = unsafe poll(&polled, 2, other < 0 ? Self.leavingPatience : -1)
                if ready == 0 || polled[1].revents != 0 { return }
            } else if errno != EINTR {
                // Reading tells that nobody is there.
                return
            }
        }
    }
}
