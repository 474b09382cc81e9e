internal import KeyfobRecords
internal import Synchronization

/// The keyring of a program that runs for long, whatever its owner does with the vault meanwhile.
///
///     let session = KeyringSession { () throws(KeyringError) in try Keyring.open() }
///     let token = try await session.use { (keyring) async throws(KeyringError) in
///         try await keyring.tokens.acquireSilently(for: request, network: network)
///     }
///
/// A ``Keyring`` is of the vault and of the keys with which it was opened. Where the vault has got other keys since, or a
/// restore has put another one in its place, a session opens what is there now, as it has opened the first.
public final class KeyringSession: Sendable {
    private let open: @Sendable () throws(KeyringError) -> Keyring
    private let held: Mutex<Held>

    private struct Held {
        var keyring: Keyring?
        /// How often it was taken away.
        var takings = 0
    }

    /// A session that begins with `keyring`, or opens one when it is first asked.
    ///
    /// - Parameter open: Opens the vault with what is at hand. It may be called by several threads at once.
    public init(_ keyring: Keyring? = nil, opening open: @escaping @Sendable () throws(KeyringError) -> Keyring) {
        held = Mutex(Held(keyring: keyring))
        self.open = open
    }

    /// Does something with the keyring of the vault that is there, and does it anew where the vault has got other keys meanwhile.
    ///
    /// - Throws: As ``keyring()``, and what `body` throws.
    public func use<Value>(
        _ body: (Keyring) async throws(KeyringError) -> Value
    ) async throws(KeyringError) -> Value {
        try await use(refusing: {}, body)
    }

    /// The same, and calls `refused` as ``keyring(_:)`` does.
    package func use<Value>(
        refusing refused: () -> Void, _ body: (Keyring) async throws(KeyringError) -> Value
    ) async throws(KeyringError) -> Value {
        let keyring = try keyring(refused)
        do throws(KeyringError) {
            return try await body(keyring)
        } catch {
            guard keyring.isOutdated(after: error) else { throw error }
        }
        return try await body(self.keyring(refused))
    }

    /// The keyring of the vault that is there.
    ///
    /// Ask for it before each use, or leave that to ``use(_:)``; calls that are under way go on with theirs. It blocks its thread meanwhile.
    ///
    /// - Throws: `locked` where nothing opens what is there, with when and why the former keys gave way; `damaged` where somebody
    ///   without a key has written the header; and what opening can throw.
    public func keyring() throws(KeyringError) -> Keyring { try keyring {} }

    /// The same, and calls `refused` before it opens another in the place of the one that is of no use any more.
    package func keyring(_ refused: () -> Void) throws(KeyringError) -> Keyring {
        let former = current
        var refusal: KeyringError?
        if let former {
            refusal = former.refusalOfHeader()
            guard refusal != nil else { return former }
            refused()
        }
        while true {
            let takings = held.withLock { $0.takings }
            let newer: Keyring
            do throws(KeyringError) {
                newer = try open()
            } catch {
                throw error.becauseOf(refusal)
            }
            let kept = held.withLock { held -> Keyring? in
                if let other = held.keyring, other !== former { return other }
                // What opened this one may have been taken away since.
                guard held.takings == takings else { return nil }
                held.keyring = newer
                return newer
            }
            if let kept { return kept }
        }
    }

    /// The keyring that it has, whether or not it is of use; nil where it has none.
    package var current: Keyring? { held.withLock { $0.keyring } }

    /// Whether it has keys of a vault.
    package var isOpen: Bool { current != nil }

    /// Whether it has keys of a vault that is not in its place any more.
    package var isGone: Bool { current.map { !$0.database.isInPlace } ?? false }

    /// Goes on with a keyring that somebody has unlocked.
    package func adopt(_ keyring: Keyring) { held.withLock { $0.keyring = keyring } }

    /// Gives up its keyring, so that it opens one when it is asked again; one that is being opened is not kept.
    package func take() -> Keyring? {
        held.withLock { held in
            held.takings += 1
            return held.keyring.take()
        }
    }
}
