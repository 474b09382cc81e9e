internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobVault

/// What was decided of programs in each group, as it was when it was last read: an agent looks at all of it for each request.
struct ProgramDecisions {
    private struct Place: Hashable {
        let group: GroupID
        let name: AccessGroup
    }

    private var version: StorageVersion?
    private var sequence: UInt64 = 0
    private var permissions: [Place: [ProgramPermission]] = [:]

    /// Forgets all where the vault has changed since: every commit of anybody's gives it another version.
    mutating func isAt(_ version: StorageVersion, _ sequence: UInt64) {
        guard version != self.version || sequence != self.sequence else { return }
        (self.version, self.sequence, permissions) = (version, sequence, [:])
    }

    subscript(group: UnlockedVault.Group) -> [ProgramPermission]? {
        get { permissions[Place(group: group.keys.group, name: group.name)] }
        set { permissions[Place(group: group.keys.group, name: group.name)] = newValue }
    }
}
