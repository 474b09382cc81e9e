internal import ArgumentParser
internal import Keyfob

struct UnlockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Keep the key in a kernel keyring for a while.",
        discussion: """
            Until the time is over, or 'keyfob lock', commands of this session need no passphrase. The \
            key is readable by your programs in the session, and in no other session. Where a session is too narrow, as \
            with ssh and services, or has no keyring, --user keeps it for all that you run. 'keyfob doctor' says which of \
            them work here. The key is wrapped under a secret in $XDG_RUNTIME_DIR, which ends with the login.
            With --agent no keyring keeps it: 'keyfob agent' gets it, in its memory, and forgets it when the time is over.

            With --user, 'keyfob undo' does not undo this: 'keyfob lock' does.

            Example:
              keyfob unlock --for 8h
              keyfob unlock --for 8h --agent
              keyfob unlock --for 1h --user
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    @Option(name: .customLong("for"), help: ArgumentHelp("How long: 90s, 15m, 8h, 2d.", valueName: "duration"))
    var duration = "8h"
    @Flag(name: .long, help: "Keep it for all that you run, not for this session alone.") var user = false
    @Flag(name: .long, help: "Give it to the agent, which answers programs.") var agent = false

    func validate() throws {
        if agent, user { throw ValidationError("--agent and --user exclude one another") }
        guard TimeText.seconds(duration) != nil else {
            throw ValidationError("--for takes a duration such as 15m or 8h")
        }
    }

    func run() throws {
        let seconds = TimeText.seconds(duration) ?? 0
        if agent { return try unlockAgent(seconds) }
        let place: KeyPlace = user ? .user : .session
        // What would keep it from working is said before a passphrase is asked for.
        try LockedKeyring(at: global.location()).requireKeeping(in: place)
        let keyring = try unlocked()
        try keyring.keepKey(in: place, seconds: seconds)
        let limits = [user ? "in every session of yours" : nil, keyring.opensWholeVault ? nil : "one group"]
        let words = limits.compactMap(\.self).joined(separator: ", ")
        try global.tell(.unlocked, "unlocked for \(duration)\(words.isEmpty ? "" : " (\(words))")") {
            $0.seconds = Int(seconds)
        }
    }
}

extension UnlockCommand {
    /// Hands the key to the agent.
    private func unlockAgent(_ seconds: UInt32) throws(KeyringError) {
        let location = try global.location()
        guard try LockedKeyring(at: location).storage == .embedded else {
            throw KeyringError(
                .notOffered, "the desktop's keyring (Secret Service) opens this vault, for the agent too", hint: nil)
        }
        // Nobody is asked for a passphrase in vain, and with keys no connection is made.
        let place = try AgentPlace(location)
        guard let place, let client = try AgentClient(place.socket) else {
            if let agent = AgentHere.all(of: location).first, agent.isThere { throw agent.unreachable() }
            throw KeyringError(
                .unavailable, "no agent runs for this vault",
                hint: "start one with 'keyfob agent', or 'systemctl --user enable --now keyfob-agent.socket'")
        }
        let keyring = try unlocked()
        try client.unlock(keyring.vaultID, keyring.unlockingKey(), seconds: Int64(seconds))
        let limit = keyring.opensWholeVault ? "" : " (one group)"
        try global.tell(.unlocked, "unlocked the agent for \(duration)\(limit)") { $0.seconds = Int(seconds) }
    }

    /// The keyring; where nobody can be asked, that is said: this is the command that others advise.
    private func unlocked() throws(KeyringError) -> Keyring {
        do throws(KeyringError) {
            return try global.unlockedKeyring()
        } catch {
            switch error.advice {
            case .unlock, .unlockForUser, .unlockWithRuntimeFolder: break
            default: throw error
            }
            throw KeyringError(
                .locked, "the vault is locked, and there is nobody to ask for its passphrase",
                hint: "give it with --passphrase-fd, or a key file with --key-file")
        }
    }
}
