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
        /// `added`, `changed`, `kept`, `removed` or `refused`.
        public let outcome: String
        /// Why it was kept or refused, as a word for programs.
        public let reason: String?
        /// The fields that change.
        public let fields: [String]
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

    /// How it is taken in.
    public let mode: Keyring.ImportMode
    /// The bundle.
    public let source: BundleSummary
    /// The items of the bundle, and in a replacement those that go.
    public let lines: [Line]
    /// What a person should know.
    public let conflicts: [Finding]
    /// The groups that are made.
    public let newGroups: [AccessGroup]
    /// Groups of the vault that a replacement leaves as they are, because the bundle has none of the name.
    public internal(set) var keptGroups: [AccessGroup]
    /// The backup that was made before.
    public internal(set) var backup: String?

    /// How many items have each outcome.
    public var counts: [String: Int] {
        lines.reduce(into: [:]) { $0[$1.outcome, default: 0] += 1 }
    }

    /// What was left out because it decides whose token goes where.
    public var leftOutDecisions: [Line] { lines.filter { $0.reason == "decision" } }

    /// Whether nothing changes.
    public var isEmpty: Bool {
        newGroups.isEmpty && lines.allSatisfy { ["kept", "refused"].contains($0.outcome) }
    }
}

extension ImportPlan.Line {
    /// A line; `isOverlapped` where a token with a scope in common is newer.
    init(_ line: MergePlan.Line, isOverlapped: Bool) {
        let outcome = isOverlapped ? .kept(.newerHere) : line.outcome
        group = line.place.group
        kind = line.place.key.kind.rawValue
        item = line.place.key.description
        self.outcome = outcome.name
        reason = outcome.reason
        if case .changed(let names) = outcome {
            fields = names.map { field in
                [.username, .displayName, .label, .content, .token, .state].contains(field)
                    ? field.name : field.name.hasPrefix("profile:") ? "profile" : "additional"
            }
        } else {
            fields = []
        }
        description = "group \(line.place.group): \(line.place.key): \(outcome)"
    }
}
