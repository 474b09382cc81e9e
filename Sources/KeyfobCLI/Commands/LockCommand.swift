internal import ArgumentParser
internal import Keyfob

struct LockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Forget the keys that 'unlock' has kept, and those of the agent.",
        discussion: """
            Where the desktop's keyring (Secret Service) still opens the vault, or cannot be asked, it says so and ends
            with 69; --desktop locks that keyring too, for all programs. It ends with 69 too where the vault cannot be read, or an \
            agent does not answer.

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
        let search = AgentSearch(location)
        func locking(_ agents: [AgentHere]) -> [Result<Bool?, KeyringError>] {
            agents.map { agent in Result { () throws(KeyringError) in try agent.lock() } }
        }
        // Who has to be asked whose it is keeps no other from being locked.
        let agents = locking(search.known) + locking(search.others())
        let hadAgents = try agents.compactMap { (agent) throws(KeyringError) in try agent.get() }
        let wasKept = try kept.get()
        let hadKeys = wasKept || hadAgents.contains(true)
        let words = hadKeys ? "locked" : "it was locked already"
        // What cannot be looked at may be a vault that the keyring of some desktop opens, whoever asks here.
        let done = hadKeys || hadAgents.isEmpty ? words : "the agent holds no keys"
        switch vault {
        case .failure(let error) where error.code == .noVault:
            guard wasKept || !hadAgents.isEmpty else { throw error }
            throw Self.doubt(done, error.message, hint: Self.findingIt)
        case .failure(let error): throw Self.doubt(done, error.message, hint: error.hint)
        case .success(let locked):
            if let problem = locked.problemOfPlace { throw Self.doubt(done, problem.message, hint: problem.hint) }
            let also = try lockDesktop(locked, after: words)
            try global.tell(.locked, (also ?? words) + Self.stillByKeyFile(location))
        }
    }

    private static let findingIt = "name the vault's folder with --vault, or put it back; then type 'keyfob lock' again"

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
