package import KeyfobModel

/// Who takes part in a sync, as far as one vault trusts what was said: a pure function of what is known, in any order.
///
/// Trust begins at the devices whose words a person compared here. From there an approval reaches no further than its
/// signer. Only who has all groups of a device revokes it; of what a revoked device has said, nothing counts but the
/// statements that its revocation names. Where two revoke each other, the one that trust reaches first stays.
package struct SyncRoster: Sendable {
    /// The most statements that are kept.
    package static let statementLimit = 1_024
    /// The most bytes that the statements have which are kept.
    package static let statementSizeLimit = 1 << 20
    /// The most devices that take part, which is what an age file is encrypted for at most.
    package static let deviceLimit = 64
    /// How many devices one that shares some groups lets in at most, with those that they let in.
    package static let partialLimit = 8

    /// A device that takes part.
    package struct Member: Hashable, Sendable {
        /// The device.
        package let device: SyncDevice
        /// Which groups it shares; of a revoked one, none.
        package var scope: SyncScope
        /// How many approvals lie between it and a device whose words were compared here.
        package var depth = 0
        /// Who approved it; nil for one whose words were compared here.
        package var approver: SyncDeviceID?
        /// When it was approved, where it was.
        package var approved: Timestamp?
        /// Who revoked it, and when.
        package var revocation: Revocation?

        /// Whether it takes part no more because it said so itself.
        package var hasLeft: Bool { revocation?.revoker == device.id }

        /// By whom and when a device was revoked.
        package struct Revocation: Hashable, Sendable {
            /// Who did.
            package let revoker: SyncDeviceID
            /// When.
            package let time: Timestamp
        }
    }

    /// All that ever were members, by id, but for those whom nobody who counts has let in.
    package let members: [SyncDeviceID: Member]
    /// The revocations that count.
    package let revocations: [SyncStatement]
    /// Whether this device was revoked by one that counts.
    package let isOwnRevoked: Bool
    private let own: SyncDeviceID
    private let void: Set<[UInt8]>

    /// The members.
    ///
    /// - Parameters:
    ///   - roots: Those that a person trusts here, and for which groups.
    ///   - own: This device, which nobody revokes in its own eyes.
    package init(
        roots: [(device: SyncDevice, scope: SyncScope)], statements: [SyncStatement], in sync: SyncID, own: SyncDeviceID
    ) {
        let said = SyncRosterResolution.signed(statements, roots, sync)
        var resolution = SyncRosterResolution(roots: roots, said: said, own: own)
        resolution.run()
        var members = resolution.members
        for revocation in resolution.accepted.sorted(by: SyncRosterResolution.isEarlier) {
            guard members[revocation.subject]?.revocation == nil else { continue }
            members[revocation.subject]?.scope = .none
            members[revocation.subject]?.revocation = .init(revoker: revocation.signer, time: revocation.time)
        }
        self.members = members
        self.own = own
        revocations = resolution.accepted
        isOwnRevoked = resolution.isOwnRevoked
        void = Set(said.filter(resolution.isVoid).map(\.hash))
    }

    /// Those that take part now.
    package var active: [Member] {
        members.values.filter { $0.revocation == nil && !$0.scope.isEmpty }.sorted { $0.device.id < $1.device.id }
    }

    /// Whether a device takes part now.
    package func isActive(_ id: SyncDeviceID) -> Bool {
        members[id].map { $0.revocation == nil && !$0.scope.isEmpty } ?? false
    }

    /// For whom what is in a group is encrypted, or what all may read.
    package func readers(of group: SyncGroupTag?) -> [SyncDevice] {
        active.filter { member in group.map { member.scope.contains($0) } ?? true }.map(\.device)
    }

    /// Whose decisions those with this number are: of several devices that claim it, that of the one that was in first.
    package func holder(of number: UInt64) -> SyncDeviceID? {
        let claiming = active.filter { $0.device.number == number }
        if claiming.contains(where: { $0.device.id == own }) { return own }
        return claiming.min {
            ($0.depth, $0.approved?.seconds ?? 0, $0.device.id) < ($1.depth, $1.approved?.seconds ?? 0, $1.device.id)
        }?.device.id
    }
}

// What is kept of what was said: it goes into every head, and must leave room for what matters.
extension SyncRoster {
    /// How many statements of one device are kept.
    private func quota(of id: SyncDeviceID) -> Int {
        if id == own { return Self.statementLimit / 2 }
        return members[id]?.scope == .whole ? 192 : 32
    }

    private struct Matter: Hashable {
        let signer: SyncDeviceID
        let subject: SyncDeviceID
        let isRevocation: Bool
    }

    /// Of statements of which this is the roster, those that are kept: one of each device about each other of each kind,
    /// revocations first, so many of each device and no more bytes than a head has room for.
    package func kept(of statements: [SyncStatement]) -> [SyncStatement] {
        let named = Set(
            revocations.flatMap { statement -> Set<[UInt8]> in
                if case .revocation(_, let kept) = statement.content { kept } else { [] }
            })
        let counting = Set(revocations.map(\.hash))
        /// What goes first: the smaller number.
        func weight(_ statement: SyncStatement) -> Int {
            let hash = statement.hash
            if counting.contains(hash) { return 0 }
            if named.contains(hash) { return 1 }
            if void.contains(hash) { return 5 }
            guard members[statement.subject] != nil else { return 4 }
            return statement.isRevocation ? 2 : 3
        }
        var ranked: [(statement: SyncStatement, weight: Int, depth: Int)] = []
        for statement in statements {
            guard statement.signer == own || members[statement.signer] != nil else { continue }
            let depth = statement.signer == own ? -1 : members[statement.signer]?.depth ?? 0
            ranked.append((statement, weight(statement), depth))
        }
        ranked.sort { left, right in
            if left.weight != right.weight { return left.weight < right.weight }
            if left.depth != right.depth { return left.depth < right.depth }
            // The latest that a device says of another.
            return SyncRosterResolution.isEarlier(right.statement, left.statement)
        }
        var (seen, counts, size): (Set<Matter>, [SyncDeviceID: Int], Int) = ([], [:], 0)
        var chosen: Set<SignedBytes> = []
        for (statement, _, _) in ranked {
            let bytes = statement.signed.body.count + 128
            let matter = Matter(
                signer: statement.signer, subject: statement.subject, isRevocation: statement.isRevocation)
            guard chosen.count < Self.statementLimit, size + bytes <= Self.statementSizeLimit,
                counts[statement.signer, default: 0] < quota(of: statement.signer), seen.insert(matter).inserted
            else { continue }
            counts[statement.signer, default: 0] += 1
            size += bytes
            chosen.insert(statement.signed)
        }
        var given: Set<SignedBytes> = []
        return statements.filter { chosen.contains($0.signed) && given.insert($0.signed).inserted }
    }
}
