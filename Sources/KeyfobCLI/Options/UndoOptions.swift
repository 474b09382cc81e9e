internal import ArgumentParser
internal import Keyfob

/// The backup from which a group that is removed can come back.
struct UndoOptions: ParsableArguments {
    @Flag(name: .long, help: "Make no backup first, so that it cannot be undone.") var noBackup = false

    /// What the commands say of it in their help.
    static let discussion = """
        A backup is made first, from which the command that is printed brings it back, tokens and all; it takes the \
        recovery key. --no-backup makes none: for a disk that is full, or so that the tokens do not stay in one. Earlier \
        backups may have them too: 'keyfob backup --list' names those in the vault's folder.
        """

    /// What is said where nothing brings it back.
    static let gone = "no backup of it is made, and nothing undoes this"

    /// Makes the backup, unless none is wanted or can be made; what it is called then.
    func backUp(_ keyring: Keyring) throws(KeyringError) -> String? {
        noBackup ? nil : try keyring.bundles.backUpBeforeRemoval()?.path
    }

    /// Says how what was removed comes back.
    func tell(_ backup: String?, _ options: [String], _ global: GlobalOptions) {
        guard let backup else {
            if !global.json { global.say(Self.gone) }
            return
        }
        var words = ["keyfob", "restore", backup] + options
        if let vault = global.vault { words += ["--vault", vault] }
        words += ["--bundle-identity", global.identity ?? "RECOVERY-KEY-FILE"]
        global.say("to bring it back: \(words.map(ShellWord.quoted).joined(separator: " "))")
    }
}
