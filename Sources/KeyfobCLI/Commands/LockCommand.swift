internal import ArgumentParser
internal import Keyfob

struct LockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Forget the keys that 'unlock' has kept, and those of the agent.",
        discussion: """
            A vault that the desktop's keyring (Secret Service) opens stays open to it: lock that one too.

            Example:
              keyfob lock
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let location = try global.location()
        // Each by itself: whatever keeps one from forgetting, the others do.
        let agents = AgentPlace.agents(of: location).map { place in
            Result { () throws(KeyringError) in try place.lock() }
        }
        let vault = Result { () throws(KeyringError) in try LockedKeyring(at: location) }
        let kept = Result { () throws(KeyringError) in try LockedKeyring.forgetKeptKeys(of: location) }
        let hadAgents = try agents.compactMap { (agent) throws(KeyringError) in try agent.get() }
        let wasKept = try kept.get()
        let hadKeys = wasKept || hadAgents.contains(true)
        switch vault {
        case .failure(let error) where error.code == .noVault:
            guard wasKept || !hadAgents.isEmpty else { throw error }
            let done = wasKept ? "locked" : hadKeys ? "locked the agent" : "the agent holds no keys"
            try global.tell(.locked, "\(done); there is no vault in \(location.vault)")
        case .failure(let error):
            try global.tell(.locked, "\(hadKeys ? "locked" : "it was locked already"); \(error.message)")
        case .success(let locked) where locked.storage == .secretService:
            try global.tell(
                .locked,
                "nothing was kept for the session: the desktop's keyring (Secret Service) keeps this vault; lock that")
        case .success(let locked):
            let items = locked.secretServiceItems(global.secretService(mayAsk: false))
            let still =
                items.contains { $0.state == .opens }
                ? "; the desktop's keyring (Secret Service) still opens the vault, until you lock that too" : ""
            let words = (hadKeys ? "locked" : "it was locked already") + still
            try global.tell(.locked, words + Self.stillByKeyFile(location))
        }
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
