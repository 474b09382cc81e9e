internal import KeyfobModel
internal import KeyfobSync

/// What taking a bundle in did, or would do, item by item.
public struct ImportPlan: Hashable, Sendable {
    /// One item.
    public struct Line: Hashable, Sendable, CustomStringConvertible {
        /// The group it is in.
        public let group: AccessGroup
        /// `account`, `grant`, `idToken`, `accessToken`, `appMetadata`, `clientSecret`, `setting` or
        /// `foreign`.
        public let kind: String
        /// What people call it.
        public let item: String
        /// The id of the account that it is, or is of; nil for what is no account's.
        package let account: String?
        /// The user name of an account that goes.
        package let username: String?
        /// `added`, `changed`, `kept`, `removed` or `refused`.
        public let outcome: String
        /// Why it was kept or refused, as a word for programs.
        public let reason: String?
        /// The fields that change.
        public let fields: [String]
        /// Whether it is a setting that decides whose token goes where.
        package let isDecision: Bool
        /// One line for people.
        public let description: String
    }

    /// Something that a person should know.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// A word for programs: `sameLabel`, `forkedGrant`, `accountInSeveralGroups`, `settingOfDeletedAccount`,
        /// `deletedAndChanged`, `signedInButDeleted`, `sameVersion` or `farAhead`.
        public let name: String
        /// One sentence.
        public let description: String
    }

    /// How many ``lines`` there are at most of items that are the same on both sides, and of others; and ``conflicts``.
    public static let lineLimit = 10_000

    /// How it is taken in.
    public let mode: Keyring.ImportMode
    /// The bundle.
    public let source: BundleSummary
    /// The items of the bundle, and in a replacement those that go; of very many, some.
    public let lines: [Line]
    /// How many items there are besides ``lines``.
    public let moreLines: Int
    /// What a person should know.
    public let conflicts: [Finding]
    /// How many findings there are besides ``conflicts``.
    public let moreConflicts: Int
    /// The groups that are made.
    public let newGroups: [AccessGroup]
    /// Groups of the vault that a replacement leaves as they are, because the bundle has none of the name.
    public internal(set) var keptGroups: [AccessGroup]
    /// The backup that was made before.
    public internal(set) var backup: String?
    /// Whether what is replaced goes to the other machines of a sync, and wins over what they knew before.
    public let travels: Bool

    /// How many items were not taken in because they were removed long ago, on whichever machine of the sync.
    let returnedCount: Int
    private let tallies: [ImportTally.Entry: Int]

    /// How many items have each outcome.
    public var counts: [String: Int] {
        tallies.reduce(into: [:]) { $0[$1.key.outcome, default: 0] += $1.value }
    }

    /// How many items of some kinds have an outcome, but for what was deleted there and is not here.
    public func count(of kinds: Set<String>, _ outcome: String) -> Int {
        tallies.reduce(0) { sum, entry in
            let isMeant = kinds.contains(entry.key.kind.rawValue) && entry.key.outcome == outcome
            return isMeant && entry.key.reason != MergeOutcome.KeptReason.deletedThere.rawValue
                ? sum + entry.value : sum
        }
    }

    /// How many items were left out because they decide whose token goes where: all, also those without a line.
    public var leftOutDecisionCount: Int {
        tallies.reduce(0) {
            $1.key.reason == MergeOutcome.RefusalReason.decision.rawValue ? $0 + $1.value : $0
        }
    }

    /// What was left out because it decides whose token goes where.
    public var leftOutDecisions: [Line] { lines.filter { $0.reason == "decision" } }

    /// Whether nothing changes.
    public var isEmpty: Bool {
        newGroups.isEmpty && counts.keys.allSatisfy { ["kept", "refused"].contains($0) }
    }
}

extension ImportPlan.Line {
    init(_ place: ItemPlace, _ outcome: MergeOutcome, username: String? = nil) {
        group = place.group
        account = place.key.account
        self.username = username
        kind = place.key.kind.rawValue
        item = place.key.description
        isDecision = place.key.kind == .setting && SettingWords.decision(place.key.parts.first ?? "") != nil
        self.outcome = outcome.name
        reason = outcome.reason
        if case .changed(let names) = outcome {
            fields = names.map { field in
                [.username, .displayName, .label, .formerNames, .proved, .content, .token, .state].contains(field)
                    ? field.name : field.name.hasPrefix("profile:") ? "profile" : "additional"
            }
        } else {
            fields = []
        }
        description = "group \(place.group): \(place.key): \(outcome)"
    }
}

extension ImportPlan {
    /// A plan with what was counted; before anything was, nothing.
    init(
        _ mode: Keyring.ImportMode, _ source: BundleSummary, _ tally: ImportTally = ImportTally(),
        newGroups: [AccessGroup], keptGroups: [AccessGroup], backup: String?, travels: Bool = false
    ) {
        self.init(
            mode: mode, source: source, lines: tally.lines, moreLines: tally.moreLines, conflicts: tally.findings,
            moreConflicts: tally.moreFindings, newGroups: newGroups, keptGroups: keptGroups, backup: backup,
            travels: travels,
            returnedCount: tally.returned, tallies: tally.counts)
    }

    /// The plan of an import with what was brought back before it.
    public func after(_ first: ImportPlan) -> ImportPlan {
        let added = Dictionary(grouping: first.lines.filter { $0.outcome == "added" }) {
            [$0.group.name, $0.kind, $0.item]
        }
        var tallies = tallies
        for (entry, count) in first.tallies where entry.outcome == "added" {
            tallies[entry, default: 0] += count
            var rest = count
            for other in tallies.keys where other.kind == entry.kind && other.outcome == "kept" {
                let part = min(rest, tallies[other] ?? 0)
                tallies[other, default: 0] -= part
                rest -= part
            }
        }
        return ImportPlan(
            mode: mode, source: source,
            lines: lines.map { line in added[[line.group.name, line.kind, line.item]]?.first ?? line },
            moreLines: moreLines, conflicts: conflicts, moreConflicts: moreConflicts, newGroups: newGroups,
            keptGroups: keptGroups, backup: backup, travels: travels, returnedCount: returnedCount,
            tallies: tallies.filter { $0.value > 0 })
    }
}
