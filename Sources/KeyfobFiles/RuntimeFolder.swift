internal import Glibc
package import KeyfobSodium

/// A folder for its owner alone whose content lives no longer than the login: `$XDG_RUNTIME_DIR/keyfob`.
package struct RuntimeFolder: Sendable {
    /// The folder's path.
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// Makes the folder where it is missing, in one that is there, and checks whose it is.
    ///
    /// - Throws: `unsafePath`, `notWritable`, `inputOutput`.
    package func prepare() throws(StorageFailure) {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw POSIXFile.failure() }
        try check()
    }

    /// Makes sure that ``prepare()`` would work, and makes nothing.
    ///
    /// - Throws: As ``prepare()``.
    package func requirePreparable() throws(StorageFailure) {
        if try POSIXFile.status(path) != nil { return try check() }
        let parent = FileAccess.folder(of: path)
        guard FileAccess.status(parent, following: true)?.isDirectory == true, FileAccess.isWritable(parent) else {
            throw StoreError.notWritable
        }
    }

    /// The 32 bytes under which keys of this login are wrapped; nil when there are none.
    ///
    /// - Throws: `unsafePath` for a folder or a file that others can write or read, `damaged`, `inputOutput`.
    package func secret() throws(StorageFailure) -> SecretBytes? {
        guard try POSIXFile.status(path) != nil else { return nil }
        try check()
        let descriptor = unsafe open(secretPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw errno == ELOOP
                ? StoreError.unsafePath(path: secretPath, reason: "it is a symbolic link") : POSIXFile.failure()
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw POSIXFile.failure() }
        let file = POSIXFile.Status(status)
        guard file.isRegularFile else {
            throw StoreError.unsafePath(path: secretPath, reason: "it is not a regular file")
        }
        try file.requireOwnAndPrivate(secretPath)
        let secret: SecretBytes
        do {
            secret = try SecretBytes.reading(descriptor: descriptor, limit: Self.secretCount)
        } catch {
            throw error.onTheWay
        }
        guard secret.count == Self.secretCount else { throw StoreError.damaged(what: secretPath) }
        return secret
    }

    /// The same, made where there are none.
    package func secretToWrapUnder() throws(StorageFailure) -> SecretBytes {
        try prepare()
        if let secret = try secret() { return secret }
        let new = SecretBytes.random(count: Self.secretCount)
        let temporary = try TemporaryFile.make(for: secretPath)
        defer {
            unsafe unlink(temporary.path)
            close(temporary.descriptor)
        }
        let written = new.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { unsafe write(temporary.descriptor, $0.baseAddress, $0.count) }
        }
        guard written == Self.secretCount else { throw POSIXFile.failure() }
        // Complete under its name, or not there; who comes second takes the other's.
        guard unsafe link(temporary.path, secretPath) == 0 || errno == EEXIST else { throw POSIXFile.failure() }
        guard let secret = try secret() else { throw StoreError.inputOutput(errno: ENOENT) }
        return secret
    }

    /// Takes note of a line in a file of the folder.
    ///
    /// - Returns: Whether it was not there yet.
    /// - Throws: `unsafePath`, `notWritable`, `diskFull`, `damaged` for a file that is too long, `inputOutput`.
    package func takeNote(_ line: String, in name: String) throws(StorageFailure) -> Bool {
        try prepare()
        let path = path + "/" + name
        let lines = try POSIXFile.read(path, limit: 1 << 16) ?? []
        if lines.split(separator: UInt8(ascii: "\n")).contains(where: { $0.elementsEqual(line.utf8) }) { return false }
        try POSIXFile.append(Array((line + "\n").utf8), to: path)
        return true
    }

    /// The lines that were noted in a file of the folder.
    ///
    /// - Throws: `unsafePath`, `damaged` for a file that is too long, `inputOutput`.
    package func notes(in name: String) throws(StorageFailure) -> [String] {
        guard try POSIXFile.status(path) != nil else { return [] }
        try check()
        let lines = try POSIXFile.read(path + "/" + name, limit: 1 << 16) ?? []
        return lines.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Removes what keys of this login are wrapped under: nobody opens them any more, wherever they are kept.
    ///
    /// - Returns: Whether there was any.
    /// - Throws: `unsafePath`, `notWritable`, `inputOutput`.
    package func removeSecret() throws(StorageFailure) -> Bool {
        guard try POSIXFile.status(path) != nil else { return false }
        try check()
        if unsafe unlink(secretPath) == 0 { return true }
        guard errno == ENOENT else { throw POSIXFile.failure() }
        return false
    }

    /// Whether something is there under which keys are wrapped.
    package var hasSecret: Bool { FileAccess.status(secretPath, following: false) != nil }

    private func check() throws(StorageFailure) {
        guard let status = try POSIXFile.status(path), status.isDirectory else {
            throw StoreError.unsafePath(path: path, reason: "it is not a folder")
        }
        try status.requireOwnAndPrivate(path)
    }

    private static let secretCount = 32
    private var secretPath: String { path + "/session.key" }
}
