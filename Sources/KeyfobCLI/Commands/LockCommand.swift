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
        // Before the vault is looked for: the agent may hold keys of one that is gone.
        let agent = Result { () throws(KeyringError) in try lockAgent(location) }
        let locked: LockedKeyring
        do throws(KeyringError) {
            locked = try LockedKeyring(at: location)
        } catch {
            guard error.code == .noVault, let wasOpen = try agent.get() else { throw error }
            return try global.tell(
                .locked,
                (wasOpen ? "locked the agent" : "the agent holds no keys") + "; there is no vault in \(location.vault)")
        }
        guard locked.storage == .embedded else {
            _ = try agent.get()
            return try global.tell(
                .locked,
                "nothing was kept for the session: the desktop's keyring (Secret Service) keeps this vault; lock that")
        }
        let wasKept = try locked.forgetKeptKeys()
        let wasUnlocked = try agent.get() == true || wasKept
        let items = locked.secretServiceItems(global.secretService(mayAsk: false))
        let still =
            items.contains { $0.state == .opens }
            ? "; the desktop's keyring (Secret Service) still opens the vault, until you lock that too" : ""
        try global.tell(.locked, (wasUnlocked ? "locked" : "it was locked already") + still)
    }

    /// Has the agent forget its keys, where one runs.
    ///
    /// - Returns: Whether it had any; nil where none runs.
    private func lockAgent(_ location: KeyringLocation) throws(KeyringError) -> Bool? {
        let places: [AgentPlace]
        do throws(KeyringError) {
            places = try AgentPlace(location).map { [$0] } ?? []
        } catch {
            // Where the vault is gone, its id is not known, by which the socket is called.
            guard error.code == .noVault else { throw error }
            places = AgentPlace.agents(of: location)
        }
        var wasOpen: Bool?
        for place in places {
            if let had = try place.lock() { wasOpen = had || wasOpen == true }
        }
        return wasOpen
    }
}
