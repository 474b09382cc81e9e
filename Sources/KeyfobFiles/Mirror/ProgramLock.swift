internal import Glibc

/// The lock by which MSAL's libraries keep each other from a token cache: `FILE.lockfile`, made exclusively, locked
/// (flock), and removed by who made it.
///
/// To some of them the file alone is the lock, and they write into it which process has it. One that is left behind by a
/// process that was killed is taken: nobody has locked it, and the process is gone.
package struct ProgramLock: ~Copyable {
    /// How many seconds a lock file is old that may have been left behind: who has made it locks it in a moment.
    private static let restingAge = 2
    /// The same for one that names no process; MSAL for Python waits as long.
    private static let namelessAge = 5

    private let path: String
    private let descriptor: CInt

    /// Takes the lock for the file at `file`.
    ///
    /// - Throws: `inUse` when another program has it so long; what making a file can throw.
    package init(for file: String, orBusyAfter limit: Duration) throws(ForeignFile.Failure) {
        path = file + ".lockfile"
        let end = Self.now() + limit
        while true {
            if let taken = try Self.attempt(path) {
                descriptor = taken
                break
            }
            guard Self.now() < end else { throw .inUse(path) }
            // Programs try four times a second, and give up after 5 seconds: they have to have their turn.
            usleep(UInt32.random(in: 50_000...150_000))
        }
        let text = Array("\(getpid()) keyfob".utf8)
        _ = ftruncate(descriptor, 0)
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
        let age = time(nil) - status.st_ctim.tv_sec
        let isLeft = process(of: present).map { age >= restingAge && kill($0, 0) != 0 && errno == ESRCH }
        if isLeft ?? (age >= namelessAge), flock(present, LOCK_EX | LOCK_NB) == 0, hasName(present, path) {
            return present
        }
        close(present)
        return nil
    }

    /// The process that a lock file names: what is in it begins with its number.
    private static func process(of descriptor: CInt) -> pid_t? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(descriptor, &text, text.count, 0)
        let digits = text.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }
        return pid_t(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
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
