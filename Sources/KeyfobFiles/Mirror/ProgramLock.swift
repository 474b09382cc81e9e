internal import Glibc

/// The lock by which MSAL's libraries keep each other from a token cache: `FILE.lockfile`, made exclusively, locked
/// (flock), and removed by who made it.
///
/// A lock file that a program left behind when it was killed is taken when nobody has locked it for a while; MSAL for
/// Python does the same after 5 seconds.
package struct ProgramLock: ~Copyable {
    /// How long a lock file lies about unlocked before it counts as left behind.
    private static let staleAfter = 2

    private let path: String
    private let descriptor: CInt

    /// Takes the lock for the file at `file`.
    ///
    /// - Throws: `locked` when another program has it so long; what making a file can throw.
    package init(for file: String, orBusyAfter limit: Duration) throws(ForeignFile.Failure) {
        path = file + ".lockfile"
        let end = Self.now() + limit
        while true {
            if let taken = try Self.attempt(path) {
                descriptor = taken
                break
            }
            guard Self.now() < end else { throw .locked(by: path) }
            usleep(5_000)
        }
        let text = Array("\(getpid()) keyfob".utf8)
        // What is in it is for people.
        try? POSIXFile.writeAll(text, to: descriptor)
    }

    deinit {
        // As long as it is locked: who waits for it finds that it is not the one with the name any more.
        if Self.hasName(descriptor, path) { unsafe unlink(path) }
        close(descriptor)
    }

    /// The lock's descriptor; nil where it is somebody else's for now.
    private static func attempt(_ path: String) throws(ForeignFile.Failure) -> CInt? {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let made = unsafe open(path, flags | O_CREAT | O_EXCL, 0o600)
        if made >= 0 {
            if flock(made, LOCK_EX | LOCK_NB) == 0, hasName(made, path) { return made }
            close(made)
            return nil
        }
        guard errno == EEXIST else { throw ForeignFile.failure(POSIXFile.failure()) }
        let present = unsafe open(path, flags)
        guard present >= 0 else {
            guard errno == ENOENT else { throw errno == ELOOP ? .notAFile : ForeignFile.failure(POSIXFile.failure()) }
            return nil
        }
        var status = stat()
        guard unsafe fstat(present, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(present)
            throw .notAFile
        }
        // Who has just made it locks it in a moment.
        if time(nil) - status.st_ctim.tv_sec >= staleAfter, flock(present, LOCK_EX | LOCK_NB) == 0,
            hasName(present, path)
        {
            return present
        }
        close(present)
        return nil
    }

    /// Whether the open file is the one with this name.
    private static func hasName(_ descriptor: CInt, _ path: String) -> Bool {
        var (open, named) = (stat(), stat())
        guard unsafe fstat(descriptor, &open) == 0, unsafe lstat(path, &named) == 0 else { return false }
        return open.st_dev == named.st_dev && open.st_ino == named.st_ino
    }

    private static func now() -> Duration {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
