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
        /// Nothing came through the pipe in 10 seconds.
        case silent
        case unread(SodiumError)
    }

    /// Reads a file; `mode` are the permissions that it must not have, if any.
    package static func read(_ path: String, limit: Int = keyLimit, mode: UInt32 = 0o077) throws(Refusal) -> SecretBytes
    {
        let descriptor = try descriptor(path, mode: mode)
        defer { close(descriptor) }
        do {
            return try SecretBytes.reading(descriptor: descriptor, limit: limit)
        } catch {
            throw .unread(error)
        }
    }

    /// Opens a regular file or, where owner and mode are checked, a pipe as `<(command)` is one; the caller closes it.
    package static func descriptor(_ path: String, mode: UInt32) throws(Refusal) -> CInt {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unopened(errno) }
        do throws(Refusal) {
            try check(descriptor, mode: mode)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func check(_ descriptor: CInt, mode: UInt32) throws(Refusal) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unopened(errno) }
        let isPipe = status.st_mode & S_IFMT == S_IFIFO && mode != 0
        guard status.st_mode & S_IFMT == S_IFREG || isPipe else { throw .notRegular }
        guard mode != 0 else { return }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw .foreign }
        guard status.st_mode & mode == 0 else { throw mode & 0o044 != 0 ? .openToOthers : .writableByOthers }
        if isPipe { try awaitWriter(descriptor) }
    }

    /// Waits until something was written into a pipe, or whoever could write has gone; from then on reading waits too.
    ///
    /// A pipe that nobody has opened yet looks as one at its end does. One with a name has to be written into soon; behind
    /// one without, a command may be asking a person for a passphrase.
    private static func awaitWriter(_ descriptor: CInt) throws(Refusal) {
        var target = [UInt8](repeating: 0, count: 5)
        _ = unsafe readlink("/proc/self/fd/\(descriptor)", &target, target.count)
        let hasName = target != Array("pipe:".utf8)
        var asked = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var found = unsafe poll(&asked, 1, hasName ? 10_000 : -1)
        while found < 0, errno == EINTR { found = unsafe poll(&asked, 1, hasName ? 10_000 : -1) }
        guard found != 0 else { throw .silent }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
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
