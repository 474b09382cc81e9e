internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobVault
internal import Synchronization

extension Keyring {
    /// Which program was handed which account's token, for which host, in which repository or folder, and when: shown for 30 days,
    /// sealed with the group's key, on this machine alone.
    ///
    /// It helps a person to find out what happened, and proves nothing: whoever has the group's key can write other uses, and
    /// whoever can write in the vault's folder can remove them. What an agent gives stands in its own log.
    ///
    /// ## Topics
    /// - ``list(in:)``
    /// - ``note(_:for:)``
    /// - ``isOn``
    /// - ``obstacle``
    /// - ``turnOff()``
    public struct Uses: KeyringPart {
        let keyring: Keyring
    }

    /// Which program was handed which account's token, for what, and when.
    public var uses: Uses { Uses(keyring: self) }

    /// A token that a program was handed.
    public struct Use: Hashable, Sendable {
        /// By which way a program came.
        public enum Door: String, Hashable, Sendable, CaseIterable {
            /// The command, which answered from what is stored before it began in full.
            case front
            /// The command.
            case command
            /// The library.
            case library
        }

        /// When.
        public let time: Timestamp
        /// By which way.
        public let door: Door
        /// The account's id; of a long one the beginning.
        public let account: String
        /// What the account is called now; nil for one that is not there any more.
        public let name: String?
        /// The group that the token is in.
        public let group: AccessGroup
        /// The name of the program; nil where it is not known.
        public let tool: String?
        /// The host that the token was for; nil where nobody said.
        public let host: String?
        /// The git repository, by its remote; nil where there was none.
        public let repository: String?
        /// The folder in which the program worked, where it was in no such repository and the account was not named.
        public let directory: String?
        /// Where the token came from.
        public let origin: FoundToken.Origin

        /// Whether it was a token of this account, under whatever id it had.
        public func isOf(_ account: Account) -> Bool {
            (account.formerIDs + [account.id]).contains { TokenUse.id($0) == self.account }
        }
    }
}

extension Keyring.Uses {
    /// For how many seconds the same use by this process is not noted again.
    private static let repetition: Int64 = 60

    private var folder: UseFolder { UseFolder(VaultDirectory(path: location.vault)) }

    /// Notes that this program was handed a token, for what the request says.
    ///
    /// ``Keyring/Tokens/acquireSilently(for:options:in:network:)``, ``Keyring/Tokens/acquire(_:)`` and
    /// ``Keyring/Tokens/stored(for:in:)`` do. Whatever goes wrong, nothing is noted and nothing is said. The same is noted once a
    /// minute.
    public func note(_ found: Keyring.FoundToken, for request: TokenRequest) {
        note(found, for: request, by: nil, door: .library) { CallingTool.ownProgram }
    }

    /// Notes that a token was handed out.
    ///
    /// - Parameters:
    ///   - tool: The name of the program; nil for the one of the request, or for what `program` says.
    package func note(
        _ found: Keyring.FoundToken, for request: TokenRequest, by tool: String?, door: Keyring.Use.Door,
        orElse program: () -> String? = { CallingTool.program }
    ) {
        guard !database.isReadOnly else { return }
        let now = clock.now.seconds
        let repeated = RecentUses.Use(
            account: found.account.id, group: found.group, tool: tool ?? request.context.tool,
            host: request.context.url?.host, directory: request.context.directory)
        guard keyring.recentUses.withLock({ $0.isFirst(repeated, at: now, within: Self.repetition) }) else { return }
        let origin: TokenUse.Origin =
            switch found.origin {
            case .stored: .stored
            case .extended: .extended
            case .provider: .provider
            }
        let form: TokenUse.Door =
            switch door {
            case .front: .front
            case .command: .command
            case .library: .library
            }
        let use = TokenUse(
            of: found.account.id, for: request, by: tool, orElse: program, door: form, origin: origin, at: now)
        let sealed = keyring.state.withLock { state in
            (try? state.group(found.group)).map { (record: $0.keys.seal(use), series: $0.keys.tokenUses) }
        }
        guard let sealed else { return }
        folder.append(sealed.record, to: sealed.series, at: now)
    }

    /// The uses in the groups, the oldest first, and how many records or files cannot be read, or stand there twice.
    ///
    /// What was noted before a group got its key is not among them, and is removed.
    public func list(in groups: [AccessGroup]? = nil) throws(KeyringError) -> (uses: [Keyring.Use], unreadable: Int) {
        let now = clock.now
        folder.prune(at: now.seconds)
        let names = try names(in: groups)
        return try withState { state in
            var (uses, unreadable) = ([Keyring.Use](), 0)
            for group in try state.groups(groups) {
                folder.clear(of: "\(group.keys.group)", before: group.keys.epoch)
                let (records, others) = folder.records(of: group.keys.tokenUses, at: now.seconds)
                unreadable += others
                var seen: Set<[UInt8]> = []
                for record in records {
                    // Nobody seals two with one nonce.
                    guard seen.insert(Array(record[..<24])).inserted, let use = group.keys.openTokenUse(record) else {
                        unreadable += 1
                        continue
                    }
                    guard use.time > now.seconds - UseFolder.days * 86_400 else { continue }
                    uses.append(Keyring.Use(use, names[use.account], group.name))
                }
            }
            // As they came, where several have one second.
            let order = uses.indices.sorted { (uses[$0].time.seconds, $0) < (uses[$1].time.seconds, $1) }
            return (order.map { uses[$0] }, unreadable)
        }
    }

    /// What accounts are called now, by what stands for them.
    private func names(in groups: [AccessGroup]?) throws(KeyringError) -> [String: String] {
        var names: [String: String] = [:]
        for candidate in try keyring.accounts.list(in: groups) {
            let name = keyring.accounts.shownName(of: candidate.account)
            for id in candidate.account.formerIDs + [candidate.account.id] { names[TokenUse.id(id)] = name }
        }
        return names
    }

    /// Whether uses are to be noted, in all groups of the vault on this machine.
    public var isOn: Bool { folder.isOn }

    /// Why none is noted although they are to be; nil where nothing is in the way.
    public var obstacle: String? { folder.obstacle.map { "\($0.path) \($0.reason)" } }

    /// Removes what was noted, of all groups, and notes nothing any more.
    ///
    /// - Returns: A folder that is left, because something else is in it.
    /// - Throws: `inputOutput`.
    @discardableResult
    public func turnOff() throws(KeyringError) -> String? {
        let left = try change { folder in try folder.turnOff() }
        keyring.undo.noteOutside(.usesRemoved, as: "log --off")
        return left
    }

    /// Notes uses from now on, which is so unless somebody has turned it off.
    ///
    /// - Throws: `inputOutput`.
    public func turnOn() throws(KeyringError) {
        try change { folder in try folder.turnOn() }
        keyring.undo.noteOutside(.usesNoted, as: "log --on")
    }

    private func change<Result>(_ body: (UseFolder) throws -> Result) throws(KeyringError) -> Result {
        do { return try body(folder) } catch { throw KeyringError(error) }
    }

    /// Removes what was noted under keys that the groups do not have any more, as far as that is possible.
    func forgetOldKeys() {
        for (group, epoch) in epochs { folder.clear(of: group, before: epoch) }
    }

    /// Removes what was noted of a group that is no more.
    func forget(_ group: GroupID) { folder.clear(of: "\(group)") }

    /// All files of the groups' present keys and of earlier ones.
    var files: [String] { epochs.flatMap { folder.files(of: $0.group) } }

    private var epochs: [(group: String, epoch: UInt32)] {
        keyring.state.withLock { state in state.vault.groups.map { ("\($0.keys.group)", $0.keys.epoch) } }
    }
}

extension Keyring.Use {
    fileprivate init(_ use: TokenUse, _ name: String?, _ group: AccessGroup) {
        time = Timestamp(seconds: use.time)
        door =
            switch use.door {
            case .front: .front
            case .command: .command
            case .library: .library
            }
        origin =
            switch use.origin {
            case .stored: .stored
            case .extended: .extended
            case .provider: .provider
            }
        (account, self.name, self.group) = (use.account, name, group)
        tool = use.tool.isEmpty ? nil : use.tool
        host = use.destination.isEmpty ? nil : use.destination
        switch use.place {
        case .unknown: (repository, directory) = (nil, nil)
        case .repository(let text): (repository, directory) = (text, nil)
        case .directory(let text): (repository, directory) = (nil, text)
        }
    }
}
