internal import KeyfobAge
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSodium
internal import KeyfobSync
internal import KeyfobVault

extension Keyring.Sync {
    /// Takes in what other devices have written, and writes for them what is new here.
    ///
    /// Safe to be run by several processes and to be killed at any moment. What is wrong with one device stops what comes from
    /// it and nothing else.
    ///
    /// - Parameter folder: Where the files lie on this machine.
    /// - Throws: `configuration`, `rolledBack` where this device's keys are in use elsewhere, `needsVaultKey`, `busy`,
    ///   `noSuchFile`, and what writing can throw.
    public func run(through folder: String) throws(KeyringError) -> SyncReport {
        try withSession { session in
            let files = try SyncFolder(folder)
            var report = SyncReport(SyncStatus(session, []))
            session.state.findings.removeAll { !$0.kind.stays }
            let before = session.roster?.active.map(\.device.id) ?? []
            readHeads(&session, files)
            let members = session.roster?.members ?? [:]
            report.left = before.filter { $0 != session.own && members[$0]?.hasLeft == true }
                .map { session.name(of: $0) }
            let isOwnShown = try checkOwnHead(&session, files)
            noteOthers(&session, files)
            try askAgain(session, files)
            if let roster = session.roster, roster.isActive(session.own), !session.isRevoked {
                try noteGroups(&session)
                try noteLosses(&session)
                let groups = session.state.groups
                report.changedGroups = try removeGroups(&session)
                report.removedDecisions = try clearDecisions(&session)
                let unread = try merge(&session, roster, files, &report)
                report.changedGroups += Self.renamed(since: groups, session.state.groups)
                try publish(&session, roster, files, isOwnShown: isOwnShown, besides: unread, &report)
                session.state.unread = unread
            }
            session.state.last = clock.now
            report.status = try status(session, nil)
            return report
        }
    }

    /// Reads the heads of all devices that are trusted, and of those that they have approved.
    private func readHeads(_ session: inout SyncSession, _ files: SyncFolder) {
        var read: Set<SyncDeviceID> = []
        var heads: [SyncDeviceID: SyncHead] = [:]
        // Trusted by their words alone: the first head tells the keys and the sync.
        for (index, root) in session.state.roots.enumerated() where root.device == nil {
            let reading = SyncReading(of: root.id, nil, in: session.state.sync, files, with: session.identity)
            guard let head = reading.head, let sync = reading.sync else {
                for kind in reading.problems { session.state.note(SyncFinding(kind, root.id, at: clock.now)) }
                continue
            }
            session.state.sync = sync
            session.state.roots[index].device = head.device
            if !root.groups.isEmpty {
                session.state.roots[index].scope = .groups(Set(root.groups.map { SyncGroupTag($0, in: sync) }))
            }
            // Whom this device lets in learns by it of the one that a person trusts here.
            let approval = SyncStatement.Content.approval(head.device, session.state.roots[index].scope)
            session.state.statements.append(
                SyncStatement(approval, by: session.identity, in: sync, at: clock.now))
        }
        guard let sync = session.state.sync else { return }
        while let roster = session.roster {
            // Whom a head tells of may be wrong about others: theirs are read in turn.
            guard let next = roster.active.first(where: { !read.contains($0.device.id) && $0.device.id != session.own })
            else { break }
            let id = next.device.id
            read.insert(id)
            let reading = SyncReading(of: id, next.device, in: sync, files, with: session.identity)
            heads[id] = take(reading, of: id, &session)
            if let head = heads[id] { take(head.statements, sync, &session) }
        }
        takeGroups(heads, &session)
        compareGossip(heads, &session)
    }

    /// Takes note of what a device shows; nil where that does not follow from what was seen of it.
    private func take(_ reading: SyncReading, of id: SyncDeviceID, _ session: inout SyncSession) -> SyncHead? {
        let known = session.state.peers[id]
        let before = known?.beginsAnew == true ? nil : known?.head
        func note(_ kind: SyncFinding.Kind) {
            session.state.note(
                SyncFinding(
                    kind, id, at: clock.now, found: reading.head?.sequence ?? 0, seen: before?.mark.sequence ?? 0))
        }
        if isAltered(reading, of: id, &session) { note(.altered) }
        for kind in reading.problems.sorted(by: { $0.rawValue < $1.rawValue }) {
            // Who has just been let in has nothing there yet.
            if kind == .missing, before == nil { continue }
            note(kind)
        }
        guard let head = reading.head, let seen = reading.seen, !reading.problems.contains(.forked) else { return nil }
        switch before?.verdict(on: seen) ?? .newer {
        case .same: return head
        case .older:
            note(.rolledBack)
            return nil
        case .forked:
            note(.forked)
            return nil
        case .newer: break
        }
        guard !session.state.findings.contains(where: { $0.device == id && $0.kind == .forked }) else { return nil }
        if before != nil, let known, known.files.isContradicted(by: head.files) {
            note(.malformed)
            return nil
        }
        var peer = SyncState.Peer(head: seen, name: Self.shown(head.name), time: head.time, files: head.files)
        // What begins anew may begin to count anew.
        peer.merged = known?.beginsAnew == true ? [:] : known?.merged ?? [:]
        let own = Set(session.state.own?.files.map(\.group) ?? [])
        peer.acknowledged = (head.acknowledged[session.own] ?? [:]).filter { own.contains($0.key) }
        peer.arrived = clock.now
        for (tag, digest) in head.digests { peer.held[tag] = .init(vector: head.vector(of: tag), digest: digest) }
        peer.digestKeys = known?.digestKeys ?? [:]
        session.state.peers[id] = peer
        return head
    }

    /// Whether a head that does not open is the one that did not a while ago: nothing of it is on its way any more.
    private func isAltered(_ reading: SyncReading, of id: SyncDeviceID, _ session: inout SyncSession) -> Bool {
        guard let hash = reading.damage else {
            session.state.damaged[id] = nil
            return false
        }
        if let known = session.state.damaged[id], known.hash == hash {
            return clock.now.seconds - known.time.seconds >= Self.waitForHead
        }
        session.state.damaged[id] = SyncState.Damage(hash: hash, time: clock.now)
        return false
    }

    /// How long a head may be on its way, in seconds.
    private static let waitForHead: Int64 = 600

    /// The name of a device, where a terminal may see it.
    static func shown(_ name: String) -> String {
        Identifier.isAcceptable(name) && name.utf8.count <= 255 ? name : ""
    }

    /// Takes in what is said of who takes part, as far as it comes from members.
    private func take(_ statements: [SyncStatement], _ sync: SyncID, _ session: inout SyncSession) {
        let known = Set(session.state.statements.map(\.signed))
        var new = statements.filter { !known.contains($0.signed) }
        guard !new.isEmpty else { return }
        var taken: [SyncStatement] = []
        // One may be by somebody whom another lets in.
        while let members = session.roster(with: taken)?.members {
            let fitting = new.filter { statement in
                members[statement.signer].map {
                    statement.signed.isSigned(by: $0.device, as: .statement, in: sync)
                } ?? false
            }
            guard !fitting.isEmpty else { break }
            taken += fitting
            let signed = Set(fitting.map(\.signed))
            new.removeAll { signed.contains($0.signed) }
        }
        guard !taken.isEmpty, let roster = session.roster(with: taken) else { return }
        session.state.statements = roster.kept(of: session.state.statements + taken)
    }

    /// Compares what devices have seen of each other with what is seen here.
    private func compareGossip(_ heads: [SyncDeviceID: SyncHead], _ session: inout SyncSession) {
        guard let roster = session.roster else { return }
        for (teller, head) in heads.sorted(by: { $0.key < $1.key }) {
            // Of whom nothing is taken any more, nothing is missed.
            for (id, mark) in head.seen.sorted(by: { $0.key < $1.key }) where id == session.own || roster.isActive(id) {
                // What this device has forgotten of itself comes back in a moment.
                if id == session.own, session.state.resumes { continue }
                let peer = session.state.peers[id]
                let here = id == session.own ? session.state.own?.head : peer?.beginsAnew == true ? nil : peer?.head
                guard let here else { continue }
                let verdict = here.verdict(on: SeenHead(mark, previous: []))
                guard verdict == .newer || verdict == .forked else { continue }
                // Of this device nobody knows better: what another one says of it is that one's word and stops nothing.
                let isOwn = id == session.own
                let kind: SyncFinding.Kind = isOwn ? .mistaken : verdict == .newer ? .withheld : .disputed
                session.state.note(
                    SyncFinding(
                        kind, isOwn ? teller : id, at: clock.now, found: here.mark.sequence, seen: mark.sequence))
            }
        }
    }

    /// Compares what is there of this device with what it has written.
    ///
    /// - Returns: Whether it is what was written last.
    /// - Throws: `rolledBack` where it is not from here.
    private func checkOwnHead(_ session: inout SyncSession, _ files: SyncFolder) throws -> Bool {
        guard let sync = session.state.sync else { return false }
        let id = session.own
        let reading = SyncReading(of: id, session.identity.device, in: sync, files, with: session.identity)
        let own = session.state.own
        var isShown = false
        if let seen = reading.seen {
            let verdict = own.map { $0.head.verdict(on: seen) } ?? .newer
            switch verdict {
            case .same:
                isShown = true
                session.state.resumes = false
                session.state.own?.isConfirmed = true
            case .older where own?.isConfirmed == true:
                session.state.resumes = false
                session.state.note(
                    SyncFinding(
                        .rolledBack, id, at: clock.now, found: seen.mark.sequence, seen: own?.head.mark.sequence ?? 0))
            case .older: break
            case .newer where session.state.resumes:
                resume(from: reading.head, seen, &session)
                isShown = true
            case .newer, .forked:
                session.state.note(
                    SyncFinding(
                        .cloned, id, at: clock.now, found: seen.mark.sequence, seen: own?.head.mark.sequence ?? 0))
            }
        } else if own?.isConfirmed == true, reading.problems.contains(.missing) {
            session.state.note(SyncFinding(.missing, id, at: clock.now, seen: own?.head.mark.sequence ?? 0))
        }
        guard !session.state.findings.contains(where: { $0.kind == .cloned && $0.device == id }) else {
            throw KeyringError(
                .rolledBack,
                "another machine uses the keys of this one, or this vault was taken back to an earlier state",
                advice: .joinSyncAgain)
        }
        return isShown
    }

    /// Takes note of devices that began another sync at the same place: nobody would hear of them otherwise.
    private func noteOthers(_ session: inout SyncSession, _ files: SyncFolder) {
        guard let roster = session.roster, roster.isActive(session.own), roster.active.count == 1 else { return }
        let strangers = files.devices().filter { roster.members[$0] == nil }.prefix(Self.strangerLimit)
        for id in strangers where !files.heads(of: id).isEmpty {
            session.state.note(SyncFinding(.apart, id, at: clock.now))
        }
    }

    private static let strangerLimit = 16

    /// Writes the request to be let in once more where it is not there: what was to carry it may have refused it.
    private func askAgain(_ session: borrowing SyncSession, _ files: SyncFolder) throws {
        guard session.state.own == nil, !session.isRevoked, session.roster?.isActive(session.own) != true,
            files.request(of: session.own) == nil
        else { return }
        try Self.writeRequest(session, files)
    }

    /// Goes on from the head that this device is seen to have written last, in place of an older record of it.
    private func resume(from head: SyncHead?, _ seen: SeenHead, _ session: inout SyncSession) {
        guard let head, let sync = session.state.sync else { return }
        // Whom it has kept out since stays out.
        take(head.statements, sync, &session)
        session.state.own = SyncState.Own(head: seen, files: head.files, roster: [], isConfirmed: true)
        session.state.resumes = false
        session.state.readAgain()
    }
}
