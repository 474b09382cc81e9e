internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct SyncInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Begin a sync with this vault.",
        discussion: """
            Prints the six words of this device: they are given to 'keyfob sync join' on another machine.

            'keyfob undo' does not undo this. 'keyfob sync leave' does.

            Example:
              keyfob sync init ~/Sync/keyfob
              keyfob sync init git@git.example:ada/keyfob-sync.git
              keyfob sync init rclone:drive:keyfob
              keyfob sync init etcd+https://etcd1.example,etcd2.example,etcd3.example/keyfob
            """)

    @Argument(
        help:
            "A folder, made where only it is missing, a git repository, rclone:REMOTE:PATH, or etcd+https://HOST,…/PREFIX."
    ) var remote: String
    @Option(name: .long, help: "What the others call this machine; by default its host name.") var name: String?
    @OptionGroup var options: SyncOptions

    func run() throws {
        let remote = try SyncRemote(remote)
        let global = options.global
        let keyring = try global.unlockedKeyring(reaching: .everything)
        remote.confine(keyring, isNew: true)
        let report = try NetworkTask.run { [name, access = options.access] () async throws(KeyringError) in
            try await keyring.sync.begin(at: remote.text, named: name, access)
        }
        keyring.undo.note(.syncBegun, as: "sync init")
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(SyncStatusDocument(report.status)) }
        let words = report.status.own.words
        try StandardOutput.write(line: words)
        global.say(elsewhere: "began a sync; on another machine, 'keyfob sync join REMOTE \(words)' asks to be let in")
    }
}
