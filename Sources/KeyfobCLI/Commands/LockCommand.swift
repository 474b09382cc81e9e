internal import ArgumentParser
internal import Keyfob

struct LockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Forget the keys that 'unlock' has kept, and those of the agent.",
        discussion: """
            Where the desktop's keyring (Secret Service) still opens the vault, or cannot be asked, it says so and ends
            with 69; --desktop locks that keyring too, for all programs.

            Example:
              keyfob lock
              keyfob lock --desktop
            """)

    @Flag(name: .customLong("desktop"), help: "Lock the desktop's keyring too, if it opens the vault.")
    var locksDesktop = false

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let location = try global.location()
        // Each by itself: whatever keeps one from forgetting, the others do. The agents last, which might open the vault again
        // with what is kept.
        let vault = Result { () throws(KeyringError) in try LockedKeyring(at: location) }
        let kept = Result { () throws(KeyringError) in try LockedKeyring.forgetKeptKeys(of: location) }
        let agents = AgentPlace.agents(of: location).map { place in
            Result { () throws(KeyringError) in try place.lock() }
        }
        let hadAgents = try agents.compactMap { (agent) throws(KeyringError) in try agent.get() }
        let wasKept = try kept.get()
        let hadKeys = wasKept || hadAgents.contains(true)
        let words = hadKeys ? "locked" : "it was locked already"
        switch vault {
        case .failure(let error) where error.code == .noVault:
            guard wasKept || !hadAgents.isEmpty else { throw error }
            let done = wasKept ? "locked" : hadKeys ? "locked the agent" : "the agent holds no keys"
            // Where it has gone the keyring here may open it.
            guard !global.secretService(mayAsk: false).isReachable else { throw Self.doubt(done, error.message) }
            try global.tell(.locked, "\(done); there is no vault in \(location.vault)")
        case .failure(let error):
            // A vault that cannot be looked at may be one that the keyring here opens.
            guard !global.secretService(mayAsk: false).isReachable else { throw Self.doubt(words, error.message) }
            try global.tell(.locked, "\(words); \(error.message)")
        case .success(let locked):
            let also = try lockDesktop(locked, after: words)
            try global.tell(.locked, (also ?? words) + Self.stillByKeyFile(location))
        }
    }

    /// Locks the desktop's keyring where it opens the vault.
    ///
    /// - Returns: What to say then; nil where it opens nothing.
    /// - Throws: `unavailable` where it is not to be locked, still opens the vault or cannot be asked.
    private func lockDesktop(_ locked: borrowing LockedKeyring, after words: String) throws(KeyringError) -> String? {
        let silent = global.secretService(mayAsk: false)
        let isOpen: Bool
        do throws(KeyringError) {
            isOpen = try locked.isOpened(by: silent)
        } catch {
            throw Self.doubt(words, error.message, hint: "type 'keyfob lock' in the session of the desktop")
        }
        guard isOpen else { return nil }
        let still = "\(words), but \(Self.keyring) still \(locked.storage == .embedded ? "opens" : "keeps") the vault"
        guard locksDesktop else {
            throw KeyringError(
                .unavailable, still, hint: "'\(global.typed("lock", "--desktop"))' locks it too, for all programs")
        }
        try locked.lockSecretService(global.secretService())
        guard try !locked.isOpened(by: silent) else { throw KeyringError(.unavailable, still, hint: "lock it there") }
        return "locked, with \(Self.keyring), for all programs"
    }

    private static let keyring = "the desktop's keyring (Secret Service)"

    private static func doubt(_ words: String, _ why: String, hint: String? = nil) -> KeyringError {
        KeyringError(
            .unavailable, "\(words), but whether \(keyring) opens the vault cannot be told: \(why)", hint: hint)
    }

    /// What to say where the environment names a key file that opens the vault for every command.
    private static func stillByKeyFile(_ location: KeyringLocation, _ environment: Environment = .current) -> String {
        guard let path = environment["KEYFOB_KEY_FILE"], let locked = try? LockedKeyring(at: location),
            let file = NamedKeyFile(nil, usual: path, for: locked),
            let content = try? file.read(location, for: locked, credentials: environment["CREDENTIALS_DIRECTORY"]),
            (try? locked.unlock(with: .keyFile(content))) != nil
        else { return "" }
        return "; the key file \(path) (KEYFOB_KEY_FILE) still opens it"
    }
}
