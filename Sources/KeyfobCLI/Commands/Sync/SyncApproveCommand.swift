internal import ArgumentParser
internal import Keyfob

struct SyncApproveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Let a machine into the sync.",
        discussion: """
            WORDS are the six words that 'keyfob sync join' has printed on that machine: read them there. With --group the machine \
            gets these groups alone, and what it decides counts in these alone. Without WORDS, lists the machines that ask.

            'keyfob undo' does not undo this.

            Example:
              keyfob sync approve fahom-duhop-zojul-kabiv-popun-rimor
              keyfob sync approve fahom-duhop-zojul-kabiv-popun-rimor --group work
            """)

    @Argument(help: "The six words of the machine.") var words: String?
    @OptionGroup var options: SyncOptions

    func run() throws {
        let global = options.global
        let groups = try global.group.isEmpty ? nil : global.groups()
        let keyring = try options.open()
        guard let words else {
            let requests = try NetworkTask.run { [access = options.access] () async throws(KeyringError) in
                try await keyring.sync.status(fetching: access).requests
            }
            throw KeyringError(
                .usage,
                requests.isEmpty
                    ? "no machine has asked to join, as far as this one can see"
                    : "say which machine may join, by the six words on its own screen: these ask",
                hint: requests.isEmpty
                    ? "run 'keyfob sync join REMOTE' there"
                    : "compare the words, and run 'keyfob sync approve WORDS'",
                candidates: requests)
        }
        let (change, report) = try NetworkTask.run { [access = options.access] () async throws(KeyringError) in
            try await keyring.sync.approve(words, groups: groups, access)
        }
        keyring.undo.note(.machineApproved, change.title, as: "sync approve")
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(SyncStatusDocument(report.status)) }
        let what = groups.map { " for \(SyncText.groups($0))" } ?? ""
        global.say(elsewhere: "approved \(change.title)\(what); now run 'keyfob sync' there")
    }
}
