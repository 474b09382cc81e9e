internal import Keyfob
internal import KeyfobTerminal

/// What taking a bundle in did, or would do, as people read it.
struct PlanText {
    /// The outcomes, in the order of the columns.
    static let outcomes = ["added", "changed", "kept", "removed", "refused"]

    private static let rows: [(name: String, kinds: Set<String>)] = [
        ("accounts", ["account"]), ("sign-ins", ["grant"]), ("tokens", ["idToken", "accessToken"]),
        ("other", ["appMetadata", "clientSecret", "setting", "foreign"]),
    ]

    private let plan: ImportPlan

    init(_ plan: ImportPlan) {
        self.plan = plan
    }

    /// How many items of each kind have which outcome.
    var table: String {
        let outcomes = Self.outcomes.map { $0.uppercased() }
        var table = Table(header: [""] + outcomes, usual: outcomes.reduce(into: [:]) { $0[$1] = "0" })
        for row in Self.rows {
            table.add([row.name] + Self.outcomes.map { "\(plan.count(of: row.kinds, $0))" })
        }
        return table.text
    }

    /// One line for each item that is not the same on both sides, but those that ``leftOut`` tells.
    var items: String {
        // What was deleted there and is not here either is nobody's concern.
        plan.lines.filter { !["same", "deletedThere", "decision"].contains($0.reason) }
            .map { TerminalText.line($0.description) + "\n" }.joined()
            + (plan.moreLines == 0 ? "" : "and \(Quantity.of(plan.moreLines, "item")) more\n")
    }

    /// What decides whose token goes where and was left out: one line each.
    var leftOut: [String] {
        let lines = plan.leftOutDecisions.map { TerminalText.line("left out: \($0.item) of group '\($0.group)'") }
        let more = plan.leftOutDecisionCount - lines.count
        return more == 0 ? lines : lines + ["left out: \(Quantity.of(more, "item")) more"]
    }

    /// Where else it goes; none outside a sync.
    var travel: [String] {
        plan.travels && !plan.isEmpty
            ? ["note: this goes to the other machines of the sync too, in place of what they have"] : []
    }

    /// What a person should know besides.
    var notes: [String] {
        var notes = travel + plan.conflicts.map { "note: \($0.description)" }
        if plan.moreConflicts > 0 { notes.append("note: and so with \(Quantity.of(plan.moreConflicts, "item")) more") }
        return notes + keptGroups
    }

    /// The groups that a replacement leaves as they are.
    var keptGroups: [String] {
        guard !plan.keptGroups.isEmpty else { return [] }
        let names = Quantity.list(plan.keptGroups.map { "'\($0)'" })
        let what = plan.source.purpose == "backup" ? "backup" : "bundle"
        return ["note: the \(what) has no group \(names), so nothing changes there"]
    }

    /// What decided here, and goes because the backup does not have it: nil where nothing does.
    var lostDecisions: String? {
        let gone = plan.lines.filter { $0.kind == "setting" && $0.outcome == "removed" && $0.isDecision }
            .map { TerminalText.line($0.item) }
        guard !gone.isEmpty else { return nil }
        return "note: the backup does not have, and here is gone: \(Quantity.list(gone))"
    }
}

extension BundleSummary {
    /// `13 records of the groups 'default', 'work'`.
    var content: String {
        let names = groups.map { "'\($0)'" }.joined(separator: ", ")
        let of = groups.isEmpty ? "no group" : groups.count == 1 ? "the group \(names)" : "the groups \(names)"
        return "\(Quantity.of(records, "record")) of \(of)"
    }

    /// The same with when it was written.
    var text: String { "\(content), written \(LocalTime.text(created))" }
}
