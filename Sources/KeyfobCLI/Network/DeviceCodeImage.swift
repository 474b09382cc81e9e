internal import Glibc

/// A QR code for the person's terminal.
enum DeviceCodeImage {
    /// The code of an address; nil where the terminal cannot show it.
    static func text(for address: String, color: Bool, _ environment: Environment = .current) -> String? {
        guard StandardError.isTerminal else { return nil }
        return QRCodeText.lines(
            for: address, columns: TerminalSize.of(STDERR_FILENO).columns, environment: environment.variables,
            isColored: color)
    }
}
