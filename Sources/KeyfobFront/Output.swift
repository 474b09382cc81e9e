internal import Glibc
internal import KeyfobSodium

/// Writes what was asked for to standard output.
enum Output {
    /// Writes a text that is no secret.
    ///
    /// - Returns: The exit status; nil where nothing was written.
    static func write(_ text: String) -> CInt? {
        let bytes = Array(text.utf8)
        return unsafe write(bytes.span.bytes, before: "")
    }

    /// Writes the token between two texts, in one call where the system takes it in one.
    ///
    /// - Returns: The exit status; nil where nothing was written.
    static func write(_ token: RawSpan, behind start: String = "", before end: String = "\n") -> CInt? {
        let (start, end) = (Array(start.utf8), Array(end.utf8))
        return unsafe start.withUnsafeBytes { start in
            unsafe token.withUnsafeBytes { token in unsafe end.withUnsafeBytes { unsafe write([start, token, $0]) } }
        }
    }

    /// Writes the token inside a JSON string, between two texts.
    ///
    /// - Returns: The exit status; nil where nothing was written, as for a token that JSON would write as another text.
    static func write(inJSON token: RawSpan, behind start: String, before end: String) -> CInt? {
        let isPlain = (0..<token.byteCount).allSatisfy { place in
            let byte = token.byte(at: place)
            return (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        return isPlain ? write(token, behind: start, before: end) : nil
    }

    @unsafe
    private static func write(_ pieces: [UnsafeRawBufferPointer]) -> CInt? {
        var pieces = unsafe pieces
        var isStarted = false
        while let first = unsafe pieces.first {
            if unsafe first.isEmpty {
                unsafe pieces.removeFirst()
                continue
            }
            var vectors = unsafe pieces.map {
                unsafe iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
            }
            var count = unsafe writev(STDOUT_FILENO, &vectors, CInt(vectors.count))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                // Whoever has had a part must not take it for the whole.
                return isStarted ? FullProgram.fail(74, "standard output took only a part") : nil
            }
            isStarted = true
            for index in unsafe pieces.indices {
                let part = unsafe min(count, pieces[index].count)
                unsafe pieces[index] = UnsafeRawBufferPointer(rebasing: pieces[index][part...])
                count -= part
            }
        }
        return 0
    }
}
