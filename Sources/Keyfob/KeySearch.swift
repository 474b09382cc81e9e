internal import KeyfobFiles
internal import KeyfobKernelKeyring
internal import KeyfobLookup

/// Where the key of a vault was looked for that is locked, and what therefore opens it here: one rule for every door.
struct KeySearch {
    /// What can keep a key here, from one command to the next.
    enum Keeper {
        case session
        /// The session has no keyring of its own.
        case user
        /// Nothing: the kernel offers no keyring, as in many containers.
        case nothing(KernelKeyring.Failure)
        /// Nothing: there is no folder of the login, as with cron and `su`; the usual one where that is there.
        case noFolder(KeyringError, usual: String?)
    }

    let keeper: Keeper
    /// Whether a key of the vault is kept that cannot be opened without the login's folder.
    let isKept: Bool
    /// Whether another session has a key of the vault.
    let isOpenElsewhere: Bool

    /// - Parameter usualFolder: Where a login has its folder unless it says otherwise; nil where that is not known.
    init(_ cache: SessionCache, usualFolder: String? = "/run/user/\(KernelKeyring.owner)") {
        isKept = cache.isKept
        isOpenElsewhere = !isKept && !KernelKeyTable.serials(named: cache.name).isEmpty
        do {
            try cache.folder().requirePreparable()
            try KernelKeyring.session.probe()
            keeper = .session
        } catch KernelKeyring.Failure.noSessionKeyring {
            keeper = .user
        } catch let failure as KernelKeyring.Failure {
            keeper = .nothing(failure)
        } catch {
            let usual = usualFolder.flatMap { FileAccess.status($0, following: false) }
            let isUsable = usual.map { $0.isDirectory && $0.isOwn && $0.permissions & 0o077 == 0 } ?? false
            keeper = .noFolder(KeyringError(keeping: error), usual: isUsable ? usualFolder : nil)
        }
    }

    /// The error where a passphrase, or the keyring of the desktop, would open the vault.
    var error: KeyringError {
        switch keeper {
        case .session where isOpenElsewhere:
            KeyringError(
                .locked, "the vault is locked in this session; another one of yours has it open", advice: .unlock)
        case .session: KeyringError(.locked, "the vault is locked", advice: .unlock)
        case .user:
            KeyringError(
                .locked, "the vault is locked, and this session has no kernel keyring of its own",
                advice: .unlockForUser)
        case .nothing(.unavailable):
            KeyringError(
                .locked, "the vault is locked, and the kernel offers no keyring here that keeps it open",
                advice: .giveKeyFile)
        // 'unlock' says what is missing.
        case .nothing: KeyringError(.locked, "the vault is locked", advice: .unlock)
        case .noFolder(_, let usual?) where isKept:
            KeyringError(
                .locked, "the vault is unlocked for you, but XDG_RUNTIME_DIR does not lead to what opens its key",
                advice: .unlockWithRuntimeFolder(usual))
        case .noFolder(let reason, let usual):
            KeyringError(
                .locked, "the vault is locked, and \(reason.message)",
                advice: usual.map(Advice.unlockWithRuntimeFolder) ?? .giveKeyFile)
        }
    }
}
