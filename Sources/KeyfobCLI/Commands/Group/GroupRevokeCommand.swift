internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobTerminal

struct GroupRevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Remove a way to unlock one group, and give the group a new key.",
        discussion: """
            Whoever held the group's key could decide in it: bind, allow project files, set the default account, add \
            providers and clients. All of that which you did not decide yourself goes too, and is listed. --keep \
            with a name of the list keeps one, --keep-all all of it; what is kept counts for the accounts of the \
            group alone, as before. On a terminal the list comes first, with a question; --force asks nothing.

            A backup is made first; where that is not possible, nothing is changed, unless --no-backup says not to.

            With --keep-key the group's key stays; whoever has kept it can still read the group.

            'keyfob undo' does not undo this.

            Example:
              keyfob group revoke work 3fa9c1d2
              keyfob group revoke work 3fa9c1d2 --keep provider:contoso
            """)

    @Argument(help: "The group's name.") var name: String
    @Argument(help: "The slot's id, or the beginning of it.") var slot: String
    @Option(
        name: .long,
        help: ArgumentHelp("A decision that stays; repeatable. 'keyfob verify' shows them.", valueName: "name"))
    var keep: [String] = []
    @Flag(name: .long, help: "Let all that was decided in the group stay.") var keepAll = false
    @Flag(name: .long, help: "Do not give the group a new key.") var keepKey = false
    @Flag(name: .long, help: "Make no backup first.") var noBackup = false
    @OptionGroup var consent: ConsentOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let group = try AccessGroup(named: name)
        let keyring = try global.unlockedKeyring()
        if !consent.isGiven, !global.noInput, let terminal = Terminal() { try confirm(group, keyring, terminal) }
        let revocation = try keepKey ? removed(from: group, keyring) : revoked(from: group, keyring)
        global.tellWarnings(of: keyring)
        for decision in revocation.removed { global.say("removed with it: \(decision.text) (\(decision.name))") }
        for decision in revocation.kept { global.say("kept: \(decision.text) (\(decision.name))") }
        if global.json { try JSONOutput.print(RevocationDocument(revocation, group)) }
    }

    /// Says what goes with the slot, and asks.
    private func confirm(_ group: AccessGroup, _ keyring: Keyring, _ terminal: borrowing Terminal) throws(KeyringError)
    {
        for decision in try keyring.groups.foreignDecisions(in: [group]) {
            let stays = keepAll || keep.contains(decision.name)
            StandardError.write(line: "\(stays ? "stays" : "goes with it"): \(decision.text) (\(decision.name))")
        }
        let answer = try terminal.ask("Remove slot \(slot) of group '\(group)'? [y/N] ")
        guard ["y", "yes"].contains(answer.lowercased()) else {
            throw KeyringError(.cancelled, "cancelled; nothing was changed")
        }
    }

    private var kept: KeptDecisions { keepAll ? .all : .named(Set(keep)) }

    /// Removes the slot and gives the group a new key.
    private func revoked(from group: AccessGroup, _ keyring: Keyring) throws(KeyringError) -> SlotRevocation {
        AuditFiles(state: keyring.location.state).noteAsTheyStand([group], in: keyring)
        let progress = Progress("sealing", isQuiet: global.quiet)
        defer { progress.finish() }
        let revocation = try keyring.slots.revoke(
            slot, of: group, keeping: kept, backsUp: !noBackup, progress: progress.update)
        let records = Quantity.of(revocation.records, "record was", "records were")
        global.say("removed slot \(revocation.slot); group '\(group)' has a new key, \(records) sealed again")
        return revocation
    }

    /// Removes the slot alone; first, so that what is removed after it does not come back by it.
    private func removed(from group: AccessGroup, _ keyring: Keyring) throws(KeyringError) -> SlotRevocation {
        try keyring.slots.remove(slot, of: group)
        global.say("removed slot \(slot); the group keeps its key")
        let decisions = try keyring.groups.forgetForeignDecisions(in: group, keeping: kept)
        return SlotRevocation(slot: slot, records: 0, removed: decisions.removed, kept: decisions.kept)
    }
}

/// A decision in a document.
struct DecisionDocument: Encodable {
    let name: String
    let kind: String
    let text: String
    let group: String

    init(_ decision: GroupDecision) {
        name = decision.name
        kind = decision.kind.rawValue
        text = decision.text
        group = decision.group.name
    }
}

/// `Schemas/group-revoked.schema.json`.
private struct RevocationDocument: JSONDocument {
    let formatVersion = 1
    let slot: String
    let group: String
    let resealed: Int
    let removed: [DecisionDocument]
    let kept: [DecisionDocument]

    init(_ revocation: SlotRevocation, _ group: AccessGroup) {
        slot = revocation.slot
        self.group = group.name
        resealed = revocation.records
        removed = revocation.removed.map(DecisionDocument.init)
        kept = revocation.kept.map(DecisionDocument.init)
    }
}
