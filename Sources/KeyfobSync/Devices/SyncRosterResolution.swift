internal import KeyfobVault

/// How a ``SyncRoster`` comes about: revocations are taken one by one, those first whose signer trust reaches first.
struct SyncRosterResolution {
    private let roots: [(device: SyncDevice, scope: SyncScope)]
    private let approvals: [Approval]
    private let own: SyncDeviceID
    private var pending: [SyncStatement]
    private let ofOwn: [SyncStatement]
    /// The revocations that count.
    private(set) var accepted: [SyncStatement] = [] {
        didSet { against = Dictionary(grouping: accepted, by: \.subject) }
    }
    private var against: [SyncDeviceID: [SyncStatement]] = [:]
    /// Who is or was in; none of them is marked as revoked.
    private(set) var members: [SyncDeviceID: SyncRoster.Member] = [:]

    private struct Approval {
        let statement: SyncStatement
        let hash: [UInt8]
        let device: SyncDevice
        let scope: SyncScope
    }

    /// - Parameter said: What ``signed(_:_:_:)`` gave.
    init(roots: [(device: SyncDevice, scope: SyncScope)], said: [SyncStatement], own: SyncDeviceID) {
        (self.roots, self.own) = (roots, own)
        let inOrder = said.sorted(by: Self.isEarlier)
        approvals = inOrder.compactMap { statement in
            guard case .approval(let device, let scope) = statement.content, statement.signer != statement.subject
            else { return nil }
            return Approval(statement: statement, hash: statement.hash, device: device, scope: scope)
        }
        // Who revokes itself leaves.
        let revocations = inOrder.filter(\.isRevocation)
        pending = revocations.filter { $0.subject != own }
        ofOwn = revocations.filter { $0.subject == own }
    }

    /// The statements that are signed by whom they name; an id stands for one device alone.
    static func signed(
        _ statements: [SyncStatement], _ roots: [(device: SyncDevice, scope: SyncScope)], _ sync: SyncID
    ) -> [SyncStatement] {
        var devices: [SyncDeviceID: SyncDevice] = [:]
        for statement in statements {
            if case .approval(let device, _) = statement.content { devices[statement.subject] = device }
        }
        for (device, _) in roots { devices[device.id] = device }
        return statements.filter { statement in
            devices[statement.signer].map { statement.signed.isSigned(by: $0, as: .statement, in: sync) } ?? false
        }
    }

    /// An order of statements that does not depend on how they came.
    static func isEarlier(_ left: SyncStatement, _ right: SyncStatement) -> Bool {
        if left.time != right.time { return left.time < right.time }
        return left.signed.signature.lexicographicallyPrecedes(right.signed.signature)
    }

    mutating func run() {
        members = closure()
        while true {
            if let index = accepted.firstIndex(where: { !stands($0) }) {
                // It is not considered again, so that this ends.
                accepted.remove(at: index)
            } else if let index = next() {
                accepted.append(pending.remove(at: index))
            } else {
                // Only in the end, so that nobody is crowded out by those who go.
                members = closure(limit: SyncRoster.deviceLimit)
                return
            }
            members = closure()
        }
    }

    /// Whether this device was revoked by one that counts.
    var isOwnRevoked: Bool { ofOwn.contains { stands($0) && isCovered($0) } }

    /// Whether a statement does not count any more: a revocation of its signer does not name it.
    ///
    /// A revocation stands where any of others names it, and where nobody has revoked a signer who left, where all that it said
    /// in leaving name it; an approval where all name it.
    /// Who revokes a device stays also where that one had let it in.
    func isVoid(_ statement: SyncStatement) -> Bool {
        guard let against = against[statement.signer] else { return false }
        let hash = statement.hash
        func isNamed(_ revocation: SyncStatement) -> Bool {
            guard case .revocation(_, let kept) = revocation.content else { return false }
            return kept.contains(hash)
        }
        if statement.isRevocation {
            let others = against.filter { $0.signer != $0.subject }
            guard others.isEmpty else { return !others.contains(where: isNamed) }
            // Who has kept the keys of a device that left decides nothing with them.
            return statement.signer != statement.subject && !against.allSatisfy(isNamed)
        }
        return !against.allSatisfy { isNamed($0) || $0.signer == statement.subject }
    }

    private func stands(_ statement: SyncStatement) -> Bool { members[statement.signer] != nil && !isVoid(statement) }

    /// Whether the signer has all groups of the device.
    private func isCovered(_ statement: SyncStatement) -> Bool {
        guard let signer = members[statement.signer] else { return false }
        return signer.scope.covers(members[statement.subject]?.scope ?? .none)
    }

    private func next() -> Int? {
        func rank(_ statement: SyncStatement) -> Int {
            statement.signer == own ? -1 : members[statement.signer]?.depth ?? .max
        }
        return pending.indices
            .filter { members[pending[$0].subject] != nil && stands(pending[$0]) && isCovered(pending[$0]) }
            .min { (rank(pending[$0]), $0) < (rank(pending[$1]), $1) }
    }

    /// Whom the approvals that count let in, level by level.
    private func closure(limit: Int = .max) -> [SyncDeviceID: SyncRoster.Member] {
        var members: [SyncDeviceID: SyncRoster.Member] = [:]
        for (device, scope) in roots { members[device.id] = SyncRoster.Member(device: device, scope: scope) }
        let revoked = Set(accepted.map(\.subject))
        let counting = accepted.isEmpty ? approvals : approvals.filter { !isVoid($0.statement) }
        var room = limit - members.keys.count { !revoked.contains($0) }
        // Under whose responsibility a device is in: the first that shares some groups alone, on the way to it.
        var sponsors: [SyncDeviceID: SyncDeviceID] = [:]
        var sponsored: [SyncDeviceID: Int] = [:]
        for depth in 1... {
            let before = members
            var isChanged = false
            for approval in counting {
                let (id, by) = (approval.statement.subject, approval.statement.signer)
                guard let signer = before[by] else { continue }
                let granted = signer.scope.intersection(approval.scope)
                let known = members[id]
                if granted.isEmpty || known?.scope.covers(granted) == true { continue }
                // What is approved for all groups is so for as many as this vault trusts its signer with.
                let isUnlimited = granted == .whole || approval.scope == .whole && sponsors[by] == nil
                let sponsor = isUnlimited ? nil : sponsors[by] ?? id
                if known == nil, !revoked.contains(id) {
                    let isWithin =
                        sponsor.map { $0 == id || sponsored[$0, default: 0] < SyncRoster.partialLimit } ?? true
                    guard id == own || room > 0 && isWithin else { continue }
                    room -= 1
                    if let sponsor, sponsor != id { sponsored[sponsor, default: 0] += 1 }
                }
                var member = known ?? SyncRoster.Member(device: approval.device, scope: .none, depth: depth)
                member.scope = member.scope.union(granted)
                if known == nil {
                    (member.approver, member.approved) = (by, approval.statement.time)
                    sponsors[id] = sponsor
                }
                members[id] = member
                isChanged = true
            }
            if !isChanged { break }
        }
        return members
    }
}
