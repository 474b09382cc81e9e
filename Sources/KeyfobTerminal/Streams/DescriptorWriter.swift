internal import Glibc

/// Why something could not be written as a whole.
package enum WritingFailure: Error, Hashable, Sendable {
    /// Whoever read it went away before the end.
    case readerLeft
    /// There is no room, or no more of it for this user.
    case diskFull
    /// The descriptor is not open for writing.
    case closed
    /// Another number of errno.
    case system(CInt)

    init(_ number: CInt) {
        self =
            switch number {
            case EPIPE: .readerLeft
            case ENOSPC, EDQUOT: .diskFull
            case EBADF: .closed
            default: .system(number)
            }
    }
}

/// Writes all of something to a descriptor.
package enum DescriptorWriter {
    /// Writes bytes of ordinary memory.
    package static func write(_ bytes: [UInt8], to descriptor: CInt) throws(WritingFailure) {
        try unsafe write(bytes.span.bytes, to: descriptor)
    }

    /// Whether a line can be written without waiting for whoever reads.
    package static func takesLine(_ descriptor: CInt) -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&state, 1, 0) > 0 && state.revents & Int16(POLLOUT) != 0
    }

    /// Writes bytes, however many pieces that takes.
    package static func write(_ bytes: RawSpan, to descriptor: CInt) throws(WritingFailure) {
        var start = 0
        while start < bytes.byteCount {
            let rest = bytes.extracting(start..<bytes.byteCount)
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw WritingFailure(errno) }
            start += count
        }
    }
}
