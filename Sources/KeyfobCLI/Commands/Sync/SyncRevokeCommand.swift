internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct SyncRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Keep a machine out of the sync from now on.",
        discussion: """
            From now on the machine gets nothing new, and nothing of it is taken in here. What it had decided, such as bindings, is \
            removed. It keeps what it has read: the sign-ins whose tokens it has are listed, and 'keyfob logout' ends them; those that \
            it may have made itself are listed too, and end at the provider. To come back it asks again, as a new device. Machines \
            that only it had approved are revoked too, and listed; --keep names one that stays.

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
        global.say("revoked \(change.title): it gets nothing new from now on")
        for line in SyncText.results(of: change) { global.say(line) }
        if !change.signIns.isEmpty {
            global.say("it has the refresh tokens of these sign-ins; 'keyfob logout' ends them:")
            for line in change.signIns { try StandardOutput.write(entry: line, hanging: 2) }
        }
        if !change.mayHaveSignedIn.isEmpty {
            global.say("it may have signed in here by itself; end these sign-ins at the provider:")
            for line in change.mayHaveSignedIn { try StandardOutput.write(entry: line, hanging: 2) }
        }
    }
}
