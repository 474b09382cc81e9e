internal import Glibc
internal import Synchronization

/// A file under another name beside its place, for its owner alone, until it is renamed.
///
/// It is locked (flock) as long as it is open: one that nobody has locked is what a process left behind that was killed.
/// A process number would tell less, because others may have numbers of their own.
package struct TemporaryFile: Sendable {
    /// How many this process has begun: two threads that write the same file at once do not share one.
    private static let begun = Atomic(0)
    private static let ending = ".new"

    /// Its name for the time being: `PATH.PROCESS.NUMBER.new`.
    package let path: String
    /// To be closed by whoever made it.
    package let descriptor: CInt

    /// Makes the file that is to be at `path`, after removing what others left behind for the same place.
    ///
    /// - Throws: `diskFull`, `notWritable`, `inputOutput`.
    package static func make(for path: String) throws(StorageFailure) -> TemporaryFile {
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        removeAbandoned(in: POSIXFile.folder(of: path)) { $0 == name }
        while true {
            let number = begun.add(1, ordering: .relaxed).newValue
            let temporary = "\(path).\(getpid()).\(number)\(ending)"
            let flags = O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW
            let descriptor = unsafe open(temporary, flags, 0o600)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { throw POSIXFile.failure() }
            // Where locks are not offered, nobody takes it for abandoned either.
            let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            var status = stat()
            if !isTaken, unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                return TemporaryFile(path: temporary, descriptor: descriptor)
            }
            // Somebody took it for abandoned before it was locked.
            close(descriptor)
        }
    }

    /// Removes what processes that were killed left behind in a folder, as far as that is possible.
    ///
    /// - Parameter isOurs: Whether a file of this name is one that Keyfob writes.
    package static func removeAbandoned(in folder: String, where isOurs: (Substring) -> Bool = { _ in true }) {
        for name in (try? POSIXFile.names(in: folder)) ?? [] {
            guard let target = target(of: name), isOurs(target) else { continue }
            let path = folder + "/" + name
            let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unsafe unlink(path) }
            close(descriptor)
        }
    }

    /// Which file one with this name was to be; nil for another file.
    private static func target(of name: String) -> Substring? {
        guard name.hasSuffix(ending) else { return nil }
        let parts = name.dropLast(ending.count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 2, let process = parts.dropLast().last, let number = parts.last,
            [process, number].allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } })
        else { return nil }
        return name.dropLast(ending.count + process.count + number.count + 2)
    }
}
