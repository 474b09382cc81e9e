public import KeyfobModel
internal import KeyfobSync

/// What a vault knows of its sync.
public struct SyncStatus: Hashable, Sendable {
    /// Where the files lie that others read.
    public let remote: String
    /// This device.
    public let own: Device
    /// The folder, below the place of the files, that this device alone writes.
    public let ownFolder: String
    /// The folders, below the place of the files, that the others write which take part.
    public let otherFolders: [String]
    /// The others that there are or were.
    public let devices: [Device]
    /// Devices that want to be let in.
    public let requests: [String]
    /// What is wrong with what is there.
    public let findings: [Finding]
    /// How far this device takes part.
    public let state: State
    /// When it was synchronised the last time.
    public let last: Timestamp?

    /// Whether nothing comes from others or goes to them, and will not until somebody does something.
    public var isCutOff: Bool {
        [.revoked, .shutOut].contains(state) || findings.contains { $0.kind == SyncFinding.Kind.apart.rawValue }
    }

    /// How far a device takes part.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// It does.
        case member
        /// No trusted device has let it in yet, as far as is seen here.
        case waiting
        /// It was not told yet which device to trust.
        case untrusting
        /// It was revoked.
        case revoked
        /// A device that let it take part before writes nothing for it any more: it was most likely revoked.
        case shutOut
        /// It has begun to leave, and others may not know.
        case leaving
    }

    /// A device.
    public struct Device: Hashable, Sendable {
        /// Its six words: what people compare, and its id.
        public let words: String
        /// What it calls itself; empty where nobody knows yet.
        public let name: String
        /// Whether it shares all groups there are.
        public let sharesAll: Bool
        /// The groups of this vault that it shares.
        public let groups: [AccessGroup]
        /// What it calls itself, or the words, of who approved it; nil where its words were given here.
        public let approver: String?
        /// When its state was made that was seen last, by its clock.
        public let seen: Timestamp?
        /// The sequence of that state; 0 where none was seen.
        public let sequence: UInt64
        /// When that state arrived, by this machine's clock.
        public let arrived: Timestamp?
        /// Whether it was revoked, or has left.
        public let isRevoked: Bool
        /// Whether it takes part no more because it said so itself.
        public let hasLeft: Bool

        /// What people call it.
        public var title: String { name.isEmpty ? words : name }

        /// For how many days nothing came from it, where these are so many that it may be lost: each device shows itself at
        /// least once a week while it synchronises.
        public func silentDays(at now: Timestamp) -> Int64? {
            guard !isRevoked, let arrived else { return nil }
            let days = (now.seconds - arrived.seconds) / 86_400
            return days >= Self.silence ? days : nil
        }

        private static let silence: Int64 = 60
    }

    /// Something that is wrong.
    public struct Finding: Hashable, Sendable {
        /// A word for programs: `rolledBack`, `forked`, `forged`, `replaced`, `altered`, `malformed`, `cloned`, `missing`, `incomplete`,
        /// `withheld`, `disputed`, `mistaken`, `closed`, `newer`, `apart` or `diverged`.
        public let kind: String
        /// The words of the device.
        public let device: String
        /// One sentence.
        public let text: String
        /// When it was found first.
        public let since: Timestamp
        /// What ends it; nil where that happens by itself, or on the other machine.
        public let remedy: Remedy?

        /// Whether it is told until somebody accepts it.
        public var stays: Bool { remedy == .accept }

        /// What a person does about it.
        public enum Remedy: String, Hashable, Sendable, CaseIterable {
            /// To say that they know of it: ``Keyring/Sync/acceptFindings(of:)``.
            case accept
            /// To have all read and told once more: ``Keyring/Sync/repair(_:)``.
            case repair
        }
    }
}

/// What a synchronisation did.
public struct SyncReport: Hashable, Sendable {
    /// How many items were added, changed or removed here.
    public internal(set) var changed = 0
    /// The devices of which something was taken in, as people call them.
    public internal(set) var sources: [String] = []
    /// Whether something was written for others.
    public internal(set) var hasPublished = false
    /// How many bytes were written for others.
    public internal(set) var bytes: UInt64 = 0
    /// The devices of which it is new that they have left.
    public internal(set) var left: [String] = []
    /// Decisions that went because the device that made them takes part no more, one line each.
    public internal(set) var removedDecisions: [String] = []
    /// Groups that were removed or renamed here because they were on another machine, one line each.
    public internal(set) var changedGroups: [String] = []
    /// What a person should know.
    public internal(set) var warnings: [String] = []
    /// What is known afterwards.
    public internal(set) var status: SyncStatus

    /// Whether somebody has to do something before all is well.
    public var needsAttention: Bool { status.isCutOff || status.findings.contains { $0.remedy != nil } }

    init(_ status: SyncStatus) { self.status = status }
}

/// What was done to let a device in, or to keep one out.
public struct SyncChange: Hashable, Sendable {
    /// The device's words.
    public let words: String
    /// What people call it.
    public let title: String
    /// Of a revoked device, the sign-ins whose tokens it may have, and so those to be ended at their providers.
    public let signIns: [String]
    /// Of a revoked device, the sign-ins that each machine makes for itself, and that it may have made too.
    public internal(set) var mayHaveSignedIn: [String] = []
    /// Decisions of it that went, one line each.
    public let removedDecisions: [String]
    /// Devices that are out with it, because it alone had let them in: what people call them, and their words.
    public internal(set) var alsoOut: [String] = []
    /// Devices that share fewer groups without it.
    public internal(set) var reduced: [String] = []
}

extension SyncReport {
    /// What this one and a later one did together.
    public func adding(_ later: SyncReport) -> SyncReport {
        var sum = later
        sum.changed += changed
        sum.sources = sources + later.sources.filter { !sources.contains($0) }
        sum.hasPublished = hasPublished || later.hasPublished
        sum.bytes += bytes
        sum.left = left + later.left
        sum.changedGroups = changedGroups + later.changedGroups
        sum.removedDecisions = removedDecisions + later.removedDecisions
        sum.warnings = warnings + later.warnings.filter { !warnings.contains($0) }
        return sum
    }
}
