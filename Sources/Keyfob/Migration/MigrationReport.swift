internal import KeyfobDesktop
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// What a migration has moved, or would move.
    public struct MigrationReport: Hashable, Sendable {
        /// Where the records were, or are.
        public let from: StoragePlace
        /// Where they go.
        public let to: StoragePlace
        /// Whether nothing was written.
        public let isDryRun: Bool
        /// Whether they were there already, so that there was nothing to do.
        public var isThere: Bool { from == to }
        /// Each group's records.
        public let groups: [Group]
        /// How many items go that are the vault's and hold no record of it any more.
        public let removed: Int
        /// How many items were written later than what takes their place.
        public let newer: Int
        /// The groups that have slots of their own.
        ///
        /// Those do not open anything while the records lie with the Secret Service; they stay in the header and do
        /// again in a database.
        public let grants: [Grants]

        /// One group's records.
        public struct Group: Hashable, Sendable {
            /// Its name.
            public let name: AccessGroup
            /// How many records of each kind: `account`, `accessToken`, `refreshToken`, `idToken`, `appMetadata`,
            /// `clientSecret`, `setting`, `foreign`, `tombstone`, `journal`; kinds without any are left out.
            public let counts: [String: Int]
            /// How many of them are new there.
            public let added: Int
            /// How many are there as they are.
            public let kept: Int
            /// How many take the place of another version.
            public let replaced: Int
            /// How many there are.
            public var records: Int { added + kept + replaced }
        }

        /// The slots that open one group alone.
        public struct Grants: Hashable, Sendable {
            /// The group.
            public let group: AccessGroup
            /// How many it has.
            public let count: Int
        }

        /// How many records there are.
        public var records: Int { groups.reduce(0) { $0 + $1.records } }
    }
}

extension Keyring.MigrationReport {
    init(
        _ tally: MigrationTally, from: StoragePlace, to: StoragePlace, isDryRun: Bool,
        _ vault: borrowing UnlockedVault
    ) {
        self.from = from
        self.to = to
        self.isDryRun = isDryRun
        groups = tally.groups.map { group in
            let counts = group.kinds.map { (Self.name(of: $0.key), $0.value) }
            return Group(
                name: group.name, counts: Dictionary(counts) { $0 + $1 }, added: group.added, kept: group.kept,
                replaced: group.replaced)
        }
        removed = tally.removed
        newer = tally.newer
        var grants: [AccessGroup: Int] = [:]
        for slot in vault.slotSummaries { if let group = slot.group { grants[group, default: 0] += 1 } }
        self.grants = grants.sorted { $0.key < $1.key }.map { Grants(group: $0.key, count: $0.value) }
    }

    /// The records are at `place` already.
    init(at place: StoragePlace) {
        (from, to, isDryRun, groups, removed, newer, grants) = (place, place, false, [], 0, 0, [])
    }

    private static func name(of kind: RecordHeader.Kind) -> String {
        switch kind {
        case .account: "account"
        case .accessToken: "accessToken"
        case .refreshToken: "refreshToken"
        case .idToken: "idToken"
        case .appMetadata: "appMetadata"
        case .foreign: "foreign"
        case .setting: "setting"
        case .tombstone: "tombstone"
        case .clientSecret: "clientSecret"
        case .journal: "journal"
        }
    }
}
