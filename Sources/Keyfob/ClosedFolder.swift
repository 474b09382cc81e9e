internal import Glibc
internal import KeyfobFiles

extension KeyringError {
    /// Says why the vault at a location cannot be opened.
    init(_ error: any Error, opening location: KeyringLocation) {
        guard case StoreError.notWritable = error, let closed = Self.closed(location.vault) else {
            self.init(error)
            return
        }
        self = closed
    }

    /// Names the folder that keeps this user from what is at a path, or in a folder there; nil where none does.
    ///
    /// - Parameter toWrite: Whether something is to be written into it.
    static func closed(_ path: String, toWrite: Bool = false) -> KeyringError? {
        let folders = Array(FileAccess.ancestors(of: path))
        if let folder = folders.last(where: { !FileAccess.isOpen($0, toList: $0 == path) }) {
            return closed(folder, "lets nobody in", advice: toWrite ? nil : .nameVault)
        }
        return toWrite && !FileAccess.isWritable(path) ? closed(path, "cannot be written", advice: nil) : nil
    }

    /// Names what keeps this user from changing the vault in a folder: the folder, or a file of it; nil where nothing known does.
    static func unwritable(_ directory: VaultDirectory) -> KeyringError? {
        [directory.path, directory.database, directory.lock].lazy.compactMap { unwritable($0) }.first
    }

    private static func unwritable(_ path: String) -> KeyringError? {
        guard let number = POSIXFile.errorOfWriting(path), number != ENOENT else { return nil }
        if number == EACCES, let status = FileAccess.status(path, following: true),
            !status.isOwn || !status.isWritableByOwner
        {
            return closed(path, "cannot be written", advice: .nameVault)
        }
        return KeyringError(
            .inputOutput, "\(path) cannot be written: \(text(ofErrno: number))",
            advice: number == EROFS ? .mountForWriting : nil)
    }

    /// - Parameter advice: What helps where it is another user's.
    private static func closed(_ path: String, _ what: String, advice: Advice?) -> KeyringError? {
        guard let status = FileAccess.status(path, following: true) else { return nil }
        guard status.isOwn else {
            return KeyringError(
                .inputOutput, "\(path) is another user's and closed to this one", advice: advice)
        }
        let mode = String(status.permissions, radix: 8)
        return KeyringError(
            .inputOutput, "\(path) \(what): its mode is \(String(repeating: "0", count: 4 - mode.utf8.count))\(mode)",
            advice: .openPath(path))
    }

    /// Says why the folder that lives as long as the login cannot be used.
    package init(ofRuntimeFolder error: any Error) {
        switch error {
        case StoreError.notWritable, StoreError.inputOutput:
            self.init(
                .unavailable, "the folder 'keyfob' in XDG_RUNTIME_DIR cannot be made or written",
                advice: .useOwnRuntimeFolder)
        default: self.init(error)
        }
    }
}
