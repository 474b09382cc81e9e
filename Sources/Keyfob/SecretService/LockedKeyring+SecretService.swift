internal import KeyfobDesktop
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSecretService
internal import KeyfobVault
internal import Synchronization

extension LockedKeyring {
    /// Whether the vault has a slot whose key the Secret Service keeps, or lies with it altogether.
    ///
    /// The header says so, which nothing authenticates before the vault is unlocked. Without such a slot nobody needs
    /// to go near the session bus.
    public var hasSecretServiceSlot: Bool { storage == .secretService || !secretServiceSlots.isEmpty }

    /// Whether a passphrase opens the vault, or a group of it.
    public var hasPassphraseSlot: Bool { header.hasSlot(.passphrase) }

    /// Whether an identity, such as the recovery key, opens the vault.
    public var hasRecoveryKey: Bool { header.slots.contains { $0.kind == .recipient } }

    /// What the Secret Service has for each such slot; asks the bus only where there is one.
    ///
    /// It never asks a person, whatever the options say.
    ///
    /// - Parameter problem: Why the vault has just not been opened; where the service could not be asked then, it is not
    ///   waited for once more.
    public func secretServiceItems(
        _ options: SecretServiceOptions, after problem: KeyringError? = nil
    ) -> [SecretServiceItem] {
        guard !secretServiceSlots.isEmpty else { return [] }
        if let problem, problem.code == .unavailable {
            return secretServiceSlots.map { SecretServiceItem(slot: $0, unavailable: problem) }
        }
        var silent = options
        silent.mayPrompt = false
        let service: SecretService
        do {
            service = try silent.connected()
        } catch {
            return secretServiceSlots.map { SecretServiceItem(slot: $0, unavailable: error) }
        }
        let search = SlotKeySearch(headerBytes: headerBytes, vault: header.vault, service: service)
        var gone: KeyringError?
        return secretServiceSlots.map { slot in
            // A service that does not answer is not waited for once more.
            if let gone { return SecretServiceItem(slot: slot, unavailable: gone) }
            let item = SecretServiceItem(slot: slot, search.outcome(of: slot))
            if item.state == .unavailable { gone = item.problem }
            return item
        }
    }

    /// Whether the Secret Service opens the vault as it is now, so that nobody needs to be asked.
    ///
    /// - Throws: `unavailable` where it cannot be asked.
    public func isOpened(by options: SecretServiceOptions) throws(KeyringError) -> Bool {
        guard storage == .embedded else { return try !openCollections(options).isEmpty }
        let items = secretServiceItems(options)
        if items.contains(where: { $0.state == .opens }) { return true }
        if let item = items.first(where: { $0.state == .unavailable }), let problem = item.problem { throw problem }
        return false
    }

    /// Locks what the Secret Service has of the vault: whole collections, and so what other programs keep in them.
    ///
    /// - Throws: `unavailable`; `cancelled` or `locked` where the service asks before it locks, and nobody agrees.
    public func lockSecretService(_ options: SecretServiceOptions) throws(KeyringError) {
        guard hasSecretServiceSlot else { return }
        let collections = try openCollections(options)
        let service = try options.connected()
        do {
            for collection in collections.sorted() { try service.lock(collection) }
        } catch {
            throw KeyringError(error)
        }
    }

    /// The collections with items of the vault that can be read without asking anybody.
    private func openCollections(_ options: SecretServiceOptions) throws(KeyringError) -> Set<String> {
        var silent = options
        silent.mayPrompt = false
        let service = try silent.connected()
        do {
            guard storage == .embedded else {
                return try SecretServiceStorage.openCollections(of: header.vault, service)
            }
            var all: Set<String> = []
            for slot in secretServiceSlots {
                all.formUnion(try service.openCollections(ofSlot: slot.description, vault: header.vault.description))
            }
            return all
        } catch {
            throw KeyringError(error)
        }
    }

    private var secretServiceSlots: [SlotID] { header.secretServiceSlots }
}

extension VaultHeader {
    /// The slots of the whole vault whose keys the Secret Service keeps.
    var secretServiceSlots: [SlotID] { slots.filter { $0.kind == .secretService }.map(\.id) }

    /// Opens the vault with what the Secret Service keeps.
    ///
    /// Stops at the first slot that opens. Where none does, the error is the one by which a person gets further:
    /// a locked keyring before a foreign item, and that before a missing one.
    ///
    /// - Returns: The vault, and what its owner should know.
    /// - Throws: `wrongKey` also where the vault has no such slot, `locked`, `unavailable`, `cancelled`, `damaged`.
    func unlocked(
        _ headerBytes: [UInt8], with options: SecretServiceOptions
    ) throws(KeyringError) -> UnlockedBySecretService {
        guard !secretServiceSlots.isEmpty else { throw KeyringError(VaultError.noSuchKindOfSlot) }
        let search = SlotKeySearch(headerBytes: headerBytes, vault: vault, service: try options.connected())
        var failure = KeyringError(SecretServiceError.noItem)
        var gravity = 0
        for slot in secretServiceSlots {
            switch search.outcome(of: slot) {
            case .opened(let vault, let items):
                return UnlockedBySecretService(vault: vault, warning: Self.warning(of: items, slot))
            case .foreign(_, let error):
                if gravity < 1 { (failure, gravity) = (KeyringError(foreignItemOf: slot, error), 1) }
            case .failed(.noItem): break
            case .failed(.locked): (failure, gravity) = (KeyringError(SecretServiceError.locked), 2)
            case .failed(let error): throw KeyringError(error)
            }
        }
        throw failure
    }

    private static func warning(of items: Int, _ slot: SlotID) -> Warning? {
        items < 2
            ? nil
            : Warning(
                .serviceItems,
                "the desktop's keyring (Secret Service) holds \(items) items for slot \(slot.short), where one should be",
                advice: .diagnose(.none))
    }
}

/// A vault that the Secret Service opened.
struct UnlockedBySecretService: ~Copyable {
    let vault: UnlockedVault
    /// What its owner should know.
    let warning: Warning?
}

extension Keyring {
    /// Whether the Secret Service keeps the records, or the key of a slot.
    public var usesSecretService: Bool {
        storage == .secretService || state.withLock { !$0.vault.header.secretServiceSlots.isEmpty }
    }
}
