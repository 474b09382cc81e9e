public import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

/// What a machine of the sync could reach, for whoever has lost it.
public struct LostMachine: Hashable, Sendable {
    /// The machine, as the sync knows it.
    public let device: SyncStatus.Device
    /// The groups of this vault that it shares, or shared until it was revoked.
    public let groups: [AccessGroup]
    /// What it could use, by group and account.
    public let holdings: [Holding]
    /// What it has decided for all machines, such as bindings, which goes with it.
    public let decisions: [String]

    /// Something of an account that the machine has, or may have.
    public struct Holding: Hashable, Sendable {
        /// The account's group.
        public let group: AccessGroup
        /// Whose it is.
        public let account: Account
        /// The client of a sign-in; nil for a token that was added by hand, and for a name alone.
        public let clientID: String?
        /// What the machine has of it.
        public let kind: Kind
        /// Where a person sees at the provider what it takes, and ends it; nil where no such page is known.
        public let page: String?
    }

    /// What a machine has of an account.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The refresh token that all machines share: 'logout' here ends it everywhere.
        case sharedSignIn
        /// The name, and that there is a sign-in: the machine may have made one of its own.
        case ownSignIn
        /// The name: a token that was added here by hand stays here, but may have been added there too.
        case tokenByHand
        /// The name: it may have a token or a sign-in of its own, of which nothing is known here.
        case name
    }

    /// Whether it takes part no more because another machine has revoked it.
    public var isRevoked: Bool { device.isRevoked && !device.hasLeft }
}

extension Keyring.Sync {
    /// What a machine of the sync could reach.
    ///
    /// Of one that was revoked, what it could until then.
    ///
    /// - Parameter name: What it calls itself, its words, or the first of them.
    /// - Throws: `usage` for a name that no machine has, with the names that there are, and for this one's own; `ambiguous`,
    ///   `configuration`, `needsVaultKey`.
    public func reach(of name: String) throws(KeyringError) -> LostMachine {
        try withSession { session in
            guard let sync = session.state.sync, let roster = session.roster else {
                throw KeyringError(.configuration, "this device was not let into the sync yet", advice: .synchronise)
            }
            let id = try Self.device(name, session, roster)
            guard id != session.own else {
                throw KeyringError(
                    .usage, "\(session.name(of: id)) is this machine: what another one has is listed on this one",
                    advice: .showSync)
            }
            let status = try status(session, nil)
            guard let device = status.devices.first(where: { $0.words == id.words }) else {
                throw KeyringError(.usage, "no device of the sync is called '\(name)'", advice: .showSync)
            }
            var scope = roster.members[id]?.scope ?? .none
            if scope.isEmpty { scope = Self.formerScope(of: id, session, sync) }
            let groups = try withVault { $0.vault.groups.map(\.name) }
                .filter { scope.contains(session.state.tag(of: $0, in: sync)) }
            return LostMachine(
                device: device, groups: groups, holdings: try holdings(in: groups),
                decisions: try decisions(in: groups) { roster.holder(of: $0) == id })
        }
    }

    /// What was decided in some groups by the vaults of which `isMeant` says so, one line each.
    private func decisions(in groups: [AccessGroup], by isMeant: (UInt64) -> Bool) throws -> [String] {
        try withVault { state in
            var found: [String] = []
            for name in groups {
                let names = Set(
                    try settings(of: try state.group(name)) {
                        SyncTravel.travels($0.key) && !$0.isTombstone && isMeant($0.version.device)
                    }.compactMap(\.item.key.parts.first))
                guard !names.isEmpty else { continue }
                found += try database.settings(prefixes: [""], in: try state.group(name).keys).items.map(\.value)
                    .filter { names.contains($0.name) }
                    .map { "\(GroupDecision($0, in: name).text) (group '\(name)')" }
            }
            return found.sorted()
        }
    }

    /// What a device shared before it was revoked; all where nobody knows any more.
    private static func formerScope(
        of id: SyncDeviceID, _ session: borrowing SyncSession, _ sync: SyncID
    ) -> SyncScope {
        let state = session.state
        let said = state.statements.filter { !($0.isRevocation && $0.subject == id) }
        let before = SyncRoster(
            roots: state.roots.compactMap { root in root.device.map { ($0, root.scope) } }, statements: said, in: sync,
            own: session.own)
        guard let scope = before.members[id]?.scope, !scope.isEmpty else { return .whole }
        return scope
    }

    /// What of the accounts in some groups goes to whoever shares these.
    func holdings(in groups: [AccessGroup]) throws -> [LostMachine.Holding] {
        let travel = SyncTravel(own: 0, others: [])
        return try withVault { state in
            var found: [LostMachine.Holding] = []
            for name in groups {
                let group = try state.group(name)
                var (accounts, credentials): ([AccountID: Account], [(Credential, Bool)]) = ([:], [])
                _ = try database.forEachItem(in: group) { result, _ in
                    guard let record = try? result.get(), !record.item.isTombstone, !record.item.isThisDeviceOnly
                    else { return }
                    if case .account(let account) = record.item.content { accounts[account.id] = account }
                    guard let credential = record.item.content.credential else { return }
                    let shares = travel.leaving(record.item, hasSecret: record.hasSecret)?.hasSecret ?? false
                    credentials.append((credential, shares))
                }
                for account in accounts.values.sorted(by: { $0.id.canonical < $1.id.canonical }) {
                    let own = credentials.filter { $0.0.account == account.id }
                    let held = own.compactMap { Self.holding($0.0, isShared: $0.1, account, name) }
                    let nameAlone = LostMachine.Holding(
                        group: name, account: account, clientID: nil, kind: .name,
                        page: TokenPage.of(account.id.environment, isAddedByHand: true)?.url)
                    found += held.isEmpty ? [nameAlone] : Array(Set(held)).sorted { $0.order < $1.order }
                }
            }
            return found
        }
    }

    private static func holding(
        _ credential: Credential, isShared: Bool, _ account: Account, _ group: AccessGroup
    ) -> LostMachine.Holding? {
        let isByHand = credential.clientID == Credential.noClient
        let kind: LostMachine.Kind
        if isShared {
            kind = .sharedSignIn
        } else if isByHand {
            kind = .tokenByHand
        } else if credential.kind == .refreshToken, let grant = credential.grant, grant.latestEpoch > 0 {
            // A sign-out here ends this machine's own token: the other machine's may live on.
            kind = .ownSignIn
        } else {
            return nil
        }
        return LostMachine.Holding(
            group: group, account: account, clientID: isByHand ? nil : credential.clientID, kind: kind,
            page: TokenPage.of(account.id.environment, isAddedByHand: isByHand)?.url)
    }
}

extension LostMachine.Holding {
    fileprivate var order: String { "\(kind.rawValue) \(clientID ?? "")" }
}
