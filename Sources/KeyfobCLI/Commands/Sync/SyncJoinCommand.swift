internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct SyncJoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Ask to be let into a sync.",
        discussion: """
            WORDS are those of a device of the sync, which 'keyfob sync status' shows there: by them this vault knows whom to \
            trust. Take them from that machine itself, never from the folder. Prints the six words of this device, for \
            'keyfob sync approve' there. With --group, that device has a say in these groups alone. Without WORDS, or to give \
            others, run it again.

            'keyfob undo' does not undo this. 'keyfob sync leave' does.

            Example:
              keyfob sync join ~/Sync/keyfob lusab-babad-gutih-tugad-mudof-sakat
            """)

    @Argument(help: "The folder, the git repository, or what else was given to init, as it is called here.") var remote:
        String
    @Argument(help: "The six words of a device of the sync.") var words: String?
    @Option(name: .long, help: "What the others call this machine; by default its host name.") var name: String?
    @OptionGroup var options: SyncOptions

    func run() throws {
        let remote = try SyncRemote(remote)
        let global = options.global
        let groups = try global.group.isEmpty ? nil : global.groups()
        let keyring = try global.unlockedKeyring(reaching: .everything)
        remote.confine(keyring)
        let status = try NetworkTask.run { [name, words, access = options.access] () async throws(KeyringError) in
            try await keyring.sync.join(at: remote.text, named: name, trusting: words, groups: groups, access)
        }
        keyring.undo.note(.syncJoined, as: "sync join")
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(SyncStatusDocument(status)) }
        try StandardOutput.write(line: status.own.words)
        global.say(
            elsewhere: "on a machine of the sync, 'keyfob sync approve \(status.own.words)' lets this one in; then "
                + NamedVault.completing("'keyfob sync'"))
        if words == nil {
            global.say(
                elsewhere: NamedVault.completing("'keyfob sync join REMOTE WORDS'")
                    + " says which device is trusted: 'keyfob sync status' there has its words")
        }
    }
}
