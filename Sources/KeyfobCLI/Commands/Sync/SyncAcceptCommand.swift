internal import ArgumentParser
internal import Keyfob

struct SyncAcceptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Go on from what a machine shows now.",
        discussion: """
            For when you know why something of it is not what was seen before: its vault was restored, or the folder was.

            'keyfob undo' does not undo this.

            Example:
              keyfob sync accept laptop
            """)

    @Argument(help: "What it is called, or its words, or the first of them.") var device: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let (count, title) = try keyring.sync.acceptFindings(of: device)
        keyring.undo.note(.findingsAccepted, title, as: "sync accept")
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(SyncStatusDocument(try keyring.sync.status())) }
        global.say(
            "accepted \(Quantity.of(count, "finding")) about \(title); 'keyfob sync' goes on from what is there now")
    }
}
