public import Keyfob
internal import Synchronization

/// The vault that an agent answers from: opened when it is first needed, and again after it was locked.
public final class AgentVault: Sendable {
    private let open: @Sendable () throws(KeyringError) -> Keyring
    private let closing: @Sendable (Keyring) -> Void
    private let opened = Mutex<Keyring?>(nil)

    /// A vault that `open` opens with what is at hand, asking nobody.
    ///
    /// - Parameter closing: Called with the keyring before its keys are forgotten.
    public init(
        open: @escaping @Sendable () throws(KeyringError) -> Keyring,
        closing: @escaping @Sendable (Keyring) -> Void = { _ in }
    ) {
        self.open = open
        self.closing = closing
    }

    /// The keyring.
    ///
    /// - Throws: `locked` where nothing at hand opens it, and what opening can throw.
    public func keyring() throws(KeyringError) -> Keyring {
        if let keyring = opened.withLock({ $0 }) { return keyring }
        let keyring = try open()
        return opened.withLock { opened in
            if let other = opened { return other }
            opened = keyring
            return keyring
        }
    }

    /// Whether its keys are held.
    public var isOpen: Bool { opened.withLock { $0 != nil } }

    /// Goes on with a keyring that somebody has unlocked.
    public func adopt(_ keyring: Keyring) { opened.withLock { $0 = keyring } }

    /// Forgets its keys.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    public func lock() -> Bool {
        guard let keyring = opened.withLock({ opened in opened.take() }) else { return false }
        closing(keyring)
        return true
    }

    /// Forgets its keys where an error means that the vault is another one than it was, so that it is opened anew.
    func reconsider(after error: KeyringError) {
        switch error.code {
        case .noVault, .rolledBack, .unknownVault, .wrongKey, .newerVersion: lock()
        // Its files are not where they were: the next call looks for them.
        case .busy where error.advice == .openAgain: lock()
        default: break
        }
    }
}
