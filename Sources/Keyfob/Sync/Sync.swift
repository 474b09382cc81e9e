internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSync
internal import KeyfobVault

extension Keyring {
    /// Sync with other devices over a folder, a git repository, a place of rclone's, or etcd.
    ///
    /// ## Topics
    /// - ``run(network:)``
    /// - ``SyncAccess``
    public struct Sync: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring.Sync {
    /// Where the files of the sync lie, as people named it.
    ///
    /// - Throws: as ``run(through:)``.
    public func remote() throws(KeyringError) -> String { try openSession().state.remote }

    /// What is known of the sync.
    ///
    /// - Parameter folder: Where the files lie on this machine, to see who asks to be let in; nil not to look there.
    /// - Throws: `configuration`, `needsVaultKey`.
    public func status(through folder: String? = nil) throws(KeyringError) -> SyncStatus {
        try withSession { session in
            try status(session, folder.flatMap { try? SyncFolder($0) })
        }
    }

    /// Which device of the sync changed an account last; nil where this one did, or there is no sync.
    ///
    /// - Throws: what reading can throw.
    public func origin(of account: AccountID, in group: AccessGroup) throws(KeyringError) -> String? {
        guard isSetUp, let session = try? openSession(), let roster = session.roster else { return nil }
        let key = ItemKey.account(account)
        var number: UInt64?
        try withState { state in
            let group = try state.group(group)
            if let items = try database.items(in: group, with: [key]) {
                number = items.first { $0.item.key == key }?.item.version.device
                return
            }
            _ = try database.forEachItem(in: group) { result, _ in
                if let found = try? result.get(), found.item.key == key { number = found.item.version.device }
            }
        }
        guard let number, number != session.identity.device.number,
            let member = roster.members.values.first(where: { $0.device.number == number })
        else { return nil }
        return session.name(of: member.device.id)
    }

    func status(_ session: borrowing SyncSession, _ folder: SyncFolder?) throws -> SyncStatus {
        let groups = try withVault { $0.vault.groups.map(\.name) }
        return SyncStatus(session, groups, requests: folder.map { requests($0, session) } ?? [])
    }

    /// The words of those who ask to be let in: of very many, a few.
    private func requests(_ folder: SyncFolder, _ session: borrowing SyncSession) -> [String] {
        guard let members = session.roster?.members else { return [] }
        var words: [String] = []
        for id in folder.devices().filter({ members[$0] == nil && $0 != session.own }).prefix(Self.lookLimit) {
            guard words.count < Self.requestLimit else { break }
            if Self.request(of: id, folder) != nil { words.append(id.words) }
        }
        return words
    }

    private static let requestLimit = 16
    private static let lookLimit = 256
}

extension SyncStatus {
    init(_ session: borrowing SyncSession, _ groups: [AccessGroup], requests: [String] = []) {
        let state = session.state
        let roster = session.roster
        let members = roster?.members ?? [:]
        let own = session.own
        let names = Dictionary(
            ([own] + state.peers.keys + members.keys).map { ($0, session.name(of: $0)) }, uniquingKeysWith: { $1 })
        func title(_ id: SyncDeviceID) -> String { names[id] ?? id.words }
        func device(_ id: SyncDeviceID) -> Device {
            let scope = members[id]?.scope ?? .none
            let peer = state.peers[id]
            return Device(
                words: id.words, name: id == own ? state.name : state.name(of: id), sharesAll: scope == .whole,
                groups: state.sync.map { sync in groups.filter { scope.contains(state.tag(of: $0, in: sync)) } } ?? [],
                approver: members[id]?.approver.map(title), seen: peer?.time,
                sequence: (id == own ? state.own?.head : peer?.head)?.mark.sequence ?? 0,
                arrived: id == own ? nil : peer?.arrived, isRevoked: members[id]?.revocation != nil,
                hasLeft: members[id]?.hasLeft == true)
        }
        remote = SyncComplaint.harmless(state.remote)
        self.own = device(own)
        ownFolder = "devices/" + own.hexadecimal
        otherFolders = (roster?.active ?? []).map(\.device.id).filter { $0 != own }.map { "devices/" + $0.hexadecimal }
        devices = members.keys.filter { $0 != own }.sorted().map(device)
        self.requests = requests
        findings = state.findings.map { finding in
            Finding(
                kind: finding.kind.rawValue, device: finding.device.words,
                text: finding.text(
                    title(finding.device), isOwn: finding.device == own,
                    group: finding.group.flatMap { state.groups[$0]?.name }),
                since: finding.time, remedy: finding.remedy)
        }
        last = state.last
        if session.isRevoked {
            self.state = session.isLeaving ? .leaving : .revoked
        } else if state.roots.isEmpty {
            self.state = .untrusting
        } else {
            self.state = session.isShutOut ? .shutOut : roster?.isActive(own) == true ? .member : .waiting
        }
    }
}

extension SyncFinding {
    /// What ends it; nil where that happens by itself, or on the other machine.
    fileprivate var remedy: SyncStatus.Finding.Remedy? {
        kind == .diverged ? .repair : kind.stays ? .accept : nil
    }

    /// One sentence.
    fileprivate func text(_ name: String, isOwn: Bool, group: AccessGroup?) -> String {
        switch kind {
        case .rolledBack:
            "\(name) shows state \(found), although state \(seen) was seen: somebody has put an old one in its place"
        case .forked:
            "\(name) has two histories: two machines have its keys, and nothing is taken from it"
        case .forged: "what is there of \(name) is not signed by it: somebody else has written it"
        case .altered: "what is there of \(name) has not opened for a while: it was altered, or cut short for good"
        case .replaced: "a file of \(name) is not the one that it signed"
        case .malformed:
            "what \(name) has signed is no state of a device that shares these groups; nothing is taken from it"
        case .cloned: "another machine uses the keys of this one, or this vault was taken back to an earlier state"
        case .missing: "nothing of \(name) is there, although state \(seen) was seen"
        case .incomplete: "a file of \(name) is not whole or not there yet"
        case .withheld:
            "another device has seen state \(seen) of \(name), and here is state \(found): not here yet, or withheld"
        case .disputed: "another device has seen another state \(seen) of \(name) than is seen here"
        case .mistaken:
            "\(name) says that it has seen state \(seen) of this device, which has written state \(found) and no such one"
        case .diverged:
            isOwn
                ? "group '\(group?.name ?? "")' has changed here since it was told, and nothing has written that down: the vault was altered"
                : "\(name) has taken in the same changes of group '\(group?.name ?? "")' as this machine, and holds something else"
        case .newer: "\(name) has a newer Keyfob, whose files this one does not read: update it"
        case .apart:
            "\(name) has begun another sync at this place: of two that 'init' makes, one is to be left and joined"
        case .closed: "\(name) writes nothing for this device: it has not approved it yet, or has revoked it"
        }
    }
}
