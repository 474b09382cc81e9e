internal import Foundation
internal import Glibc
internal import Synchronization

/// A small file system of its own, that only one thread sees.
package enum SmallDisk {
    /// Whether this process may make one.
    package static let isAvailable = obstacle == nil
    /// Why it may not.
    package static let whyNot =
        geteuid() == 0
        ? "root cannot mount a file system here: \(obstacle ?? "")" : "needs root, to mount a file system"

    private static let obstacle: String? = {
        do {
            return try run(kibibytes: 64) { _ in nil }
        } catch {
            return "\(error)"
        }
    }()

    /// Runs `body` with the path of an empty file system, on a thread that has its own mounts.
    package static func run<Value: Sendable>(
        kibibytes: Int, _ body: @escaping @Sendable (String) throws -> Value
    ) throws -> Value {
        let folder = try ScratchFolder()
        let (path, outcome) = (folder.path, Outcome<Value>())
        let thread = Thread {
            outcome.finish(
                Result {
                    try makeDisk(at: path, kibibytes)
                    return try body(path)
                })
        }
        thread.start()
        return try outcome.wait().get()
    }

    /// Makes it read-only, on the same thread.
    package static func protect(_ path: String) throws {
        // MS_REMOUNT | MS_RDONLY. A program that is just being started may have a file open for writing.
        var triesLeft = 1_000
        while unsafe Glibc.mount("none", path, "tmpfs", 0x21, nil) != 0 {
            triesLeft -= 1
            guard errno == EBUSY, triesLeft > 0 else { throw POSIXError(.EPERM) }
            usleep(5_000)
        }
    }

    /// Fills it up, on the same thread, until nothing has fitted for a while: a file that another thread still had open
    /// gives its room back late.
    package static func fill(_ path: String) throws {
        let name = path + "/filling"
        let filling = unsafe Glibc.open(name, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard filling >= 0 else { throw POSIXError(.EIO) }
        defer { close(filling) }
        let piece = [UInt8](repeating: 0, count: 512)
        var refusals = 0
        while refusals < 10 {
            let count = unsafe piece.withUnsafeBytes { unsafe write(filling, $0.baseAddress, $0.count) }
            if count > 0 {
                refusals = 0
            } else {
                guard errno == ENOSPC || errno == EINTR else { throw POSIXError(.EIO) }
                refusals += errno == ENOSPC ? 1 : 0
                usleep(5_000)
            }
        }
    }

    private static func makeDisk(at path: String, _ kibibytes: Int) throws {
        // Glibc's module does not show it: CLONE_NEWNS.
        guard let symbol = unsafe dlsym(nil, "unshare") else { throw POSIXError(.ENOSYS) }
        let unshare = unsafe unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)
        guard unshare(0x2_0000) == 0 else { throw POSIXError(.EPERM) }
        // MS_REC | MS_PRIVATE: nothing that is mounted here is seen elsewhere.
        guard unsafe Glibc.mount("none", "/", nil, 0x4_4000, nil) == 0,
            unsafe Glibc.mount("none", path, "tmpfs", 0, "size=\(kibibytes)k,mode=700") == 0
        else { throw POSIXError(.EPERM) }
    }

    /// What a thread has come to.
    private final class Outcome<Value: Sendable>: Sendable {
        private let done = DispatchSemaphore(value: 0)
        private let result = Mutex<Result<Value, any Error>?>(nil)

        func finish(_ value: Result<Value, any Error>) {
            result.withLock { $0 = value }
            done.signal()
        }

        func wait() -> Result<Value, any Error> {
            done.wait()
            return result.withLock { $0 } ?? .failure(POSIXError(.ECANCELED))
        }
    }
}
