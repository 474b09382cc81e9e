internal import CLinux
internal import Glibc

/// Tells that something may have changed: in folders that are watched, or because another thread has rung.
package struct ChangeBell: ~Copyable {
    /// What there was to wait for.
    package enum Event: Sendable {
        /// A file that is meant has changed, or somebody has rung.
        case rung
        /// The other descriptor has something to read.
        case readable
        /// Nothing, for as long as was waited.
        case timeout
    }

    /// Rings, from any thread; the bell must live as long.
    package struct Ringer: Sendable {
        fileprivate let descriptor: CInt

        /// Rings.
        package func ring() { _ = eventfd_write(descriptor, 1) }
    }

    /// What rings.
    package let ringer: Ringer
    /// Readable when something has changed in a folder, for whoever waits for other things too; then ``takesChange(where:)``.
    package var descriptor: CInt { folders }
    private let folders: CInt
    private static let changes =
        IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | ends | IN_ONLYDIR
    /// The folder itself is not where it was.
    private static let ends = IN_MOVE_SELF | IN_DELETE_SELF

    /// - Throws: `inputOutput` when there are no descriptors left.
    package init() throws(StorageFailure) {
        let folders = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
        let event = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard folders >= 0, event >= 0 else {
            let failure = POSIXFile.failure()
            for descriptor in [folders, event] where descriptor >= 0 { close(descriptor) }
            throw failure
        }
        (self.folders, ringer) = (folders, Ringer(descriptor: event))
    }

    deinit {
        close(folders)
        close(ringer.descriptor)
    }

    /// Watches a folder from now on; once more does no harm.
    ///
    /// One that is not there, or is on a file system that tells nothing,
    /// is not watched.
    package func watch(_ folder: String) { _ = unsafe inotify_add_watch(folders, folder, UInt32(Self.changes)) }

    /// Waits at most so long.
    ///
    /// - Parameters:
    ///   - other: A descriptor that is waited for too.
    ///   - isMeant: Whether a change of a file with this name counts.
    package func wait(or other: CInt, milliseconds: Int64, where isMeant: (String) -> Bool) -> Event {
        let end = Self.now() + milliseconds
        while true {
            var waiting = [folders, ringer.descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let left = max(0, min(end - Self.now(), Int64(CInt.max)))
            _ = unsafe poll(&waiting, 3, CInt(left))
            if waiting[2].revents != 0 { return .readable }
            var isRung = false
            if waiting[1].revents != 0 {
                var count: eventfd_t = 0
                isRung = unsafe eventfd_read(ringer.descriptor, &count) == 0
            }
            if waiting[0].revents != 0, takesChange(where: isMeant) { isRung = true }
            if isRung { return .rung }
            if Self.now() >= end { return .timeout }
        }
    }

    /// Takes what happened in the folders; whether anything of it is meant.
    package func takesChange(where isMeant: (String) -> Bool) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        var isFound = false
        while true {
            let count = unsafe read(folders, &bytes, bytes.count)
            guard count > 0 else { return isFound }
            // `inotify_event`: wd, mask, cookie and len of 32 bits each, then the name, filled up with zero bytes.
            var start = 0
            while start + 16 <= count {
                let mask = Self.number(bytes, at: start + 4)
                let length = Int(Self.number(bytes, at: start + 12))
                let name = bytes[(start + 16)..<min(start + 16 + length, count)].prefix { $0 != 0 }
                let isCertain = mask & UInt32(IN_Q_OVERFLOW | IN_UNMOUNT | Self.ends) != 0
                if isCertain || isMeant(String(decoding: name, as: UTF8.self)) {
                    isFound = true
                }
                start += 16 + length
            }
        }
    }

    private static func number(_ bytes: [UInt8], at index: Int) -> UInt32 {
        bytes[index..<index + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Milliseconds since the machine started.
    private static func now() -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
