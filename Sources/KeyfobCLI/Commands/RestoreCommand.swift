internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobSodium
internal import KeyfobTerminal

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Bring a backup back.",
        discussion: """
            Where there is no vault, makes one with new keys from the backup: unlocked by --key-file, \
            --secret-service or a passphrase, as 'keyfob init' has it, with a recovery key of its own, which is shown once or written \
            to --recovery-file. Where there is one, takes its groups back to what they held, after another \
            backup of what they hold now; its keys and ways to unlock stay, and so do groups that the backup \
            does not have. All of it is brought back, or nothing, also when it is stopped half-way. In a sync, it goes to the other machines too, \
            in place of what they have. '-' reads standard input.
            Where a vault is damaged so that nothing opens it, or only a part of it is left, a new one is made too: what is \
            there, its journal and the copy of its header as well, goes into the folder 'put-aside-TIME' in the vault's folder. --put-aside \
            does so with a vault that could still be opened, for example because its records are damaged or its keys are \
            lost. Nothing is deleted, and the backups stay where they are.
            --account and --group bring single accounts or groups back into the vault that is there, and leave all else as \
            it is: what is gone comes as new, also where it was removed here; what is here stays, signed in or out. An account \
            comes with its tokens, its bindings and, if it was that, as the default; a group that is gone gets a new key, and \
            'keyfob group grant' gives it to others again. Nothing is asked and no backup made, since nothing is lost.
            --list checks the backup and lists its accounts as 'keyfob account list' does, also where there is no vault. \
            --dry-run says what would be done to the vault that is there, item by item.
            A backup counts when the owner of its vault made it, which its recovery key shows, or the vault that is there. \
            Another one is refused, because anybody can write one for a public key: --from-stranger takes what it holds \
            all the same, but for what decides whose token goes where, which is listed.
            A sign-in that is newer here than in the backup stays, with its tokens: an older refresh token may be one that \
            the provider has replaced, and end the sign-in. To have the backup's all the same, remove the account and bring \
            it back with --account. 'keyfob status' tells how many refresh tokens came from a backup.

            Example:
              keyfob backup --list
              keyfob restore --list backup.age --bundle-identity recovery.txt
              keyfob restore backup.age --bundle-identity recovery.txt \\
                --account ada@contoso.example
              keyfob restore backup.age --bundle-identity recovery.txt --vault /tmp/looking
              keyfob restore backup.age --bundle-identity recovery.txt \\
                --recovery-file new-recovery.txt

            Exit status: 0 done, 12 nothing was given that opens the backup, 13 no such account or group in it, 15 \
            cancelled, 64 an export and no backup, 65 damaged, or nothing shows who made it, 77 wrong identity, 78 no recovery key for the backup before.
            """)

    @Argument(help: "The backup.") var file: String?
    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Bring this account back, by id, user name or label; repeatable.", valueName: "name"))
    var account: [String] = []
    @Flag(name: .long, help: "Say what would be done, and do nothing.") var dryRun = false
    @Flag(name: .long, help: "Check the backup and list its accounts, group by group; nothing is changed.") var list =
        false
    @OptionGroup var opening: BundleOpenerOptions
    @OptionGroup var new: NewVaultInput
    @OptionGroup var consent: ConsentOptions
    @Flag(name: .long, help: "Put the vault that is there aside, and make a new one.") var putAside = false
    @Flag(name: .long, help: "Take a backup that nothing shows to be its vault's owner's, without what decides.")
    var fromStranger = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        guard list else { return }
        if !account.isEmpty || dryRun || putAside || fromStranger || consent.isGiven || new.isGiven {
            throw ValidationError("--list changes nothing: it goes with --group and with what opens the backup alone")
        }
    }

    func run() throws {
        let location = try global.location()
        guard let file else { throw Self.noFile(location) }
        if list { return try showAccounts(file, location) }
        let remains = try VaultRemains(at: location, anything: putAside)
        let isThere = remains == .vault && !putAside
        // What cannot work is said before a large file is read.
        if isThere, new.recoveryFile != nil {
            throw KeyringError(.usage, "there is a vault at \(location.vault); --recovery-file is for a new one")
        }
        if isThere, new.secretService {
            throw KeyringError(
                .usage, "there is a vault at \(location.vault); --secret-service is for a new one",
                hint: "'keyfob slot add secret-service' adds the desktop's keyring to one that is there")
        }
        if !isThere, global.identity != nil {
            throw KeyringError(
                .usage, "a new vault is made with a passphrase, a key file or --secret-service",
                hint: "--bundle-identity is what opens the backup")
        }
        let groups = try global.groups()
        let isPart = !account.isEmpty || groups != nil
        if !isThere, isPart || dryRun {
            throw KeyringError(
                .noVault,
                "there is no vault at \(location.vault), into which \(dryRun ? "it would be restored" : "a part could come back")",
                hint: "without --account, --group and --dry-run a backup makes one")
        }
        let backup = try opened(file, location)
        do throws(KeyringError) {
            if isPart { return try bringBack(groups, from: backup, into: location) }
            try isThere ? restore(backup, over: location) : restore(backup, into: location, remains)
        } catch  where error.code == .damaged && error.advice == nil {
            throw KeyringError(
                error.code, error.naming(bundle: backup.name).message,
                hint: "'keyfob backup --list' names other backups")
        } catch {
            throw error.naming(bundle: backup.name)
        }
    }

    /// The backup; where an automatic one has made room for others, the list names them.
    func opened(_ file: String, _ location: KeyringLocation) throws(KeyringError) -> BundleFile {
        do throws(KeyringError) {
            return try BundleInput.open(file, spoolingIn: location.vault)
        } catch  where error.code == .noSuchFile {
            throw KeyringError(.noSuchFile, error.message, hint: "'keyfob backup --list' names those that there are")
        } catch  where FileAccess.status(file, following: true)?.isDirectory == true {
            throw KeyringError(
                error.code, "\(file) is a folder",
                hint: "'keyfob backup --list \(ShellWord.inMessage(file))' names the backups in it")
        }
    }

    /// Which backup is meant is for the person to say; the newest is named.
    private static func noFile(_ location: KeyringLocation) -> KeyringError {
        guard let newest = BackupFile.newest(at: location) else {
            return KeyringError(
                .usage, "say which backup: 'keyfob restore FILE'",
                hint: "there is none in \(location.vault); see 'keyfob restore --help'")
        }
        return KeyringError(
            .usage, "say which backup: the newest is \(newest.path), made \(TimeText.moment(newest.time))",
            hint: "'keyfob backup --list' shows all")
    }

    private func bringBack(
        _ groups: [AccessGroup]?, from backup: borrowing BundleFile, into location: KeyringLocation
    ) throws(KeyringError) {
        let keyring = try global.unlockedKeyring(reaching: .files())
        let plan = try keyring.bundles.bringBack(
            accounts: account, groups: groups, from: backup, with: opening.opener(for: backup, global),
            takingStrangers: fromStranger, isDryRun: dryRun)
        global.tellWarnings(of: keyring)
        if global.json { return try tellDocument(plan, keyring, location) }
        try StandardOutput.write(lines: PlanText(plan).table + (dryRun ? "\n" + PlanText(plan).items : ""))
        guard !global.quiet else { return }
        for line in PlanText(plan).leftOut { StandardError.write(line: line) }
        for group in plan.newGroups {
            global.say(dryRun ? "would make the group '\(group)', with a new key" : Self.made(group))
        }
        let count = Quantity.of(plan.counts["added"] ?? 0, "item")
        if dryRun {
            global.say("nothing was changed: this was a dry run; \(count) would come back from \(backup.name)")
        } else {
            let isNothing = plan.isEmpty ? ": what was asked for is here already" : ""
            global.say(
                "brought back \(count) from \(backup.name), written \(TimeText.moment(plan.source.created))\(isNothing)"
            )
            if !plan.isEmpty { tellRestoredGrants(keyring) }
        }
    }

    private static func made(_ group: AccessGroup) -> String {
        "made the group '\(group)', with a new key: 'keyfob group grant \(ShellWord.inMessage(group.name)) KIND' gives it to "
            + "those who had the old one"
    }

    private func tellDocument(
        _ plan: ImportPlan, _ keyring: Keyring, _ location: KeyringLocation
    ) throws(KeyringError) {
        try JSONOutput.print(
            RestoreDocument(
                vault: location.vault, id: keyring.vaultID, isNew: false, isDryRun: dryRun, plan: PlanDocument(plan),
                recoveryFile: nil, recoveryKey: nil))
    }

    private func restore(_ backup: borrowing BundleFile, over location: KeyringLocation) throws(KeyringError) {
        let keyring = try global.unlockedKeyring(reaching: .files())
        let opener = try opening.opener(for: backup, global)
        if !consent.isGiven, !dryRun {
            let summary = try Keyring.Bundles.verifyBackup(backup, with: opener, of: keyring)
            // One that is refused is not asked about.
            if summary.isOwners || fromStranger {
                let text = ReplacementText(
                    try keyring.bundles.restore(backup, with: opener, takingStrangers: fromStranger, isDryRun: true),
                    into: keyring)
                for line in text.before("restore") { StandardError.write(line: line) }
                let whose = text.isOfAnotherVault ? ", of another vault (\(summary.vault))" : ""
                try Confirmation.ask(
                    "\(backup.name) holds \(summary.text)\(whose). Type 'restore' to take \(location.vault) back to it: ",
                    "restore", global, to: "this takes the vault back to \(text.naming(backup.name))\(text.lossCount)")
            }
        }
        let plan: ImportPlan
        do throws(KeyringError) {
            plan = try keyring.bundles.restore(backup, with: opener, takingStrangers: fromStranger, isDryRun: dryRun)
        } catch  where error.code == .damaged && !error.message.contains(backup.name) {
            throw KeyringError(
                error.code, "what is there cannot be taken back: \(error.message)",
                hint:
                    "'keyfob doctor --repair' mends what can be mended; --put-aside keeps all of it aside, and makes a new "
                    + "vault of the backup")
        }
        global.tellWarnings(of: keyring)
        if global.json { return try tellDocument(plan, keyring, location) }
        if dryRun {
            try StandardOutput.write(lines: PlanText(plan).table + "\n" + PlanText(plan).items)
            let (text, loss) = (PlanText(plan), ReplacementText(plan, into: keyring))
            for line in loss.losses + text.leftOut + text.notes { global.say(line) }
            return global.say(
                "nothing was changed: this was a dry run of \(loss.naming(backup.name)): \(plan.source.text)")
        }
        try tell(plan, keyring, backup.name)
    }

    private func restore(
        _ backup: borrowing BundleFile, into location: KeyringLocation, _ remains: VaultRemains
    ) throws(KeyringError) {
        let handOver = try new.handOver(location, global)
        let opener = try opening.opener(for: backup, global)
        // A person is not asked for a new passphrase where there is nothing to restore.
        if new.asks(global) { _ = try Keyring.Bundles.verifyBackup(backup, with: opener) }
        let slots = try new.slots(location, global, for: "the restored vault")
        let service = slots.secretService
        let restored: Keyring.Restored
        do throws(KeyringError) {
            restored = try Keyring.restore(
                backup, with: opener, takingStrangers: fromStranger, at: location, puttingAside: remains,
                succeeding: remains == .none ? nil : global.openedToBeReplaced(), slot: slots.first,
                secretService: service
            ) { (vault) throws(KeyringError) in
                try handOver.take(vault.recoveryKey, isNew: true)
                if global.json, let plan = vault.plan {
                    try JSONOutput.print(
                        RestoreDocument(
                            vault: location.vault, id: vault.id, isNew: true, isDryRun: false, plan: PlanDocument(plan),
                            recoveryFile: new.recoveryFile, recoveryKey: handOver.keyForDocument))
                }
            }
        } catch {
            throw handOver.failing(error, at: location)
        }
        global.note(LastingChange(.vaultMade))
        global.tellWarnings(of: restored.keyring)
        if let aside = restored.aside { global.say("moved the files of the old vault to \(aside)") }
        guard !global.json else { return }
        global.say("made the vault \(location.vault)")
        handOver.tellPlace(of: "its recovery key")
        defer {
            global.say(
                "other ways to unlock, and keys of single groups, have to be made again: 'keyfob slot add', "
                    + "'keyfob group grant'")
            global.say("backups from now on open with the new recovery key, those before with the old one")
        }
        if new.recoveryFile != nil {
            try tell(restored.plan, restored.keyring, backup.name)
        } else {
            // Whoever keeps the output has the key alone.
            tellRestored(restored.plan, restored.keyring, backup.name)
        }
    }

    private func tell(_ plan: ImportPlan, _ keyring: Keyring, _ name: String) throws(KeyringError) {
        try StandardOutput.write(lines: PlanText(plan).table)
        tellRestored(plan, keyring, name)
    }

    private func tellRestored(_ plan: ImportPlan, _ keyring: Keyring, _ name: String) {
        guard !global.quiet else { return }
        let (text, loss) = (PlanText(plan), ReplacementText(plan, into: keyring))
        for line in loss.losses + text.leftOut + text.notes { StandardError.write(line: line) }
        if let lost = PlanText(plan).lostDecisions { StandardError.write(line: lost) }
        for group in plan.newGroups where plan.backup != nil { global.say(Self.made(group)) }
        if let backup = plan.backup { global.say("backed up what was there to \(backup)") }
        let whose = plan.backup != nil && loss.isOfAnotherVault ? "another vault" : "vault"
        let origin =
            plan.source.isOwners
            ? "a backup of \(whose) \(plan.source.vault), made by its owner" : "a stranger's backup"
        global.say("restored \(name), \(origin): \(plan.source.text)")
        if let wayBack = loss.wayBack { global.say(wayBack) }
        tellRestoredGrants(keyring)
    }

    private func tellRestoredGrants(_ keyring: Keyring) {
        if let count = try? keyring.bundles.restoredGrantCount(), count > 0 { global.say(RestoredGrantText.of(count)) }
    }
}

/// What to know about sign-ins that came back from a backup.
enum RestoredGrantText {
    static func of(_ count: Int) -> String {
        let isOne = count == 1
        return "\(Quantity.of(count, "sign-in")) came back from a backup: if the provider has replaced "
            + "\(isOne ? "its" : "a") refresh token since then, using it may end \(isOne ? "the" : "that") sign-in"
    }
}
