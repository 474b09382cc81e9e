internal import Glibc
internal import Keyfob

/// What `--data` names.
enum RequestBody {
    /// The longest body, in bytes.
    static let limit = 64 << 20

    /// The text itself, or what is in the file behind an `@`.
    ///
    /// - Throws: `noSuchFile`, `inputOutput`, `limitExceeded`.
    static func read(_ text: String) throws(KeyringError) -> [UInt8] {
        guard text.hasPrefix("@") else { return Array(text.utf8) }
        let path = String(text.dropFirst())
        let file = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw KeyringError(.noSuchFile, "\(path) cannot be read") }
        defer { if file != STDIN_FILENO { close(file) } }
        var body: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while body.count <= limit {
            let count = unsafe part.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw KeyringError(.inputOutput, "\(path) cannot be read") }
            if count == 0 { return body }
            body += part[..<count]
        }
        throw KeyringError(.limitExceeded, "\(path) is longer than 64 MiB")
    }
}
