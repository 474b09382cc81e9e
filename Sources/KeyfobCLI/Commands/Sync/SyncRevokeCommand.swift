internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct SyncRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Keep a machine out of the sync from now on.",
        discussion: """
            Nothing is encrypted for it any more, nothing is taken from it, and what it has decided goes. What it has read it has \
            read: the sign-ins whose tokens it has are listed, to be ended with 'keyfob logout', and those that it may have made \
            itself, to be ended at the provider. It can ask to be let in again as another device. Machines that it alone had \
            let in are out with it and are listed; --keep names one that stays.

            'keyfob undo' does not undo this.

            Example:
              keyfob sync revoke laptop
              keyfob sync revoke laptop --keep phone
            """)

    @Argument(help: "What it is called, or its words, or the first of them.") var device: String
    @Option(
        name: .long, help: ArgumentHelp("A machine that stays, although this one alone let it in.", valueName: "device")
    )
    var keep: [String] = []
    @OptionGroup var options: SyncOptions

    func run() throws {
        let global = options.global
        let keyring = try options.open()
        let (change, report) = try NetworkTask.run {
            [device, keep, access = options.access] () async throws(KeyringError) in
            try await keyring.sync.revoke(device, keeping: keep, access)
        }
        keyring.undo.note(.machineRevoked, change.title, as: "sync revoke")
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(SyncStatusDocument(report.status, after: change)) }
        global.say("revoked \(change.title)")
        for name in change.alsoOut {
            global.say(
                "out with it, which alone had let it in: \(TerminalText.line(name)); 'keyfob sync approve WORDS' lets it in again"
            )
        }
        for name in change.reduced { global.say("shares fewer groups without it: \(TerminalText.line(name))") }
        for line in change.removedDecisions { global.say("removed: \(line)") }
        if !change.signIns.isEmpty {
            global.say("it has the refresh tokens of these sign-ins; end them with 'keyfob logout':")
            for line in change.signIns { try StandardOutput.write(entry: line, hanging: 2) }
        }
        if !change.mayHaveSignedIn.isEmpty {
            global.say("each machine makes these sign-ins for itself; end those of \(change.title) at the provider:")
            for line in change.mayHaveSignedIn { try StandardOutput.write(entry: line, hanging: 2) }
        }
    }
}
