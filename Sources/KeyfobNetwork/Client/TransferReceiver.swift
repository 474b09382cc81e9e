internal import CLibcurl

/// What hears of a transfer from libcurl, piece by piece, on the thread that runs it.
class TransferReceiver {
    /// Whether the request may have been written: from then on a service may have acted on it.
    private(set) final var isRequestSent = false

    /// Whether the request may be written now: libcurl asks again where it tries once more over another connection.
    func mayBeWritten() -> Bool { true }

    /// Takes a line of the answer's head; false to break off.
    func takeHead(_ line: RawSpan) -> Bool { true }

    /// Takes a part of the answer's body, which lies in libcurl's buffer.
    ///
    /// - Returns: How many bytes were taken: all of them, or `libcurl_WRITEFUNC_PAUSE`; anything else breaks off.
    func takeBody(_ part: RawSpan) -> Int { part.byteCount }

    /// Has libcurl tell this, which the caller keeps alive as long as the handle.
    final func hear(_ easy: UnsafeMutableRawPointer, of curl: Libcurl) -> Bool {
        // The connection is there, with TLS and through the proxy, and the request is written next.
        let prepare: libcurl_prepare = { receiver, _, _, _, _ in
            let receiver = unsafe Unmanaged<TransferReceiver>.fromOpaque(receiver).takeUnretainedValue()
            guard receiver.mayBeWritten() else { return CInt(libcurl_prepare_abort) }
            receiver.isRequestSent = true
            return 0
        }
        let takeHead: libcurl_receive = { bytes, size, count, receiver in
            let receiver = unsafe Unmanaged<TransferReceiver>.fromOpaque(receiver).takeUnretainedValue()
            return unsafe receiver.takeHead(RawSpan(_unsafeStart: bytes, byteCount: size * count)) ? size * count : 0
        }
        let takeBody: libcurl_receive = { bytes, size, count, receiver in
            let receiver = unsafe Unmanaged<TransferReceiver>.fromOpaque(receiver).takeUnretainedValue()
            return unsafe receiver.takeBody(RawSpan(_unsafeStart: bytes, byteCount: size * count))
        }
        let receiver = unsafe Unmanaged.passUnretained(self).toOpaque()
        return unsafe libcurl_set_callbacks(curl.functions, easy, prepare, takeHead, takeBody, receiver) != 0
    }
}
