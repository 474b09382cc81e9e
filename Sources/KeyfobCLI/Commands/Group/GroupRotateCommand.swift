internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobTerminal

struct GroupRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Give a group a new key and seal its records again.",
        discussion: """
            Slots that were removed, and copies of the old key, open nothing that is written from then on. \
            The slots that are left get the new key. A backup is made first; where that is not possible, nothing is \
            changed, unless --no-backup says not to.

            'keyfob undo' does not undo this.

            Example:
              keyfob group rotate work
            """)

    @Argument(help: "The group's name.") var name: String
    @Flag(name: .long, help: "Make no backup first.") var noBackup = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let group = try AccessGroup(named: name)
        let keyring = try global.unlockedKeyring()
        AuditFiles(state: keyring.location.state).noteAsTheyStand([group], in: keyring)
        let progress = Progress("sealing", isQuiet: global.quiet)
        defer { progress.finish() }
        let count = try keyring.groups.rotate(group, backsUp: !noBackup, progress: progress.update)
        global.tellWarnings(of: keyring)
        let words = "\(Quantity.of(count, "record was", "records were")) sealed again"
        try global.tell(.groupRotated, "group '\(group)' has a new key; \(words)") {
            ($0.group, $0.count) = (group.name, count)
        }
    }
}
