public import Keyfob
internal import Synchronization

/// The vault that an agent answers from: opened when it is first needed, and again after it was locked.
public final class AgentVault: Sendable {
    private let open: @Sendable () throws(KeyringError) -> Keyring
    private let isInPlace: @Sendable () -> Bool
    private let closing: @Sendable (Keyring) -> Void
    private let opened = Mutex<Keyring?>(nil)
    private let whenGone = Mutex<(@Sendable () -> Void)?>(nil)

    /// A vault that `open` opens with what is at hand, asking nobody.
    ///
    /// - Parameters:
    ///   - isInPlace: Whether the vault that is open still lies where it was opened; asked before each use of it.
    ///   - closing: Called with the keyring before its keys are forgotten.
    public init(
        open: @escaping @Sendable () throws(KeyringError) -> Keyring,
        isInPlace: @escaping @Sendable () -> Bool = { true },
        closing: @escaping @Sendable (Keyring) -> Void = { _ in }
    ) {
        self.open = open
        self.isInPlace = isInPlace
        self.closing = closing
    }

    /// The keyring; of a vault that is not in its place any more the keys are forgotten, and what is there now is opened.
    ///
    /// - Throws: `locked` where nothing at hand opens it, and what opening can throw.
    public func keyring() throws(KeyringError) -> Keyring {
        if isGone { forget() }
        if let keyring = opened.withLock({ $0 }) { return keyring }
        let keyring = try open()
        return opened.withLock { opened in
            if let other = opened { return other }
            opened = keyring
            return keyring
        }
    }

    /// Whether keys are held of a vault that is not in its place any more.
    public var isGone: Bool { isOpen && !isInPlace() }

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

    /// Has `body` called in the place of ``lock()`` where the vault is another one than it was: more than its keys may hang on it.
    func onceGone(_ body: @escaping @Sendable () -> Void) { whenGone.withLock { $0 = body } }

    private func forget() {
        if let body = whenGone.withLock({ $0 }) { body() } else { lock() }
    }

    /// Forgets its keys where an error means that the vault is another one than it was, so that it is opened anew.
    func reconsider(after error: KeyringError) {
        switch error.code {
        case .noVault, .rolledBack, .unknownVault, .wrongKey, .newerVersion: forget()
        // Its files are not where they were: the next call looks for them.
        case .busy where error.advice == .openAgain: lock()
        default: break
        }
    }
}
