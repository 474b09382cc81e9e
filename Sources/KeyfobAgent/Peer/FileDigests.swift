internal import Glibc
package import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium
internal import Synchronization

/// The SHA-256 of programs' files, computed again where a file has changed.
package final class FileDigests: Sendable {
    /// What is another after a file was changed.
    private struct Version: Hashable {
        let place: [UInt64]
        let moments: [Int]

        init?(_ descriptor: CInt) {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            place = [UInt64(status.st_dev), UInt64(status.st_ino), UInt64(status.st_size)]
            moments = [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ]
        }
    }

    /// More files than programs are asked about.
    private static let capacity = 256
    private let known = Mutex<[Version: String]>([:])

    /// None yet.
    package init() {}

    /// The digest of what is at a path, 64 hexadecimal digits; nil where that is no file, cannot be read or changes meanwhile.
    ///
    /// - Parameter isStill: Whether the file that was read is what the digest is wanted of, asked once it was read.
    package func digest(of path: String, if isStill: (FileIdentity) -> Bool = { _ in true }) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let version = Version(descriptor) else { return nil }
        guard let file = FileIdentity(of: descriptor) else { return nil }
        if let digest = known.withLock({ $0[version] }) { return isStill(file) ? digest : nil }
        var stream = SHA256.Stream()
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(descriptor, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            part.withBytes { stream.append($0.extracting(0..<count)) }
        }
        guard Version(descriptor) == version else { return nil }
        let digest = Hexadecimal.text(stream.finish())
        known.withLock { known in
            if known.count >= Self.capacity { known = [:] }
            known[version] = digest
        }
        return isStill(file) ? digest : nil
    }
}
