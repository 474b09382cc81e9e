internal import ArgumentParser
internal import Keyfob

struct SyncLeaveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Take part in the sync no more.",
        discussion: """
            What is in this vault stays here, and the other machines keep what they have; what was decided here goes there. They \
            are told at their next sync. The files of this machine at the remote are removed, but for the last that says so, and its keys \
            are destroyed: 'keyfob sync join' makes it another one. With --here-only the remote is not asked, and nobody is told: the \
            others can revoke this machine.

            'keyfob undo' does not undo this.

            Example:
              keyfob sync leave
            """)

    @Flag(name: .long, help: "Forget the sync here, and tell nobody: for a remote that is gone.") var hereOnly = false
    @OptionGroup var options: SyncOptions

    func run() throws {
        let global = options.global
        let keyring = try global.unlockedKeyring(reaching: .everything)
        guard keyring.sync.isSetUp else { throw KeyringError.noSync }
        do throws(KeyringError) {
            if !hereOnly { try SyncRemote(try keyring.sync.remote()).confine(keyring) }
            try NetworkTask.run { [access = hereOnly ? nil : options.access] () async throws(KeyringError) in
                try await keyring.sync.leave(telling: access)
            }
        } catch {
            // A place that does not open cannot be told; one that cannot be reached may be later.
            guard !hereOnly, error.code == .configuration else { throw error }
            let line = global.typed("sync", "leave", "--here-only")
            let others = error.hint.map { "; or \($0)" } ?? ""
            throw KeyringError(
                error.code, error.message, hint: "'\(line)' leaves it without telling the others\(others)")
        }
        keyring.undo.note(.syncLeft, as: "sync leave")
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(SyncLeaveDocument(isTold: !hereOnly)) }
        global.say(
            "left the sync; what is in this vault stays here" + (hereOnly ? ", and the others were not told" : ""))
    }
}

/// `Schemas/sync-leave.schema.json`.
struct SyncLeaveDocument: JSONDocument {
    let formatVersion = 1
    let isTold: Bool
}
