internal import Keyfob
internal import KeyfobAgent
internal import KeyfobSodium
internal import Synchronization

/// Holds the vault of an agent open, no longer than what opened it would.
final class VaultHolder: Sendable {
    /// The vault.
    let vault: AgentVault
    private let location: KeyringLocation
    private let time: Time

    /// For how long keys are held that were at hand, in milliseconds: then whether they still are is looked at again.
    private static let pause: Int64 = 300_000

    /// Until when keys are held.
    private final class Time: Sendable {
        struct State {
            /// By the clock of `VarlinkServer.uptime`, which no change of the time moves.
            var end: Int64?
            var isHandedOver = false
            /// Whose keys are held.
            var id: String?
            var isConfined = false
        }

        let state = Mutex(State())

        /// Notes until when.
        func hold(_ milliseconds: Int64, isHandedOver: Bool, of keyring: Keyring) {
            let (end, id) = (VarlinkServer.uptime() + milliseconds, keyring.vaultID)
            state.withLock { ($0.end, $0.isHandedOver, $0.id) = (end, isHandedOver, id) }
        }

        /// Notes that no keys are held.
        func forget() { state.withLock { ($0.end, $0.isHandedOver, $0.id) = (nil, false, nil) } }

        /// Confines the process, once: what it does with keys starts no program.
        func confine(_ keyring: Keyring) {
            let isFirst = state.withLock { state in
                defer { state.isConfined = true }
                return !state.isConfined
            }
            if isFirst { Reach.network.confine(keyring) }
        }
    }

    /// - Parameter audit: What is noted of it in the vault before keys are forgotten.
    init(_ global: GlobalOptions, at location: KeyringLocation, _ audit: AuditFiles) {
        let time = Time()
        (self.location, self.time) = (location, time)
        vault = AgentVault(
            open: { () throws(KeyringError) in
                switch try global.opening(reaching: .everything) {
                case .opened(let keyring):
                    time.confine(keyring)
                    let kept = try LockedKeyring(at: location).keptKeys().map(\.until).max()
                    let left = kept.map { max(0, $0.seconds - WallClock.system.now.seconds) * 1_000 } ?? Self.pause
                    time.hold(min(left, Self.pause), isHandedOver: false, of: keyring)
                    return keyring
                case .shut(let error): throw error
                }
            },
            closing: { keyring in audit.noteHeads(in: keyring) }, forgotten: { time.forget() })
    }

    /// Goes on with a key that somebody has handed over.
    func unlock(_ id: String, _ key: borrowing SecretBytes, _ seconds: Int64) throws(KeyringError) {
        let locked = try LockedKeyring(at: location)
        guard locked.vaultID == id else {
            throw KeyringError(.unknownVault, "the agent has another vault, in \(location.vault)")
        }
        let keyring = try locked.unlock(withHandedOver: key)
        time.confine(keyring)
        vault.lock()
        time.hold(min(seconds, Int64(UInt32.max)) * 1_000, isHandedOver: true, of: keyring)
        vault.adopt(keyring)
    }

    /// Forgets keys whose time is over.
    func expire() {
        guard left == 0 else { return }
        time.forget()
        vault.lock()
    }

    /// In how many milliseconds keys are to be forgotten; nil where none are held.
    var left: Int64? { time.state.withLock(\.end).map { max(0, $0 - VarlinkServer.uptime()) } }

    /// Whether it holds keys that would be gone with the process.
    var isNeeded: Bool { time.state.withLock(\.isHandedOver) }

    /// What is told of the keys.
    var status: AgentKeys.Status {
        let until = vault.isOpen ? left.map { Timestamp(seconds: WallClock.system.now.seconds + $0 / 1_000) } : nil
        return AgentKeys.Status(
            place: VaultPlace(location), isOpen: vault.isOpen,
            id: vault.isOpen ? time.state.withLock { $0.id } : nil, until: until)
    }
}
