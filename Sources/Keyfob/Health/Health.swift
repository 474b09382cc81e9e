internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobStore
internal import KeyfobSodium
internal import KeyfobSync
internal import KeyfobVault

extension Keyring {
    /// Whether files and records are whole and as they were left, and what can be repaired.
    public struct Health: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring {
    /// What a verification found.
    public struct VerificationReport: Hashable, Sendable {
        /// How many records were opened, attributes and secret.
        public internal(set) var records = 0
        /// How many groups were looked through.
        public internal(set) var groups = 0
        /// Whether there are groups that the key held does not open.
        public internal(set) var isPartial = false
        /// What is wrong with what is there, one line each; empty when all is well.
        public internal(set) var problems: [String] = []
        /// Those of the problems that are about the header and its copies.
        public internal(set) var headerProblems: [String] = []
        /// What the groups have lost, as it shows now; a repair notes it.
        public internal(set) var losses: [Loss] = []
        /// The tokens in the Secret Service that another program has put in the place of others.
        ///
        /// A repair takes them over. Each is among the problems as well.
        public internal(set) var replacedTokens: [Loss] = []
        /// What the groups have lost, as it was noted when they were repaired, and is not accepted.
        public internal(set) var notedLosses: [Loss] = []
        /// Accounts that are gone and of which tokens are left all the same; ``Keyring/Accounts/remove(_:from:unbinds:)`` takes them.
        public internal(set) var orphans: [Orphans] = []
        /// What does not follow from what was seen before, and is not accepted.
        public internal(set) var findings: [StateFinding] = []
        /// What decides in the groups and was not decided by the owner, which is no problem as such.
        public internal(set) var foreignDecisions: [GroupDecision] = []

        /// Whether SQLite itself cannot read the file, or a part of it, which no repair mends.
        public internal(set) var isFileDamaged = false

        /// Whether a repair would find nothing to mend, and nothing to note.
        public var isSound: Bool { problems.isEmpty && losses.isEmpty && orphans.isEmpty && findings.isEmpty }
    }

    /// What is left of an account that was removed, or whose record is gone: no list shows it.
    public struct Orphans: Hashable, Sendable {
        /// The account.
        public let account: AccountID
        /// The group.
        public let group: AccessGroup
        /// How many refresh, access and ID tokens are left.
        public let tokens: Int
    }

    /// What a repair did.
    public struct RepairReport: Hashable, Sendable {
        /// The files in `quarantine/` that hold what was put aside.
        public let files: [String]
        /// What the groups have lost by now that was not noted before.
        public let losses: [Loss]
        /// The tokens that another program had put in the place of others, and are the vault's by now.
        public let takenOver: [Loss]
    }
}

extension Keyring.Health {
    /// Opens every record within reach and compares each group with its manifest, the file with
    /// SQLite's own rules, and both with what was seen before.
    ///
    /// - Throws: only what keeps it from looking; what it finds is in the report.
    public func verify() throws(KeyringError) -> Keyring.VerificationReport {
        let ofSync = keyring.sync.stateFindings()
        return try withState { state in
            // One state of header and records: what others change meanwhile would look like damage.
            var report = try database.withSnapshot { try examine(&state) }
            report.findings += ofSync
            return report
        }
    }

    private func examine(_ state: inout State) throws -> Keyring.VerificationReport {
        var report = Keyring.VerificationReport()
        // What is seen first cannot be later than what is read after it, whatever others write meanwhile.
        if let marks = try? mark.marks(now: clock.now) { state.marks = marks }
        // To an older key everything would seem damaged.
        if (try? database.refresh(&state.vault)) != nil, let milestone = try? state.vault.milestone() {
            note(&state, [milestone])
        }
        report.problems = try database.integrityProblems()
        report.isFileDamaged = report.problems.contains { $0.hasSuffix(VaultDatabase.unreadable) }
        report.isPartial = state.vault.hasGroupsBeyondReach
        for group in state.vault.groups {
            let found = try database.verify(group.keys, name: group.name.name)
            report.records += found.opened
            report.problems += found.problems
            report.groups += 1
            report.losses += found.losses.map { Keyring.Loss($0.loss, in: group.name) }
            let replaced = found.replaced.map { Keyring.Loss($0, in: group.name) }
            report.replacedTokens += replaced
            report.problems += replaced.map(\.text)
            report.notedLosses += (try? losses(in: group)) ?? []
            // Of what does not open it is told above.
            report.orphans += (try? orphans(in: group)) ?? []
            if let decisions = try? keyring.groups.foreignDecisions(&state, group) {
                report.foreignDecisions += decisions
            }
            if let milestone = try? database.state(of: group.keys).milestone { note(&state, [milestone]) }
        }
        let strays = try database.strayRowCount(groups: state.vault.groups.map(\.keys.group))
        if strays > 0, !state.vault.hasGroupsBeyondReach {
            let place = database.place == .embedded ? "keyring.db" : "Secret Service"
            report.problems.append("\(place): \(strays) records belong to no group of the vault")
        }
        report.headerProblems = try headerProblems(state.vault)
        report.problems += report.headerProblems
        report.findings = state.findings
        return report
    }

    /// What is left of accounts that were removed, in the groups within reach.
    ///
    /// - Throws: `damaged`, and what opening can throw.
    public func orphans() throws(KeyringError) -> [Keyring.Orphans] {
        try withState { state in try state.vault.groups.flatMap(orphans(in:)) }
    }

    private func orphans(in group: UnlockedVault.Group) throws -> [Keyring.Orphans] {
        var (items, present, tokens) = (GroupItems(), Set<String>(), [String: Int]())
        // Removed accounts are few: only what is of one of them is kept in mind.
        _ = try database.forEachItem(in: group) { result, _ in
            guard let item = try? result.get().item else { return }
            if item.key.kind == .account {
                if item.isTombstone { items.insert(item) } else { present.formUnion(item.key.parts) }
            } else if let credential = item.content.credential, let account = item.key.account,
                credential.kind != .refreshToken || (credential.grant ?? Grant()).state == .active
            {
                tokens[account, default: 0] += 1
            }
        }
        // Where another program can delete an account's item, nothing else says that it is gone.
        let lost = tokens.filter { account, _ in
            database.place == .secretService && !present.contains(account)
                && items.items[ItemKey(.account, [account])] == nil
        }
        let left = try lost.merging(tokensOfRemoved(items, in: group)) { $1 }
        return left.sorted { $0.key < $1.key }.compactMap { account, count in
            AccountID(account).map { Keyring.Orphans(account: $0, group: group.name, tokens: count) }
        }
    }

    /// How many tokens are left of each account that was removed.
    private func tokensOfRemoved(_ items: GroupItems, in group: UnlockedVault.Group) throws -> [String: Int] {
        guard !items.items.isEmpty else { return [:] }
        var found = items
        _ = try database.forEachItem(in: group) { result, _ in
            guard let item = try? result.get().item, item.content.credential != nil, let account = item.key.account,
                items.items[ItemKey(.account, [account])] != nil
            else { return }
            found.insert(item)
        }
        return found.orphans.reduce(into: [:]) { counts, key in
            if let account = key.account { counts[account, default: 0] += 1 }
        }
    }

    /// What is wrong with the header and its copies, one line each.
    ///
    /// - Throws: `damaged`, `busy`.
    public func headerProblems() throws(KeyringError) -> [String] {
        try withState { state in try headerProblems(state.vault) }
    }

    private func headerProblems(_ vault: borrowing UnlockedVault) throws -> [String] {
        if try database.storedHeader().isFromCopy { return ["keyring.db: the header is damaged; its copy is used"] }
        // To the key of one group neither is authentic.
        guard vault.opensWholeVault else { return [] }
        // Between a change of the header and its copy's there is a moment.
        try? database.repairHeaderCopy(vault)
        let path = database.directory.headerCopy
        switch try database.headerCopy() {
        case .current: return []
        case .behind: return ["\(path) is of an earlier version than the header in keyring.db, whose copy it should be"]
        case .missing: return ["\(path), the copy of the header in keyring.db, is missing"]
        case .damaged: return ["\(path), the copy of the header in keyring.db, cannot be read"]
        }
    }

    /// Writes the header's copy where it is not what it should be; what keeps it from that is a warning, because the
    /// header itself is written.
    func seeToHeaderCopy(_ state: inout State) {
        guard state.vault.opensWholeVault else { return }
        do {
            try database.repairHeaderCopy(state.vault)
        } catch StoreError.unconfirmed {
            // It is there; what opens the vault next sees whether it has stayed.
        } catch {
            state.warn(
                Warning(
                    .headerCopy,
                    "the copy of the header, \(database.directory.headerCopy), could not be written: "
                        + "\(Self.reason(of: error)); what was done is done",
                    advice: .mendHeaderCopy))
        }
    }

    private static func reason(of error: any Error) -> String {
        switch error {
        case StoreError.diskFull: "the disk is full"
        case StoreError.notWritable: "permission denied, or a read-only disk"
        case StoreError.inputOutput(let number) where number != 0: KeyringError.text(ofErrno: number)
        default: KeyringError(error).message
        }
    }

    /// What keeps the vault from being changed, such as a disk that is mounted read-only; nil where nothing is known to.
    public var writeProblem: String? {
        guard database.place == .embedded else { return nil }
        for path in [database.directory.path, database.directory.database] {
            if let error = POSIXFile.errorOfWriting(path) { return "\(path): \(KeyringError.text(ofErrno: error))" }
        }
        return nil
    }

    /// Puts records that do not open aside, makes the manifests fit what is left, and writes a damaged
    /// header again from its copy; notes in each group what it has lost, until ``acceptLosses()``.
    ///
    /// - Parameter opener: What opens backups, which say more of what is lost.
    /// - Throws: `needsVaultKey`, and what writing can throw.
    public func repair(lookingInto opener: consuming BundleOpener? = nil) throws(KeyringError) -> Keyring.RepairReport {
        let backups: BackupHoldings
        if let opener = opener.take() {
            backups = try keyring.bundles.holdings(with: opener)
        } else {
            backups = BackupHoldings()
        }
        let now = clock.now
        let report = try changeVault { state in
            // A copy that lags behind may lack a group, whose records nobody knows then.
            let isBehind = try database.storedHeader().origin == .file
            try database.repairHeader(&state.vault, beyond: state.marks.sequence(of: nil))
            var (files, losses, takenOver): ([String], [Keyring.Loss], [Keyring.Loss]) = ([], [], [])
            for group in state.vault.groups {
                // What other processes have noted since this one read the marks counts too.
                let noted = (try? mark.marks(now: now).sequence(of: group.keys.group)) ?? 0
                let repair = try database.repair(
                    group.keys, sequence: state.vault.sequence,
                    seen: max(noted, state.marks.sequence(of: group.keys.group)), name: group.name.name, now: now
                ) { backups.naming($0, in: group.name) }
                files += repair.files
                losses += repair.losses.map { Keyring.Loss($0, in: group.name) }
                takenOver += repair.takenOver.map { Keyring.Loss($0, in: group.name) }
            }
            if !isBehind {
                let strays = try database.putStrayRowsAside(
                    groups: state.vault.groups.map(\.keys), sequence: state.vault.sequence, now: now)
                files += strays.files
                losses += strays.losses.map { Keyring.Loss($0, in: state.vault.groups[0].name) }
            }
            return Keyring.RepairReport(files: files, losses: losses, takenOver: takenOver)
        }
        // What was put aside comes back from what was told.
        if !report.losses.isEmpty { try keyring.sync.readAgain() }
        // Outside: what was repaired is left as it is.
        keyring.undo.noteOutside(.repaired, as: "doctor --repair")
        return report
    }

    /// Makes the schema of a vault's database Keyfob's again.
    ///
    /// Another program may have put triggers, views, indices or tables there, and nothing is read beside them. It needs
    /// no key; the rows of Keyfob's own tables stay as they are.
    ///
    /// - Returns: What was done, for people; nil where nothing had to be.
    /// - Throws: `noVault`, `configuration`, `busy`, `diskFull`, `inputOutput`, and `damaged` for a table of Keyfob's that
    ///   is not as it should be, where nothing was changed.
    public static func mendSchema(at location: KeyringLocation) throws(KeyringError) -> String? {
        try KeyringError.translating {
            let directory = VaultDirectory(path: location.vault)
            return try StoragePlaceFile.read(directory) == nil ? VaultDatabase.mendSchema(directory) : nil
        }
    }

    /// Whether this process can keep secrets out of swap.
    public static var canLockMemory: Bool { MemoryLock.isPossible() }
}
