/// What of a vault does not follow from what was seen of it before; it is told until the owner accepts what is there.
public struct StateFinding: Hashable, Sendable {
    /// What is wrong.
    public let kind: Kind
    /// The group, by name, or by the beginning of its id where it is gone; nil for the header, and for the notes.
    public let group: String?
    /// Whether it is about what the vault knows of its sync.
    public let isSync: Bool
    /// The version that was found; 0 for the notes.
    public let found: UInt64
    /// The version that had been seen; 0 for the notes.
    public let seen: UInt64
    /// When it was found.
    public let since: Timestamp

    /// What can be wrong.
    ///
    /// The raw value is stable.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An earlier state is there.
        case rolledBack
        /// Another state of the same version is there.
        case forked
        /// What was noted of earlier states is damaged.
        case marksDamaged
    }

    package init(
        _ kind: Kind, group: String?, isSync: Bool = false, found: UInt64, seen: UInt64, since: Timestamp
    ) {
        self.kind = kind
        self.group = group
        self.isSync = isSync
        self.found = found
        self.seen = seen
        self.since = since
    }

    /// What was found, where: one line, without a command.
    public var text: String {
        let subject = isSync ? "what the vault knows of its sync" : group.map { "group '\($0)'" } ?? "the vault"
        let what = group == nil && !isSync ? "its header" : "it"
        switch kind {
        case .rolledBack:
            return "\(subject) has been taken back to an earlier state: \(what) was version \(found) where version "
                + "\(seen) had been seen (found \(since.rfc3339))"
        case .forked:
            return "\(subject) has two histories: \(what) was another version \(found) than the one seen before "
                + "(found \(since.rfc3339))"
        case .marksDamaged:
            return "the notes of how far the vault had come are damaged: that it was taken back may go unnoticed"
        }
    }

    /// The same as a warning, with what to do.
    package var warning: Warning {
        switch kind {
        case .rolledBack: Warning(.rolledBack, text, advice: .acceptRollback(first: false))
        case .forked: Warning(.forked, text, advice: .acceptFork)
        case .marksDamaged: Warning(.marksDamaged, text, advice: .acceptMarks)
        }
    }
}
