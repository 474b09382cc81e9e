internal import Keyfob

/// What is said of a vault that does not follow from what was seen of it before.
enum StateText {
    /// What the doctor finds, with the cure for it.
    ///
    /// - Parameter others: Where else on this machine the vault was unlocked.
    static func finding(_ finding: StateFinding, _ others: [String]) -> Finding {
        Finding("state", .failure, finding.text, hint: copies(others, finding.kind) + cure(finding.kind))
    }

    /// Where the later state may have been seen.
    private static func copies(_ others: [String], _ kind: StateFinding.Kind) -> String {
        guard !others.isEmpty, kind != .marksDamaged else { return "" }
        return "a copy of this vault at \(Quantity.list(others)) may be the newer one; "
    }

    /// What the doctor says of what was accepted.
    static func accepted(_ findings: [StateFinding]) -> [Finding] {
        guard !findings.isEmpty else { return [Finding("state", .ok, "nothing had to be accepted")] }
        return findings.map { Finding("state", .ok, "accepted: \($0.text)") }
    }

    /// Where people find out what to do, behind findings that are only listed.
    static let advice = "'keyfob doctor' says what to do"

    private static func cure(_ kind: StateFinding.Kind) -> String {
        let otherwise =
            "if not, somebody else did: put your newest copy of the vault's folder back, or bring a backup back ('keyfob "
            + "restore FILE'), and then run the same"
        return switch kind {
        case .rolledBack:
            "if you put an older copy there yourself, or a copy has been used since, run 'keyfob doctor --accept-rollback'; "
                + otherwise
        case .forked:
            "if you have used two copies of the vault, 'keyfob doctor --accept-rollback' goes on with this one (what the "
                + "other alone holds can be exported there and imported here); \(otherwise)"
        case .marksDamaged:
            "see that your accounts are as you left them ('keyfob account list'); then 'keyfob doctor --accept-rollback' "
                + "notes the vault as it is"
        }
    }
}

/// `Schemas/verification.schema.json#/$defs/finding`.
struct StateDocument: Encodable {
    let kind: String
    let group: String?
    let found: UInt64
    let seen: UInt64
    let since: String
    let text: String

    init(_ finding: StateFinding) {
        kind = finding.kind.rawValue
        group = finding.group
        found = finding.found
        seen = finding.seen
        since = finding.since.rfc3339
        text = finding.text
    }
}
