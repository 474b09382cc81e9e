package import KeyfobModel

/// Who takes part in a sync, as far as one vault trusts what was said: a pure function of what is known, in any order.
///
/// Trust begins at the devices whose words a person compared here. From there an approval reaches no further than its
/// signer, and a revocation takes along whom the revoked device had approved, unless it names them. Only who has all groups
/// of a device revokes it.
package struct SyncRoster: Sendable {
    /// The most statements that are kept.
    package static let statementLimit = 1_024
    /// The most devices, which is what an age file is encrypted for at most.
    package static let deviceLimit = 64

    /// A device that takes part.
    package struct Member: Hashable, Sendable {
        /// The device.
        package let device: SyncDevice
        /// Which groups it shares; of a revoked one, none.
        package var scope: SyncScope
        /// Who approved it; nil for one whose words were compared here.
        package var approver: SyncDeviceID?
        /// When it was approved, where it was.
        package var approved: Timestamp?
        /// Who revoked it, and when.
        package var revocation: Revocation?

        /// By whom and when a device was revoked.
        package struct Revocation: Hashable, Sendable {
            /// Who did.
            package let revoker: SyncDeviceID
            /// When.
            package let time: Timestamp
        }
    }

    /// All that ever were members, by id.
    package private(set) var members: [SyncDeviceID: Member] = [:]

    private struct Revocation {
        let device: SyncDeviceID
        let kept: Set<SyncDeviceID>
        let by: SyncDeviceID
        let time: Timestamp
    }

    /// The members.
    ///
    /// - Parameters:
    ///   - roots: Those that a person trusts here, and for which groups.
    ///   - own: This device, which nobody revokes in its own eyes.
    package init(
        roots: [(device: SyncDevice, scope: SyncScope)], statements: [SyncStatement], in sync: SyncID, own: SyncDeviceID
    ) {
        let all = Self.closure(roots, statements, [], sync)
        var revocations = Self.revocations(statements, all, sync).filter { $0.device != own }
        let left = Self.closure(roots, statements, revocations, sync)
        // Whom only a revoked device has let in revokes nobody.
        revocations.removeAll { left[$0.by] == nil }
        members = Self.closure(roots, statements, revocations, sync)
        for revocation in revocations.sorted(by: { ($0.time, $0.by) < ($1.time, $1.by) }) {
            guard members[revocation.device]?.revocation == nil else { continue }
            members[revocation.device]?.scope = .none
            members[revocation.device]?.revocation = .init(revoker: revocation.by, time: revocation.time)
        }
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

    private static func closure(
        _ roots: [(device: SyncDevice, scope: SyncScope)], _ statements: [SyncStatement], _ revocations: [Revocation],
        _ sync: SyncID
    ) -> [SyncDeviceID: Member] {
        var members: [SyncDeviceID: Member] = [:]
        for (device, scope) in roots { members[device.id] = Member(device: device, scope: scope) }
        let approvals = statements.compactMap { statement -> (SyncStatement, SyncDevice, SyncScope)? in
            guard case .approval(let device, let scope) = statement.content else { return nil }
            return (statement, device, scope)
        }.sorted { Self.isEarlier($0.0, $1.0) }
        var isChanged = true
        while isChanged {
            isChanged = false
            for (statement, device, scope) in approvals {
                let id = device.id
                guard let signer = members[statement.signer], statement.signer != id,
                    !revocations.contains(where: { $0.device == statement.signer && !$0.kept.contains(id) }),
                    members[id] != nil || members.count < deviceLimit
                else { continue }
                let granted = signer.scope.intersection(scope)
                let before = members[id]
                if let before, before.scope.covers(granted) { continue }
                guard statement.signed.isSigned(by: signer.device, as: .statement, in: sync) else { continue }
                var member = before ?? Member(device: device, scope: .none)
                member.scope = member.scope.union(granted)
                if before == nil { (member.approver, member.approved) = (statement.signer, statement.time) }
                members[id] = member
                isChanged = true
            }
        }
        return members
    }

    /// An order of statements that does not depend on how they came.
    private static func isEarlier(_ left: SyncStatement, _ right: SyncStatement) -> Bool {
        if left.time != right.time { return left.time < right.time }
        return left.signed.signature.lexicographicallyPrecedes(right.signed.signature)
    }

    private static func revocations(
        _ statements: [SyncStatement], _ members: [SyncDeviceID: Member], _ sync: SyncID
    ) -> [Revocation] {
        statements.compactMap { statement in
            guard case .revocation(let device, let kept) = statement.content, device != statement.signer,
                let signer = members[statement.signer], let target = members[device],
                signer.scope.covers(target.scope),
                statement.signed.isSigned(by: signer.device, as: .statement, in: sync)
            else { return nil }
            // Who says so stays, also where the revoked device had let it in.
            return Revocation(
                device: device, kept: kept.union([statement.signer]), by: statement.signer, time: statement.time)
        }
    }
}
