internal import ArgumentParser
internal import Keyfob

struct UnlockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Keep the key in the session's kernel keyring for a while.",
        discussion: """
            Until the time is over, or 'keyfob lock', commands of this session need no passphrase. The \
            key is readable by programs of the session, and by no other session.

            Example:
              keyfob unlock --for 8h
            """)

    @OptionGroup var global: GlobalOptions

    @Option(name: .customLong("for"), help: ArgumentHelp("How long: 90s, 15m, 8h, 2d.", valueName: "duration"))
    var duration = "8h"

    func validate() throws {
        guard TimeText.seconds(duration) != nil else {
            throw ValidationError("--for takes a duration such as 15m or 8h")
        }
    }

    func run() throws {
        let seconds = TimeText.seconds(duration) ?? 0
        let keyring = try global.unlockedKeyring()
        try keyring.cacheForSession(seconds: seconds)
        global.say("unlocked for \(duration)\(keyring.opensWholeVault ? "" : " (one group)")")
    }
}

struct LockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Forget the key that 'unlock' has kept.",
        discussion: """
            A vault that the desktop's keyring (Secret Service) opens stays open to it: lock that one too.

            Example:
              keyfob lock
            """)

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let locked = try LockedKeyring(at: global.location())
        guard locked.storage == .embedded else {
            return global.say(
                "nothing was kept for the session: the desktop's keyring (Secret Service) keeps this vault; lock that")
        }
        let wasUnlocked = try locked.forgetSession()
        let items = locked.secretServiceItems(global.secretService(mayAsk: false))
        let still =
            items.contains { $0.state == .opens }
            ? "; the desktop's keyring (Secret Service) still opens the vault, until you lock that too" : ""
        global.say((wasUnlocked ? "locked" : "it was locked already") + still)
    }
}
