internal import ArgumentParser
internal import Keyfob

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Open every record and check every manifest.",
        discussion: """
            Finds records that were altered, deleted, replayed or added from outside. Changes nothing. \
            Ends with 65 when something is wrong. Names what somebody with the key of a group alone decided there: \
            bindings, defaults, providers, clients. It counts for the accounts of that group alone.

            Example:
              keyfob verify
            """)

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let report = try keyring.verify()
        if global.json {
            try JSONOutput.print(VerificationDocument(report))
        } else {
            for problem in report.problems { try StandardOutput.write(line: problem) }
            for decision in report.foreignDecisions {
                try StandardOutput.write(line: "by a key of group '\(decision.group)': \(decision.text)")
            }
            let scope = report.isPartial ? "; the other groups are closed to this key" : ""
            let verdict = report.problems.isEmpty ? "all is well" : Quantity.of(report.problems.count, "problem")
            try StandardOutput.write(
                line:
                    "\(verdict): \(Quantity.of(report.records, "record")) in \(Quantity.of(report.groups, "group")) opened\(scope)"
            )
        }
        if !report.problems.isEmpty { throw ReportedFailure(status: .malformed) }
    }
}

/// `Schemas/verification.schema.json`.
struct VerificationDocument: JSONDocument {
    let formatVersion = 1
    let records: Int
    let groups: Int
    let isPartial: Bool
    let problems: [String]
    let foreignDecisions: [DecisionDocument]

    init(_ report: Keyring.VerificationReport) {
        records = report.records
        groups = report.groups
        isPartial = report.isPartial
        problems = report.problems
        foreignDecisions = report.foreignDecisions.map(DecisionDocument.init)
    }
}
