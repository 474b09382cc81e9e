internal import ArgumentParser
internal import Keyfob
internal import KeyfobConfinement
internal import KeyfobTerminal

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find out what is wrong, and how to mend it.",
        discussion: """
            --repair puts records that do not open into the folder 'quarantine' of the vault, where nothing \
            is ever deleted, makes the manifests fit what is left, and writes a damaged header again. What is lost by it is \
            noted: 'status', 'verify' and 'doctor' tell it until --accept-loss, or until 'keyfob restore' brings it \
            back. With --identity, the recovery key, backups say what it was, and which of them has it. Where the desktop's \
            keyring keeps the records, they stay there, with the label 'Keyfob: put aside' and what they were; a token that another \
            program has changed there is taken over as it is.
            --accept-rollback goes on from the vault as it is, where it was taken back to an earlier state, where another \
            copy of it lies there than was used before, or where the notes of how far it had come are damaged. Until then \
            'status', 'verify' and 'doctor' tell it each time, and every other command once in a login.
            --accept-vault accepts another vault in the place of the one that was there, or one that nothing shows to be \
            yours.
            With --identity, the recovery key, it also says of which backups nothing shows who made them.
            Where the desktop's keyring (Secret Service) opens the vault, its item is looked at too, and so is what 'keyfob log' shows.

            'keyfob undo' does not undo this. A backup brings back what a repair has put aside.

            Example:
              keyfob doctor
            """)

    @Flag(name: .long, help: "Put damaged records aside.") var repair = false
    @Flag(name: .long, help: "Go on with an older copy of the vault, or one that was changed elsewhere.")
    var acceptRollback = false
    @Flag(name: .long, help: "Accept the vault that is there as yours.") var acceptVault = false
    @Flag(name: .long, help: "Go on without what a repair has noted as lost.") var acceptLoss = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let location = try global.location()
        // What is wrong with the identity is not the vault's.
        if let identity = global.identity { _ = try IdentityInput.read(identity, global) }
        if acceptVault {
            try Keyring.acceptVault(at: location)
            global.note(LastingChange(.stateAccepted))
        }
        var findings: [Finding] = []
        if Keyring.Health.canLockMemory {
            findings.append(Finding("memory", .ok, "secrets can be kept out of swap"))
        } else {
            findings.append(
                Finding(
                    "memory", .warning, "pages cannot be locked: secrets may reach swap",
                    hint: "raise the limit 'ulimit -l' (RLIMIT_MEMLOCK) to at least 8192"))
        }
        findings.append(.confinement)
        if repair {
            try mendSchema(location, &findings)
            mendPlace(location, &findings)
            mendHeader(location, &findings)
        }
        let opening = try unlock(location, &findings)
        if let locked = try? LockedKeyring(at: location), locked.storage == .embedded {
            findings += KeyPlace.allCases.map { Finding.keeping(in: $0, locked) }
            findings += Finding.holders(locked, location)
        }
        let keyring = opening?.keyring
        lookAtSecretService(location, after: opening?.problem, &findings)
        if let keyring {
            if acceptRollback { findings += StateText.accepted(try keyring.health.acceptRollback()) }
            if acceptLoss { findings += LossText.accepted(try keyring.health.acceptLosses()) }
            if repair { try mend(keyring, &findings) }
            findings += try MigrationText.findings(of: keyring, isRepairing: repair, global.secretService())
            findings += try Finding.git(keyring, global.groups())
            // From here on the desktop's keyring is not asked, and nothing is read but the vault.
            Reach.vault.confine(keyring)
            try examine(keyring, &findings)
        }
        if let keyring { try lookAtBackups(location, keyring, &findings) }
        try tell(findings)
        if findings.contains(where: { $0.status == .failure }) { throw ReportedFailure(status: .malformed) }
    }

    /// What cannot be mended is told when the vault does not open.
    private func mendSchema(_ location: KeyringLocation, _ findings: inout [Finding]) throws(KeyringError) {
        do throws(KeyringError) {
            guard let mended = try Keyring.Health.mendSchema(at: location) else { return }
            let isForeign = !mended.hasPrefix("0 removed")
            findings.append(
                Finding(
                    "schema", .warning,
                    "\(isForeign ? "another program had written to the database" : "the database lacked a part"): \(mended)"
                ))
        } catch  where [.busy, .diskFull, .inputOutput].contains(error.code) {
            throw error
        } catch {}
    }

    /// Repairs the vault; what cannot be read even then is a finding.
    private func mend(_ keyring: Keyring, _ findings: inout [Finding]) throws(KeyringError) {
        do throws(KeyringError) {
            // A vault that is whole is left as it is: a change of a copy would make the other one the older.
            if keyring.storage == .embedded, let report = try? keyring.health.verify(), report.isSound {
                return findings.append(Finding("repair", .ok, LossText.nothingToRepair))
            }
            findings += LossText.repaired(try keyring.health.repair(lookingInto: try opener()))
        } catch  where error.code == .damaged {
            findings.append(Finding(damage: error, of: "repair", wayBack(keyring.location)))
        } catch {
            throw error.asNotDone
        }
    }

    /// What opens backups; nil where nobody gives it.
    private func opener() throws(KeyringError) -> BundleOpener? {
        guard let identity = global.identity else { return nil }
        return .identities(try IdentityInput.read(identity, global))
    }

    /// How the newest good backup is made a vault again, in the place of what is there.
    private func wayBack(_ location: KeyringLocation) -> String {
        let putsAside = (try? VaultRemains(at: location)) == .vault
        guard let identity = global.identity, let text = try? IdentityInput.read(identity, global) else {
            return Advice.restoring(BackupFile.newest(at: location)?.path, puttingAside: putsAside)
        }
        let newest = BackupFile.newest(at: location, openedBy: .identities(text))
        return Advice.restoring(newest?.path, puttingAside: putsAside, identity: identity)
    }

    /// What is to be done where the vault does not open: a repair, where that is enough.
    private func wayOn(_ location: KeyringLocation) -> String {
        if !repair, Keyring.Health.hasDamagedPlace(at: location) {
            return "'keyfob doctor --repair' writes it anew, where the desktop's keyring has the vault"
        }
        if !repair, Keyring.Health.hasDamagedHeader(at: location, secretService: global.secretService(mayAsk: false)) {
            return "'keyfob doctor --repair' makes it again from the other items, and keeps all accounts and tokens"
        }
        return wayBack(location)
    }

    /// The same for the file that says that the desktop's keyring keeps the records.
    private func mendPlace(_ location: KeyringLocation, _ findings: inout [Finding]) {
        let file = "the file that says where the records are"
        switch (try? Keyring.Health.mendPlace(at: location, secretService: global.secretService())) ?? nil {
        case .putAside(let aside):
            findings.append(
                Finding("vault", .warning, "\(file) was damaged, and is written anew; put aside: \(aside)"))
        case .writtenAgain:
            findings.append(Finding("vault", .warning, "\(file) was gone, and is written again"))
        case nil: break
        }
    }

    /// The same for the item of the desktop's keyring that lists the groups.
    private func mendHeader(_ location: KeyringLocation, _ findings: inout [Finding]) {
        let items = try? Keyring.Health.putDamagedHeaderAside(at: location, secretService: global.secretService())
        guard let items, !items.isEmpty else { return }
        findings.append(
            Finding(
                "vault", .warning,
                "the item that lists the groups could not be read, and is made again; put aside: "
                    + items.joined(separator: ", ")))
    }

    /// Opens the vault; what keeps it shut is a finding, unless there is no vault or no key.
    private func unlock(_ location: KeyringLocation, _ findings: inout [Finding]) throws(KeyringError) -> UnlockOutcome?
    {
        do {
            let keyring: Keyring
            if repair || acceptRollback || acceptLoss {
                keyring = try global.unlockedKeyring(reaching: .everything, tellsFindings: false)
            } else {
                // There is no other way to look at what the desktop's keyring keeps.
                let isDelegated = try Keyring.storage(at: location) == .secretService
                let opening = try global.opening(reaching: .everything, mayAsk: isDelegated)
                switch opening {
                case .opened(let unlocked): keyring = unlocked
                case .shut(let reason):
                    findings += Finding.locked(location, reason)
                    findings += (try LockedKeyring(at: location)).stateFindings.map { StateText.finding($0, []) }
                    return opening
                }
            }
            findings.append(Finding("vault", .ok, "\(location.vault) opens"))
            if keyring.isReadOnly {
                findings.append(
                    Finding(
                        "vault", .warning, "a newer Keyfob wrote it: it can only be read",
                        hint: "update Keyfob to change it"))
            } else if let problem = keyring.health.writeProblem {
                findings.append(
                    Finding(
                        "vault", .warning, "it can only be read: \(problem)",
                        hint:
                            "until it can be written, tokens that last are answered, and 'keyfob backup --to FOLDER' backs it up"
                    ))
            }
            return .opened(keyring)
        } catch  where [.damaged, .configuration, .newerVersion, .unknownVault].contains(error.code) {
            findings.append(Finding(damage: error, of: "vault", wayOn(location)))
            return nil
        } catch  where error.code == .noVault && ![.createVault, .repair].contains(error.advice) {
            throw KeyringError(error.code, error.message, hint: wayBack(location))
        }
    }

    private func examine(_ keyring: Keyring, _ findings: inout [Finding]) throws(KeyringError) {
        let report: Keyring.VerificationReport
        do throws(KeyringError) {
            report = try keyring.health.verify()
        } catch  where error.code == .damaged {
            findings.append(Finding(damage: error, of: "records", wayBack(keyring.location)))
            return findings += try keyring.health.stateFindings().map { StateText.finding($0, keyring.otherPlaces) }
        }
        for warning in keyring.takeWarnings() where !warning.code.isFinding {
            findings.append(Finding("vault", .warning, warning.text))
        }
        findings += report.findings.map { StateText.finding($0, keyring.otherPlaces) }
        for orphans in report.orphans {
            findings.append(Finding("records", .failure, orphans.text, hint: orphans.advice))
        }
        if report.problems.isEmpty {
            findings.append(
                Finding(
                    "records", .ok,
                    "\(Quantity.of(report.records, "record")) in \(Quantity.of(report.groups, "group")) open"))
        }
        for group in Set(report.foreignDecisions.map(\.group)).sorted(by: { $0.name < $1.name }) {
            let decisions = report.foreignDecisions.filter { $0.group == group }
            findings.append(
                Finding(
                    "decisions", .ok,
                    "by a key of group '\(group)', and for its accounts alone: "
                        + decisions.map(\.text).joined(separator: ", ")))
        }
        for problem in report.headerProblems {
            findings.append(
                Finding(
                    "header", .failure, problem,
                    hint: repair || report.isFileDamaged
                        ? cure(keyring, report) : "'keyfob doctor --repair' writes it again, and loses nothing by it"))
        }
        for problem in LossText.problems(of: report) {
            findings.append(Finding("records", .failure, problem, hint: cure(keyring, report)))
        }
        for token in report.replacedTokens {
            let way = repair ? cure(keyring, report) : "'keyfob doctor --repair' does so"
            findings.append(Finding("records", .failure, token.text, hint: way))
        }
        let holdings: BackupHoldings?
        if !report.losses.isEmpty || !report.notedLosses.isEmpty, let opener = try opener() {
            holdings = try keyring.bundles.holdings(with: opener)
        } else {
            holdings = nil
        }
        let names = LossText.names(keyring, for: report.losses + report.notedLosses)
        findings += report.losses.map {
            Finding("loss", .failure, LossText.text($0, names), hint: cure(keyring, report))
        }
        findings += report.notedLosses.flatMap {
            LossText.findings($0, names, keyring, holdings, identity: global.identity)
        }
        findings += SyncText.findings(keyring)
        findings += try LogText.findings(of: keyring)
        if keyring.storage == .secretService {
            findings.append(Finding("storage", .ok, "the desktop's keyring (Secret Service) keeps the records"))
            findings += try MadeByHandText.findings(keyring.tokens.madeByHand())
            if keyring.secretServiceName == "KeePassXC" {
                findings.append(
                    Finding(
                        "storage", .ok, "KeePassXC answers before it has saved what it is given",
                        hint: "let it save after every change (its settings, General), or save before you close it"))
            }
        }
        if keyring.opensWholeVault, try !keyring.slots.list().contains(where: { $0.kind == "recipient" }) {
            findings.append(
                Finding(
                    "backups", .warning, "there is no recovery key, and no backup can be made without one",
                    hint: Advice.addRecipient(canRekey: keyring.storage == .embedded).text))
        }
        if keyring.storage == .embedded, keyring.opensWholeVault, try keyring.slots.list().count < 2 {
            findings.append(
                Finding(
                    "slots", .warning, "there is one way only to unlock the vault",
                    hint: "add another: 'keyfob slot add passphrase'"))
        }
    }

    /// What is to be done about records that do not open.
    private func cure(_ keyring: Keyring, _ report: Keyring.VerificationReport) -> String {
        if report.isFileDamaged {
            return "no repair mends that: keep what still opens with 'keyfob backup --to FOLDER', then "
                + "'keyfob restore BACKUP --put-aside'"
        }
        // What this very repair has left, another one leaves too.
        if repair { return wayBack(keyring.location) }
        return keyring.storage == .embedded
            ? "'keyfob doctor --repair' puts aside what does not open, and notes what is lost; then a backup can be restored"
            : "'keyfob doctor --repair' mends it; what does not open stays in the desktop's keyring, under a label that says "
                + "so, and is noted as lost"
    }

    /// What the desktop's keyring has for the vault, where it opens it.
    private func lookAtSecretService(
        _ location: KeyringLocation, after problem: KeyringError?, _ findings: inout [Finding]
    ) {
        // A vault that cannot be read is a finding already.
        guard let locked = try? LockedKeyring(at: location) else { return }
        let items = locked.secretServiceItems(global.secretService(mayAsk: false), after: problem)
        findings += items.map { SecretServiceText.finding($0, among: items) }
    }

    private func lookAtBackups(
        _ location: KeyringLocation, _ keyring: Keyring, _ findings: inout [Finding]
    ) throws(KeyringError) {
        let state = try BackupState(
            of: keyring.vaultID, at: location, holding: try? keyring.groups.list(),
            opening: keyring.opensWholeVault ? try? keyring.slots.list() : nil)
        findings.append(
            state.warning.map { Finding("backups", .warning, $0, hint: BackupState.advice) }
                ?? Finding("backups", .ok, state.text))
        // Only the recovery key opens them.
        if let identity = global.identity {
            for backup in try BackupFile.all(at: location) {
                let opener = BundleOpener.identities(try IdentityInput.read(identity, global))
                guard BackupOrigin(try BundleFile(path: backup.path), opener) == .unknown else { continue }
                findings.append(
                    Finding(
                        "backups", .warning, "nothing shows who made \(backup.path)",
                        hint: "anybody can write one for a public key; remove it unless you know whose it is"))
            }
        }
        let restored: [Keyring.RestoredGrant]
        do throws(KeyringError) {
            restored = try keyring.bundles.restoredGrants()
        } catch  where error.code == .damaged {
            // Told already.
            return
        }
        let now = WallClock.system.now
        findings += try keyring.signIns.ending().map { signIn in
            let names = keyring.accounts.naming(for: signIn.account)
            return Finding("sign-ins", .warning, signIn.text(now, names), hint: signIn.advice(names).text)
        }
        guard !restored.isEmpty else { return }
        let known = try keyring.accounts.list().map(\.account)
        let ids = Set(restored.map(\.account))
        let names = Set(known.filter { ids.contains($0.id) }.map(\.name)).sorted()
        findings.append(
            Finding(
                "sign-ins", .warning, RestoredGrantText.of(restored.count),
                hint: "sign in again where a token is refused: \(Quantity.list(names))"))
    }

    private func tell(_ all: [Finding]) throws(KeyringError) {
        // A damage that several steps meet is told once, with what to do about it.
        let findings = all.enumerated().filter { index, finding in
            finding.status != .failure
                || !all[(index + 1)...].contains { $0.status == .failure && $0.text == finding.text }
        }.map(\.element)
        if global.json { return try JSONOutput.print(DoctorDocument(findings: findings)) }
        for (index, finding) in findings.enumerated() {
            let (mark, look) =
                switch finding.status {
                case .ok: ("ok      ", nil as EntryLook?)
                case .warning: ("warning ", global.look(.warning))
                case .failure: ("failure ", global.look(.failure))
                }
            try StandardOutput.write(entry: "\(mark)\(finding.subject): \(TimeText.local(in: finding.text))", look)
            // What is to be done about several in a row is said once.
            let next = index + 1 < findings.count ? findings[index + 1].hint : nil
            if let hint = finding.hint, hint != next { try StandardOutput.write(entry: "        \(hint)") }
        }
    }
}

/// One thing the doctor looked at.
struct Finding: Encodable {
    let subject: String
    let status: Status
    let text: String
    let hint: String?

    enum Status: String, Encodable {
        case ok, warning, failure
    }

    /// What keeps the vault, or its records, from being read; `wayBack` is how a backup takes their place.
    ///
    /// To run the doctor is no advice here.
    init(damage error: KeyringError, of subject: String, _ wayBack: String) {
        let isOwn: Bool =
            switch error.advice {
            case .mendSchema, .nameVault: true
            default: error.code != .damaged
            }
        self.init(subject, .failure, error.message, hint: isOwn ? error.hint : wayBack)
    }

    /// What the kernel lets a process with keys renounce.
    static var confinement: Finding {
        let offers = Confinement.offers
        let landlock = offers.landlock == 0 ? "no Landlock" : "Landlock ABI \(offers.landlock)"
        let text = "\(landlock), \(offers.seccomp ? "seccomp" : "no seccomp")"
        guard offers.landlock >= Confinement.oldestLandlock, offers.seccomp else {
            return Finding(
                "confinement", .warning, "\(text): what holds keys is confined in part only, or not at all",
                hint: "Linux 5.19 and later have both, unless they were left out (CONFIG_SECURITY_LANDLOCK, lsm=)")
        }
        return Finding("confinement", .ok, text)
    }

    /// Whether 'keyfob unlock' can keep a key in `place`.
    static func keeping(in place: KeyPlace, _ locked: borrowing LockedKeyring) -> Finding {
        let (subject, option) = place == .session ? ("session keyring", "") : ("user keyring", " --user")
        do throws(KeyringError) {
            try locked.requireKeeping(in: place)
            return Finding(subject, .ok, "'keyfob unlock\(option)' can keep the key")
        } catch {
            return Finding(
                subject, .warning, "'keyfob unlock\(option)' keeps no key: \(error.message)", hint: error.hint)
        }
    }

    /// A vault that nothing opens without asking.
    static func locked(_ location: KeyringLocation, _ reason: KeyringError) -> [Finding] {
        let isDelegated = (try? Keyring.storage(at: location)) == .secretService
        let why = isDelegated ? ": \(reason.message)" : ""
        let hint =
            switch reason.advice {
            // To run the doctor is no advice here.
            case .unlockOtherwise: Advice.otherSlots
            case .unlock where !isDelegated: "run 'keyfob unlock' first"
            case .unlockForUser: "run 'keyfob unlock --user' first"
            default: reason.hint
            }
        return [
            Finding("vault", .ok, "\(location.vault) is there and locked"),
            Finding("records", .warning, "not looked at: the vault is locked\(why)", hint: hint),
        ]
    }

    init(_ subject: String, _ status: Status, _ text: String, hint: String? = nil) {
        self.subject = subject
        self.status = status
        self.text = text
        self.hint = hint.map(NamedVault.completing)
    }
}

/// `Schemas/doctor.schema.json`.
struct DoctorDocument: JSONDocument {
    let formatVersion = 1
    let findings: [Finding]
}
