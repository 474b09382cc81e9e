internal import Glibc
internal import Keyfob
internal import KeyfobFiles

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
        let name = path == "-" ? BundleInput.standardInput : path
        let file = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw KeyringError(opening: path, errno) }
        defer { if file != STDIN_FILENO { close(file) } }
        var wait = PipeWait(file, notice: PipeNotice.of(name))
        var body: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while body.count <= limit {
            guard wait.wait(file) else { throw KeyringError(silent: name, seconds: Int(wait.seconds)) }
            let count = unsafe part.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw errno == EISDIR
                    ? KeyringError(opening: path, errno) : KeyringError(.inputOutput, "\(name) cannot be read")
            }
            if count == 0 { return body }
            body += part[..<count]
        }
        throw KeyringError(.limitExceeded, "\(name) is longer than 64 MiB")
    }
}
