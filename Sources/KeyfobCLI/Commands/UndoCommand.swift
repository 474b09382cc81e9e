internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct UndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Bring back what 'logout' or 'account remove' took away.",
        discussion: """
            What these commands remove stays in the vault for 30 days, sealed in its group. Each group keeps 8 MiB; \
            the oldest entries are dropped first. To bring it back takes the open vault, and no recovery key.

            Without an id, undo takes the newest entry that brings something back, says what that is, and asks. Only \
            what is missing comes back: what is there again, and newer, stays as it is. A sign-in that the provider \
            has revoked does not come back.

            --list shows what can be undone. --clear forgets one entry, or all of them, so that nothing of them is \
            left in the vault. Entries are neither synced nor backed up, and are removed with their group.

            Example:
              keyfob undo
              keyfob undo --list
              keyfob undo 3f2a9c1d
              keyfob undo --clear
            """)

    @Argument(help: "The entry: its id, or the beginning of it.") var id: String?
    @Flag(name: .long, help: "Show what can be undone, the newest first.") var list = false
    @Flag(name: .long, help: "Forget the entry, or all of them, for good.") var clear = false
    @Flag(name: .long, help: "Only say what would come back.") var dryRun = false
    @OptionGroup var consent: ConsentOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if list, id != nil || clear || dryRun || consent.isGiven {
            throw ValidationError("--list goes with neither an id nor another option of 'undo'")
        }
        if clear, dryRun { throw ValidationError("--clear and --dry-run exclude one another") }
    }

    func run() throws {
        let keyring = try global.unlockedKeyring()
        defer { global.tellWarnings(of: keyring) }
        let groups = try global.groups()
        if list { return try show(try keyring.undo.list(in: groups)) }
        if clear { return try forget(keyring, groups) }
        var wanted = id
        if id == nil || dryRun {
            let entry = try keyring.undo.entry(id, in: groups)
            if dryRun { return try tell(entry, keyring, groups) }
            global.say(UndoText.plan(entry))
            try confirm(entry)
            wanted = entry.journalID.description
        }
        try tell(try keyring.undo.undo(wanted, in: groups), keyring, groups)
    }

    private func show(_ entries: [UndoEntry]) throws {
        if global.json { return try JSONOutput.print(UndoListDocument(entries: entries.map(UndoEntryDocument.init))) }
        guard !entries.isEmpty else { return global.say("there is nothing to undo") }
        try StandardOutput.write(lines: UndoText.table(entries))
    }

    private func confirm(_ entry: UndoEntry) throws(KeyringError) {
        guard !consent.isGiven else { return }
        try Confirmation.requireConsent(
            "Bring it back? [y/N] ", otherwise: "'keyfob undo \(entry.id)' does it without asking", global)
    }

    /// Says what was brought back, or would be.
    private func tell(_ entry: UndoEntry, _ keyring: Keyring, _ groups: [AccessGroup]?) throws {
        if global.json {
            try JSONOutput.print(UndoneDocument(isDryRun: dryRun, entry: UndoEntryDocument(entry)))
        } else {
            let names = Quantity.list(entry.accountNames)
            let brought = dryRun ? "would bring back" : "brought back"
            let summary = UndoText.summary(entry.items)
            global.say(summary.map { "\(brought) \($0) of \(names)" } ?? "nothing was brought back")
            let isAnyGone = entry.items.contains { $0.outcome == .accountIsGone }
            let listed = isAnyGone ? try keyring.undo.list(in: groups) : []
            for line in UndoText.obstacles(entry, listed) { global.say(line) }
        }
        if !dryRun, !entry.bringsBack { throw ReportedFailure(status: .failure) }
    }

    private func forget(_ keyring: Keyring, _ groups: [AccessGroup]?) throws {
        let entries =
            if let id { [try keyring.undo.entry(id, in: groups)] } else { try keyring.undo.list(in: groups) }
        if !consent.isGiven, !entries.isEmpty {
            let what = Quantity.of(entries.count, "entry", "entries")
            try Confirmation.requireConsent(
                "Forget \(what) for good? [y/N] ", to: entries.map(UndoText.plan),
                otherwise: "--force does it without asking", global)
        }
        let count = try keyring.undo.clear(id.map { _ in entries[0].journalID.description }, in: groups)
        let words = "forgot \(Quantity.of(count, "entry", "entries"))"
        try global.tell(.undoCleared, words + "; backups that were made before may have the tokens") {
            $0.count = count
        }
    }
}
