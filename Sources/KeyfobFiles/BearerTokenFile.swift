internal import Glibc
internal import KeyfobModel
package import KeyfobSodium

/// A file with a token for a program that runs, for its owner alone, in a folder that ends with the login.
///
/// It goes with the value. Of one that is killed it stays, and the next one removes it: whoever keeps it has it locked
/// (flock), under whatever file the name stands for.
package struct BearerTokenFile: ~Copyable {
    private static let start = "bearer-token-"

    /// Where it is.
    package let path: String
    private var kept: TemporaryFile

    /// Makes a file with a token, after removing those that nobody keeps any more.
    ///
    /// - Throws: `unsafePath`, `notWritable`, `diskFull`, `inputOutput`.
    package static func make(
        _ token: borrowing SecretBytes, runtime: String
    ) throws(StorageFailure) -> BearerTokenFile {
        try RuntimeFolder(path: runtime).prepare()
        removeAbandoned(in: runtime)
        let number = SecretBytes.random(count: 8).withBytes { Hexadecimal.text([UInt8]($0)) }
        let path = runtime + "/" + start + number
        return BearerTokenFile(path: path, kept: try put(token, path))
    }

    private init(path: String, kept: TemporaryFile) {
        self.path = path
        self.kept = kept
    }

    deinit {
        unsafe unlink(path)
        close(kept.descriptor)
    }

    /// Puts another token in the place of the one there is: a reader gets the one or the other.
    ///
    /// - Throws: `notWritable`, `diskFull`, `inputOutput`.
    package mutating func replace(with token: borrowing SecretBytes) throws(StorageFailure) {
        let former = kept.descriptor
        kept = try Self.put(token, path)
        close(former)
    }

    private static func put(_ token: borrowing SecretBytes, _ path: String) throws(StorageFailure) -> TemporaryFile {
        let file = try TemporaryFile.make(for: path)
        let written = token.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe write(file.descriptor, $0.baseAddress, $0.count) }
        }
        guard written == token.count, unsafe rename(file.path, path) == 0 else {
            let failure = written >= 0 && written < token.count ? StoreError.diskFull : POSIXFile.failure()
            unsafe unlink(file.path)
            close(file.descriptor)
            throw failure
        }
        return file
    }

    /// Removes the files of those that were killed.
    private static func removeAbandoned(in folder: String) {
        TemporaryFile.removeAbandoned(in: folder) { $0.hasPrefix(start) }
        for name in (try? POSIXFile.names(in: folder)) ?? [] where name.hasPrefix(start) && !name.contains(".") {
            let path = folder + "/" + name
            let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            // One that was replaced meanwhile is unlocked, and its name stands for another.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isCalled(path, descriptor) { unsafe unlink(path) }
            close(descriptor)
        }
    }

    private static func isCalled(_ path: String, _ descriptor: CInt) -> Bool {
        var (file, name) = (stat(), stat())
        guard unsafe fstat(descriptor, &file) == 0, unsafe lstat(path, &name) == 0 else { return false }
        return file.st_dev == name.st_dev && file.st_ino == name.st_ino
    }
}
