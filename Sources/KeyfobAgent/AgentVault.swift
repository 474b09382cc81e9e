internal import Dispatch
public import Keyfob
internal import KeyfobFiles
internal import Synchronization

/// The vault that an agent answers from: opened when it is first needed, and again after it was locked.
public final class AgentVault: Sendable {
    private let session: KeyringSession
    private let closing: @Sendable (Keyring) -> Void
    private let forgotten: @Sendable () -> Void
    /// How many keyrings are being closed.
    private let closings = Mutex(0)
    private let whenGone = Mutex<(@Sendable () -> Void)?>(nil)
    private let whenClosing = Mutex<(@Sendable (Keyring) -> Void)?>(nil)

    /// A vault that `open` opens with what is at hand, asking nobody.
    ///
    /// - Parameters:
    ///   - closing: Called with the keyring before the last of its keys is forgotten. It may wait for others, and nobody
    ///     who locks the vault waits for that.
    ///   - forgotten: Called at once when the vault is locked.
    public init(
        open: @escaping @Sendable () throws(KeyringError) -> Keyring,
        closing: @escaping @Sendable (Keyring) -> Void = { _ in },
        forgotten: @escaping @Sendable () -> Void = {}
    ) {
        session = KeyringSession(opening: open)
        self.closing = closing
        self.forgotten = forgotten
    }

    /// The keyring.
    ///
    /// Of a vault that is not in its place any more, or has got other keys, those that are held are forgotten, and what is there
    /// now is opened.
    ///
    /// - Throws: `locked` where nothing at hand opens it, and what opening can throw.
    public func keyring() throws(KeyringError) -> Keyring { try session.keyring(refused) }

    /// Does something with the keyring, and does it anew where the vault has got other keys meanwhile.
    ///
    /// - Throws: As ``keyring()``, and what `body` throws.
    func use<Value>(
        _ body: (Keyring) async throws(KeyringError) -> Value
    ) async throws(KeyringError) -> Value {
        try await session.use(refusing: refused, body)
    }

    private func refused() { if session.isGone { forget() } else { lock() } }

    /// Whether keys are held of a vault that is not in its place any more.
    public var isGone: Bool { session.isGone }

    /// Whether its keys are held.
    public var isOpen: Bool { session.isOpen }

    /// Goes on with a keyring that somebody has unlocked.
    public func adopt(_ keyring: Keyring) { session.adopt(keyring) }

    /// Forgets its keys: from then on nobody is given any.
    ///
    /// Calls that are under way keep theirs until they end.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    public func lock() -> Bool {
        guard let keyring = session.take() else { return false }
        forgotten()
        closings.withLock { $0 += 1 }
        Self.runAside { [self] in
            if let body = whenClosing.withLock(\.self) { body(keyring) }
            closing(keyring)
            closings.withLock { $0 -= 1 }
        }
        return true
    }

    /// The keyring that is held; nil where none is.
    var current: Keyring? { session.current }

    /// Has `body` called with each keyring before it is closed, whatever closes it; nobody waits for that either.
    func onceClosing(_ body: @escaping @Sendable (Keyring) -> Void) { whenClosing.withLock { $0 = body } }

    /// Whether a keyring is being closed, for which an end is to wait.
    public var isClosing: Bool { closings.withLock { $0 > 0 } }

    /// Does what may have to wait for others; whoever calls waits for no more than a moment, in which it usually is done.
    private static func runAside(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        let isStarted = BlockingThread.start {
            body()
            done.signal()
        }
        if isStarted { _ = done.wait(timeout: .now() + .milliseconds(100)) } else { body() }
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
