internal import Glibc
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobTerminal

/// A file that did not exist before, for its owner alone, complete or not there at all.
struct OutputFile: ~Copyable {
    private let path: String
    private let replaces: Bool
    private let hint: String
    private let temporary: TemporaryFile
    private var descriptor: CInt { temporary.descriptor }

    /// Makes sure that there is nothing of that name.
    ///
    /// - Throws: `alreadyExists`.
    static func requireAbsent(_ path: String, hint: String) throws(KeyringError) {
        guard FileAccess.status(path, following: false) == nil else {
            throw KeyringError(.alreadyExists, "\(path) exists already", hint: hint)
        }
    }

    /// Makes the file.
    ///
    /// - Parameter replacing: Whether it may take the place of a file; a device or a pipe is never replaced.
    /// - Throws: `alreadyExists`, `inputOutput`.
    init(
        _ path: String, replacing: Bool = false, hint: String = "choose another name"
    ) throws(KeyringError) {
        if !replacing { try Self.requireAbsent(path, hint: hint) }
        if let there = FileAccess.status(path, following: true), !there.isRegularFile {
            throw KeyringError(.alreadyExists, "\(path) is not a regular file, and is not replaced", hint: nil)
        }
        guard let made = try? TemporaryFile.make(for: path) else {
            throw Self.failure(path, "cannot be made")
        }
        (self.path, self.replaces, self.hint) = (path, replacing, hint)
        temporary = made
    }

    /// Removes a file that this process has made.
    static func remove(_ path: String) { _ = unsafe unlink(path) }

    /// Appends bytes.
    func write(_ bytes: RawSpan) throws(KeyringError) {
        do throws(KeyringError) {
            try DescriptorWriter.write(bytes, to: descriptor, name: path)
        } catch  where error.code == .diskFull {
            throw KeyringError.diskFull(writing: path, "\(path) \(replaces ? "was not replaced" : "was not made")")
        }
    }

    /// Puts the complete file in place, with a mode of its own where it is for others as well; it is on the disk then.
    consuming func commit(mode: UInt32 = 0o600) throws(KeyringError) {
        guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0, try takeName(), hasLastingName() else {
            throw Self.failure(path, "could not be completed")
        }
    }

    /// Gives the file its name; of another file that has come to be there meanwhile only where that may be replaced.
    ///
    /// - Returns: Whether it has it; `errno` says why not.
    private borrowing func takeName() throws(KeyringError) -> Bool {
        if replaces { return unsafe rename(temporary.path, path) == 0 }
        do {
            try POSIXFile.moveToNewName(temporary.path, path)
            return true
        } catch {
            let reason = errno
            try Self.requireAbsent(path, hint: hint)
            errno = reason
            return false
        }
    }

    /// Brings the folder's names to the disk, where the system lets us ask for that.
    private borrowing func hasLastingName() -> Bool {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let names = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard names >= 0 else { return true }
        defer { close(names) }
        return fsync(names) == 0 || errno == EINVAL
    }

    deinit {
        close(descriptor)
        // After a commit the file has its own name, or there is nothing of this one.
        _ = unsafe unlink(temporary.path)
    }

    /// What failed, with what the system says of it (`errno`).
    private static func failure(_ path: String, _ result: String) -> KeyringError {
        let number = errno
        let what = "\(path) \(result)"
        return switch number {
        case ENOENT: KeyringError(.inputOutput, "\(what) (no such folder)")
        case ENOSPC, EDQUOT: KeyringError.diskFull(writing: path, what)
        default: KeyringError(.inputOutput, "\(what) (\(KeyringError.text(ofErrno: number)))")
        }
    }
}
