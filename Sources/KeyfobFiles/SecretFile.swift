internal import Glibc
package import KeyfobSodium

/// A file or pipe that holds a key, or that decides something, whose owner and mode are checked once it is open.
package enum SecretFile {
    /// The largest key file and identity file, in bytes.
    package static let keyLimit = 65_536

    /// Why a file is not read.
    package enum Refusal: Error {
        /// The system's reason why it cannot be opened.
        case unopened(CInt)
        case notRegular, foreign, openToOthers, writableByOthers
        /// Nothing came through the pipe for so many seconds.
        case silent(seconds: CInt)
        case unread(SodiumError)
    }

    /// Reads a file; `mode` are the permissions that it must not have, if any.
    ///
    /// - Parameter notice: Called where nothing comes through a pipe for a second.
    package static func read(
        _ path: String, limit: Int = keyLimit, mode: UInt32 = 0o077, notice: (() -> Void)? = nil
    ) throws(Refusal) -> SecretBytes {
        let descriptor = try descriptor(path, mode: mode)
        defer { close(descriptor) }
        var wait = PipeWait(descriptor, notice: notice)
        do {
            return try SecretBytes.reading(descriptor: descriptor, limit: limit, whenReady: { wait.wait($0) })
        } catch .unreadable(ETIMEDOUT) {
            throw .silent(seconds: wait.seconds)
        } catch {
            throw .unread(error)
        }
    }

    /// Opens a regular file or, where owner and mode are checked or `takesPipe` says so, a pipe as `<(command)` is one; the
    /// caller waits for what comes through one, and closes it.
    package static func descriptor(_ path: String, mode: UInt32, takesPipe: Bool = false) throws(Refusal) -> CInt {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unopened(errno) }
        do throws(Refusal) {
            try check(descriptor, mode: mode, takesPipe: takesPipe || mode != 0)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func check(_ descriptor: CInt, mode: UInt32, takesPipe: Bool) throws(Refusal) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unopened(errno) }
        let isPipe = status.st_mode & S_IFMT == S_IFIFO
        guard status.st_mode & S_IFMT == S_IFREG || takesPipe && isPipe else { throw .notRegular }
        guard mode != 0 else { return }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw .foreign }
        guard status.st_mode & mode == 0 else { throw mode & 0o044 != 0 ? .openToOthers : .writableByOthers }
    }

    /// Where a key file is that was named: the file, or a systemd credential of that name; nil for one in the vault's own
    /// folder, where a thief of the vault finds it.
    ///
    /// - Parameter credentials: `$CREDENTIALS_DIRECTORY`.
    package static func keyPath(of named: String, vault: String, credentials: String?) -> String? {
        if !named.utf8.contains(UInt8(ascii: "/")), let credentials { return credentials + "/" + named }
        let (file, folder) = (FileAccess.formerPath(named) ?? named, FileAccess.formerPath(vault) ?? vault)
        return file.hasPrefix(folder + "/") ? nil : named
    }
}
