internal import Glibc

/// How large a terminal is.
struct TerminalSize {
    let columns: Int
    let rows: Int

    /// The size of the terminal behind a descriptor; 80 and 24 where it does not know.
    static func of(_ descriptor: CInt) -> TerminalSize {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
