internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Move all records to the desktop's keyring, or back into Keyfob's own file.",
        discussion: """
            --to secret-service makes an item of the desktop's keyring (Secret Service) of every record, \
            --to embedded puts them into the encrypted database in the vault's folder. Everything goes: the keys, \
            the groups, the history and the ways to unlock are as before. First all is written beside what is in \
            use, then read back and compared, then the new place counts. A migration that was stopped has moved \
            nothing or everything; the same command continues it.
            What was in use before stays, until --remove-old: with --to, or alone later.
            A vault that was made with the desktop's keyring gets a way to unlock it without: --key-file, \
            --passphrase-fd, --secret-service, or the passphrase that is asked for.
            Where the desktop's keyring has lost all records, --to embedded uses the vault's own file again as it was \
            before they were moved, if that is still there.
            Keys of single groups open nothing while the records are in the desktop's keyring.

            'keyfob undo' does not undo this.

            Example:
              keyfob migrate --to secret-service --dry-run
              keyfob migrate --to secret-service
              keyfob migrate --to embedded
              keyfob migrate --remove-old

            Exit status: 0 done, 12 the desktop's keyring is locked, 15 cancelled, 64 a way to unlock is missing, \
            65 damaged, 69 no desktop's keyring, 73 it holds newer records of this vault, 75 the vault is in use, \
            77 the key does not open the whole vault.
            """)

    @Option(name: .long, help: ArgumentHelp("Where to: secret-service or embedded.", valueName: "place"))
    var to: Place?

    @Flag(name: .long, help: "Say what would be moved, and write nothing.") var dryRun = false
    @Flag(name: .long, help: "Remove what is not in use any more.") var removeOld = false
    @Flag(name: .long, help: "Do not ask; overwrite newer items of the desktop's keyring too.") var force = false

    @Flag(name: .long, help: "With --to embedded: let the desktop's keyring keep a key that opens the vault.")
    var secretService = false

    @OptionGroup var derivation: DerivationOptions

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    enum Place: String, ExpressibleByArgument, CaseIterable {
        case secretService = "secret-service"
        case embedded

        var storage: StoragePlace {
            switch self {
            case .secretService: .secretService
            case .embedded: .embedded
            }
        }
    }

    func validate() throws {
        if to == nil, !removeOld { throw ValidationError("say where to: --to secret-service or --to embedded") }
        if secretService, to != .embedded { throw ValidationError("--secret-service goes with --to embedded") }
        if !global.group.isEmpty { throw ValidationError("a vault is moved as a whole") }
    }

    func run() throws {
        let location = try global.location()
        guard let keyring = try unlockedUnlessLost(location) else { return try goBack(location) }
        global.tellWarnings(of: keyring)
        var document = MigrationDocument(vault: location.vault, isDryRun: dryRun, storage: keyring.storage)
        var current = keyring
        let to = to?.storage
        if let to {
            // What is to be confirmed is asked before anything is done.
            if removeOld, to != keyring.storage, !dryRun, !force { try confirmRemoving(keyring, after: to) }
            let byHand = to == .embedded ? try keyring.tokens.madeByHand().tokens.count : 0
            let report = try move(keyring, to: to)
            document.take(report)
            if !global.json { try tell(report, byHand, location) }
            if !report.isThere, !dryRun {
                current = try keyring.reopened(secretService: global.secretService())
                // Outside: each place keeps the records as they were moved.
                current.undo.noteOutside(.migrated, to == .embedded ? "embedded" : "secret-service", as: "migrate")
            }
            if removeOld, dryRun { global.say("then what was in use before would be removed") }
        }
        if removeOld, to == nil || !dryRun {
            let isAsked = to == nil || to == keyring.storage
            document.removed = try removeUnused(current, isAsked: isAsked && !force)
        }
        if global.json { try JSONOutput.print(document) }
    }

    /// The keyring, opened by what opens it where it lies: what else is given is for the place it goes to.
    private func unlocked(_ location: KeyringLocation) throws(KeyringError) -> Keyring {
        guard try Keyring.storage(at: location) == .secretService else {
            return try global.unlockedKeyring(reaching: .everything)
        }
        return try LockedKeyring(at: location).unlock(with: .secretService(global.secretService()))
    }

    /// The keyring; nil where the desktop's keyring has lost the records, and the vault's own file is to be used again.
    private func unlockedUnlessLost(_ location: KeyringLocation) throws(KeyringError) -> Keyring? {
        do throws(KeyringError) {
            return try unlocked(location)
        } catch {
            guard to == .embedded, error.advice == .goBackToDatabase else { throw error }
            return nil
        }
    }

    /// Uses the vault's own file again as it was before, where the desktop's keyring has lost the records.
    private func goBack(_ location: KeyringLocation) throws {
        let place = MigrationText.name(of: .embedded)
        if !dryRun {
            if !force {
                try Confirmation.ask(
                    "The desktop's keyring holds none of the records any more. Type 'back' to use \(place) as it was "
                        + "before they were moved; what was stored since is lost: ", "back", global,
                    to: "this uses \(place) as it was before the records were moved, and loses what was stored since")
            }
            try Keyring.Migration.goBackToDatabase(at: location, secretService: global.secretService())
        }
        global.say(
            "\(dryRun ? "would use" : "uses") \(place) again, as it was before the records were moved"
                + (dryRun ? "" : "; 'keyfob doctor --accept-rollback' accepts that"))
        if global.json {
            try JSONOutput.print(
                MigrationDocument(vault: location.vault, isDryRun: dryRun, storage: dryRun ? .secretService : .embedded)
            )
        }
    }

    private func move(_ keyring: Keyring, to place: StoragePlace) throws(KeyringError) -> Keyring.MigrationReport {
        let service = global.secretService()
        if dryRun { return try keyring.migration.plan(to: place, secretService: service) }
        let progress = Progress("moving", isQuiet: global.quiet)
        defer { progress.finish() }
        let isNeeded = place == .embedded && keyring.storage != .embedded && keyring.migration.needsSlotToBeEmbedded
        let slot = try slot(isNeeded: isNeeded)
        do throws(KeyringError) {
            return try keyring.migration.run(
                to: place, secretService: service, adding: slot, overwritingNewer: force, progress: progress.update)
        } catch  where error.code == .usage {
            throw KeyringError(.usage, error.message, hint: Self.slotHint)
        }
    }

    private static let slotHint = "give --key-file, --passphrase-fd or --secret-service"

    /// The way to unlock that the vault gets in Keyfob's own file.
    private func slot(isNeeded: Bool) throws(KeyringError) -> Keyring.NewSlot? {
        if secretService { return .secretService(global.secretService()) }
        guard isNeeded else { return nil }
        if let descriptor = global.passphraseFd {
            return .passphrase(try SecretInput.passphrase(descriptor: descriptor), memory: derivation.memory)
        }
        let environment = Environment.current
        if let named = global.keyFile ?? environment["KEYFOB_KEY_FILE"] {
            let vault = try global.location().vault
            return .keyFile(
                try KeyFile.read(
                    named, vault: vault, credentials: environment["CREDENTIALS_DIRECTORY"], ifMissing: .makeLongKeyFile)
            )
        }
        // The library says what is missing where nobody can be asked.
        guard !global.noInput, Terminal.isThere else { return nil }
        return .passphrase(try NewPassphraseInput.read(descriptor: nil, mayAsk: true), memory: derivation.memory)
    }

    // MARK: What is left behind

    private func confirmRemoving(_ keyring: Keyring, after to: StoragePlace) throws(KeyringError) {
        let what =
            to == .embedded ? "the vault's items in the desktop's keyring" : "the vault's own file, keyring.db,"
        try Confirmation.ask(
            "When all is moved, \(what) will be removed. Type 'remove' to go on: ", "remove", global,
            to: "this removes \(what) when all is moved")
    }

    private func removeUnused(
        _ keyring: Keyring, isAsked: Bool
    ) throws(KeyringError) -> MigrationDocument.Removed {
        let service = global.secretService()
        let found = try keyring.migration.unusedPlace(secretService: service)
        let text = UnusedPlaceText.of(found)
        guard !found.isEmpty else {
            global.say("there is nothing that is not in use")
            return MigrationDocument.Removed(found)
        }
        guard !dryRun else {
            global.say("would remove \(text)")
            return MigrationDocument.Removed(found)
        }
        if isAsked {
            let place = MigrationText.name(of: keyring.storage)
            try Confirmation.ask(
                "The records are in \(place). Type 'remove' to remove \(text): ", "remove", global,
                to: "this removes \(text)")
        }
        let progress = Progress("removing", isQuiet: global.quiet)
        defer { progress.finish() }
        let removed = try keyring.migration.removeUnusedPlace(secretService: service, progress: progress.update)
        global.say("removed \(UnusedPlaceText.of(removed))")
        return MigrationDocument.Removed(removed)
    }

    private func tell(
        _ report: Keyring.MigrationReport, _ byHand: Int, _ location: KeyringLocation
    ) throws(KeyringError) {
        let place = MigrationText.name(of: report.to)
        guard !report.isThere else { return global.say("the records of \(location.vault) are in \(place) already") }
        try StandardOutput.write(lines: MigrationText.table(report))
        for note in MigrationText.notes(report) { global.say(note) }
        let records = Quantity.of(report.records, "record")
        let groups = Quantity.of(report.groups.count, "group")
        global.say("\(dryRun ? "would move" : "moved") \(records) of \(groups) into \(place)")
        if byHand > 0 {
            global.say(
                "\(Quantity.of(byHand, "token")) put into the desktop's keyring by hand \(byHand == 1 ? "stays" : "stay") there "
                    + "too, in the open; delete what no other program uses")
        }
        if !dryRun, !removeOld {
            global.say("what was in use before is kept; 'keyfob migrate --remove-old' removes it")
        }
    }
}
