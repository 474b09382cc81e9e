internal import KeyfobModel
internal import KeyfobSync

/// What taking a bundle in did, counted as it goes on, and as much of it in words as a person can read.
struct ImportTally {
    /// A kind of item, and what became of it.
    struct Entry: Hashable {
        let kind: ItemKind
        let outcome: String
        let reason: String?
    }

    /// How many items of each kind.
    private(set) var counts: [Entry: Int] = [:]
    private var kept: [(place: ItemPlace, line: ImportPlan.Line)] = []
    private var same: [(place: ItemPlace, line: ImportPlan.Line)] = []
    private(set) var findings: [ImportPlan.Finding] = []
    private(set) var moreFindings = 0
    /// How many items came in that were removed so long ago that only the sync's note of it is left.
    var returned = 0

    /// The lines in the order of their places.
    var lines: [ImportPlan.Line] { (kept + same).sorted { $0.place < $1.place }.map(\.line) }
    /// How many lines there are besides.
    var moreLines: Int { counts.values.reduce(0, +) - kept.count - same.count }

    /// - Parameters:
    ///   - overlapped: The access tokens that gave way to newer ones.
    ///   - here: What the vault held before.
    mutating func lines(_ lines: [MergePlan.Line], overlapped: Set<ItemPlace>, before here: KeyringState) {
        for line in lines {
            let outcome = overlapped.contains(line.place) ? .kept(.newerHere) : line.outcome
            var username: String?
            if outcome == .removed, case .account(let account)? = here.record(at: line.place)?.content {
                username = account.username
            }
            add(line.place, outcome, username: username)
        }
    }

    mutating func add(_ place: ItemPlace, _ outcome: MergeOutcome, username: String? = nil) {
        counts[Entry(kind: place.key.kind, outcome: outcome.name, reason: outcome.reason), default: 0] += 1
        // What is the same on both sides takes nobody else's place.
        if outcome == .kept(.same) {
            if same.count < ImportPlan.lineLimit { same.append((place, .init(place, outcome))) }
        } else if kept.count < ImportPlan.lineLimit {
            kept.append((place, .init(place, outcome, username: username)))
        }
    }

    mutating func conflicts(_ conflicts: [Conflict]) {
        let room = ImportPlan.lineLimit - findings.count
        findings += conflicts.prefix(room).map { .init(name: $0.name, description: $0.description) }
        moreFindings += max(0, conflicts.count - room)
    }
}
