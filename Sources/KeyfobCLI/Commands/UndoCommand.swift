internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct UndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Take back what a command has changed in the vault.",
        discussion: """
            What commands add, change and remove in the vault's records can be undone for 30 days with the open vault, and \
            without a recovery key. What was replaced or removed stays in the vault for that, sealed in its group. Each \
            group keeps 8 MiB; the oldest entries are dropped first. Of one command that replaces or removes more, nothing \
            of that comes back.

            Without an id, undo takes the newest entry, says what that changes, and asks; where it cannot be undone, it \
            says why, and takes no older one. An undo is an entry too, and is undone by its id. What is there again and \
            newer, or was changed by a later command, stays as it is and is told; --force puts back what was, and tells \
            what is lost by that, also with --quiet. A sign-out that revoked a sign-in leaves no token of it, and a newer token of the same \
            sign-in stays. So does a group that an import or a restore made: it is empty then, and the same once more \
            takes it away. A group in a sync stays.

            --list shows what can be undone. --clear forgets what was replaced or removed, of one entry or all, so that \
            nothing of it is left in the vault, and 'keyfob undo' does not undo this; what was added can still be taken away by its id. Entries are neither synced nor \
            backed up, and are removed with their group.

            Not undone: what was sent to a provider, keys and ways to unlock, the removal of a group, and what is written to \
            other files, as 'keyfob setup TOOL' does. After such a command undo refuses, and names what takes its place; an \
            older entry is undone by its id. The list shows it too, and the help of each such command says so.

            Example:
              keyfob undo
              keyfob undo --list
              keyfob undo 3f2a9c1d
              keyfob undo --clear
            """)

    @Argument(help: "The entry: its id, or the beginning of it.") var id: String?
    @Flag(name: .long, help: "Show what can be undone, the newest first.") var list = false
    @Flag(name: .long, help: "Forget the entry, or all of them, for good.") var clear = false
    @Flag(name: .long, help: "Do not ask, and put back what was, also where a later change is lost by that.")
    var force = false
    @Flag(name: .long, help: "Do not ask.") var yes = false
    @Flag(name: .long, help: "Only say what would come back.") var dryRun = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if list, id != nil || clear || dryRun || yes || force {
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
        var (wanted, planned): (String?, UndoEntry?) = (id, nil)
        if id == nil || dryRun || force {
            let entry = try keyring.undo.entry(id, in: groups, overriding: force)
            guard !entry.isLasting else {
                let refusal = keyring.undo.refusal(of: entry, in: groups)
                throw global.json
                    ? refusal : refusal.saying(TimeText.local(in: refusal.message), advice: refusal.advice)
            }
            if id == nil { global.say(UndoText.plan(entry)) }
            guard !dryRun, entry.changesSomething else { return try tell(entry, keyring, groups) }
            warn(of: UndoText.losses(entry))
            if id == nil { try confirm(entry) }
            (wanted, planned) = (entry.fullID, entry)
        }
        let undone = try keyring.undo.undo(wanted, in: groups, overriding: force)
        // Something may have come in between.
        warn(of: UndoText.losses(undone, besides: planned))
        try tell(undone, keyring, groups)
    }

    /// Warns of what is lost, as of anything else with --quiet too.
    private func warn(of losses: [String]) {
        for line in losses { StandardError.write(line: "keyfob: warning: \(line)") }
    }

    private func show(_ entries: [UndoEntry]) throws {
        if global.json { return try JSONOutput.print(UndoListDocument(entries: entries.map(UndoEntryDocument.init))) }
        guard !entries.isEmpty else { return global.say("there is nothing to undo") }
        try StandardOutput.write(lines: UndoText.table(entries, global))
    }

    private func confirm(_ entry: UndoEntry) throws(KeyringError) {
        guard !yes, !force else { return }
        try Confirmation.requireConsent(
            "Undo it? [y/N] ",
            otherwise: "'\(global.typed("undo", entry.id))' does it without asking", global)
    }

    /// Says what was brought back, or would be.
    private func tell(_ entry: UndoEntry, _ keyring: Keyring, _ groups: [AccessGroup]?) throws {
        if global.json {
            try JSONOutput.print(UndoneDocument(isDryRun: dryRun, entry: UndoEntryDocument(entry)))
        } else {
            let effect = UndoText.effect(entry, dryRun ? .conditional : .past)
            global.say(effect.map { $0 + UndoText.whose(entry) } ?? "nothing was brought back")
            if dryRun { for line in UndoText.losses(entry) { global.say(line) } }
            let obstacles = entry.items.contains { ![.returns, .goes, .isThere].contains($0.outcome) }
            let listed = obstacles || !entry.changesSomething ? try keyring.undo.list(in: groups) : []
            for line in UndoText.obstacles(entry, listed, global) { global.say(line) }
            let forced = obstacles && !force ? try? keyring.undo.entry(entry.fullID, in: groups, overriding: true) : nil
            let helps = forced?.items.contains(where: \.isOverriding) ?? false
            if id == nil || !force {
                for line in UndoText.ways(entry, listed, forceHelps: helps, global) { global.say(line) }
            }
            for change in entry.lasting { global.say("not undone: it \(change.text)") }
            if let undo = entry.undoneBy, entry.changesSomething {
                global.say("to take that back: \(global.typed("undo", undo))")
            }
        }
        if !dryRun, !entry.changesSomething { throw ReportedFailure(status: .failure) }
    }

    private func forget(_ keyring: Keyring, _ groups: [AccessGroup]?) throws {
        let entries =
            if let id { [try keyring.undo.entry(id, in: groups)] } else {
                try keyring.undo.kept(in: groups).filter { !$0.isLasting }
            }
        if let entry = entries.first, id != nil, !entry.isLasting, !entry.items.contains(where: \.isKept) {
            let undo = global.typed("undo", entry.id)
            return try global.tell(
                .undoCleared, "nothing is kept of '\(entry.command)': it only added; to take that away: \(undo)"
            ) { $0.count = 0 }
        }
        if !yes, !force, !entries.isEmpty {
            let what = Quantity.of(entries.count, "entry", "entries")
            try Confirmation.requireConsent(
                "Forget \(what) for good? [y/N] ", to: entries.map(UndoText.plan),
                otherwise: "--force does it without asking", global)
        }
        let count = try keyring.undo.clear(id.map { _ in entries[0].fullID }, in: groups)
        let words = "forgot \(Quantity.of(count, "entry", "entries"))"
        try global.tell(.undoCleared, words + "; backups that were made before may have the tokens") {
            $0.count = count
        }
    }
}
