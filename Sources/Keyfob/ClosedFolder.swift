internal import KeyfobFiles

extension KeyringError {
    /// Says why the vault at a location cannot be opened.
    init(_ error: any Error, opening location: KeyringLocation) {
        guard case StoreError.notWritable = error, let closed = Self.closed(at: location) else {
            self.init(error)
            return
        }
        self = closed
    }

    /// Names the folder that keeps this user from the vault at a location; nil where none does.
    static func closed(at location: KeyringLocation) -> KeyringError? {
        let folders = FileAccess.ancestors(of: location.vault)
        guard let folder = Array(folders).last(where: { !FileAccess.isOpen($0, toList: $0 == location.vault) }),
            let status = FileAccess.status(folder, following: true)
        else { return nil }
        guard status.isOwn else {
            return KeyringError(
                .inputOutput, "\(folder) is another user's and closed to this one",
                advice: .nameVault)
        }
        let mode = String(status.permissions, radix: 8)
        return KeyringError(
            .inputOutput,
            "\(folder) lets nobody in: its mode is \(String(repeating: "0", count: 4 - mode.utf8.count))\(mode)",
            advice: .openFolder(path: folder))
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
