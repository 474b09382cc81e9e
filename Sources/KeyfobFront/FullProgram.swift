internal import Glibc
internal import KeyfobConfinement
internal import KeyfobFiles
internal import KeyfobModel

/// The full program, `../libexec/keyfob/keyfob` from where the front lies.
enum FullProgram {
    /// Becomes the full program, with the same arguments, environment and descriptors.
    ///
    /// - Returns: The exit status where it cannot be started.
    @unsafe
    static func become(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
        // The system tells where the front lies, and neither the environment nor whoever called.
        guard let own = FileAccess.link("/proc/self/exe") else {
            return fail(69, "the system does not tell where keyfob is installed (is /proc there?)")
        }
        let path = Installation.fullProgram(of: own)
        if let refusal = ProcessLimits.full.refusal { return fail(69, refusal) }
        if FileIdentity("/proc/self/exe", following: true) != FileIdentity(path, following: true) {
            unsafe execv(path, arguments)
        }
        let reason = errno == EACCES ? "cannot be started" : "is missing or cannot be started"
        // On a terminal a name may be more than text.
        let shown = path.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? ", \(path)," : ""
        return fail(69, "the rest of keyfob\(shown) \(reason); install it again")
    }

    /// Says what is wrong in one line, which a terminal gets broken between words, as from the full program.
    ///
    /// - Returns: `status`.
    static func fail(_ status: CInt, _ message: String) -> CInt {
        let message = "keyfob: \(message)"
        var size = winsize()
        let isSized = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        let hanging = LineBreaking.hanging(ofMessage: message)
        // Here all is ASCII.
        let lines =
            isSized
            ? LineBreaking.lines(message, to: Int(size.ws_col), hanging: hanging) { $0.utf8.count } : [message]
        var line: [UInt8] = []
        for part in lines { line += Array(part.utf8) + [UInt8(ascii: "\n")] }
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
        return status
    }
}
