internal import ArgumentParser
internal import Keyfob

struct SyncRepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Read all again that was told, and tell everything anew.",
        discussion: """
            Machines that have taken in the same changes must hold the same accounts, labels, bindings and defaults. Where 'keyfob \
            sync' says that one does not, this takes in everything that each machine has told, also what was taken in before, \
            and writes everything that is here. Of two values with the same version, all machines take the same one.

            'keyfob undo' does not undo this.

            Example:
              keyfob sync repair
            """)

    @OptionGroup var options: SyncOptions

    func run() throws {
        let global = options.global
        let keyring = try options.open()
        let report = try NetworkTask.run { [access = options.access] () async throws(KeyringError) in
            try await keyring.sync.repair(access)
        }
        global.tellWarnings(of: keyring)
        try SyncText.tell(report, global)
        if report.needsAttention { throw ReportedFailure(status: .malformed) }
        if !global.json, report.status.state == .member, report.hasPublished {
            global.say("told everything anew; the next 'keyfob sync' on each other machine compares it")
        }
    }
}
