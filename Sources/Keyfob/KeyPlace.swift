internal import KeyfobFiles
internal import KeyfobKernelKeyring
internal import KeyfobLookup

/// Where the key of an unlocked vault is kept for a while.
public enum KeyPlace: String, Hashable, Sendable, CaseIterable {
    /// The session's kernel keyring: for what runs in this session.
    case session
    /// The user's kernel keyring: for all that the user runs.
    case user

    var keyring: KernelKeyring { self == .session ? .session : .user }
}

/// A vault's key that is kept, without the key.
public struct KeyKept: Hashable, Sendable {
    /// Where it is kept.
    public let place: KeyPlace
    /// When it is forgotten.
    public let until: Timestamp
}

extension KeyringError {
    /// Says why a key cannot be kept.
    init(keeping error: any Error) {
        switch error {
        case is SessionCache.NoRuntimeFolder:
            self.init(
                .unavailable, "XDG_RUNTIME_DIR names no folder, so nothing can be kept for this login alone",
                advice: .setRuntimeFolder)
        default: self.init(ofRuntimeFolder: error)
        }
    }
}
