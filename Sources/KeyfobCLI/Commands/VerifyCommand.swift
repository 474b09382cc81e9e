internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Open every record and check every manifest.",
        discussion: """
            Finds records that were altered, deleted, replayed or added from outside, and a vault that was taken back to \
            an earlier state, or replaced by another copy, since it was last seen here. Changes nothing. \
            Ends with 65 when something is wrong. Names what somebody with the key of a group alone decided there: \
            bindings, defaults, providers, clients. It counts for the accounts of that group alone. Names accounts that \
            were removed and of which tokens are left, and what a repair has noted as lost and is not accepted.

            Example:
              keyfob verify
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring(tellsFindings: false)
        let report = try keyring.health.verify()
        if global.json {
            try JSONOutput.print(VerificationDocument(report))
        } else {
            for finding in report.findings {
                try StandardOutput.write(entry: TimeText.local(in: finding.text), hanging: 2)
            }
            for problem in report.headerProblems + LossText.problems(of: report) + report.replacedTokens.map(\.text) {
                try StandardOutput.write(entry: problem, hanging: 2)
            }
            for orphans in report.orphans {
                try StandardOutput.write(entry: "\(orphans.text): \(orphans.advice)", hanging: 2)
            }
            for decision in report.foreignDecisions {
                try StandardOutput.write(entry: "by a key of group '\(decision.group)': \(decision.text)", hanging: 2)
            }
            let losses = report.losses + report.notedLosses
            let names = LossText.names(keyring, for: losses)
            for loss in losses {
                try StandardOutput.write(entry: TimeText.local(in: LossText.text(loss, names)), hanging: 2)
            }
            let scope = report.isPartial ? "; the other groups are closed to this key" : ""
            let count = report.findings.count + report.problems.count + report.orphans.count
            let verdict =
                count == 0
                ? (report.notedLosses.isEmpty ? "all is well" : "what is left is well") : Quantity.of(count, "problem")
            try StandardOutput.write(
                line:
                    "\(verdict): \(Quantity.of(report.records, "record")) in \(Quantity.of(report.groups, "group")) opened\(scope)"
            )
            if !report.findings.isEmpty || !report.losses.isEmpty || !report.notedLosses.isEmpty {
                try StandardOutput.write(entry: StateText.advice, hanging: 2)
            }
        }
        if !report.problems.isEmpty || !report.findings.isEmpty || !report.orphans.isEmpty {
            throw ReportedFailure(status: .malformed)
        }
    }
}

extension Keyring.Orphans {
    /// What is left, for people.
    var text: String {
        "group \(group): \(Quantity.of(tokens, "token")) of \(account), who was removed, \(tokens == 1 ? "is" : "are") left"
    }
    /// How to be rid of it.
    var advice: String {
        "'keyfob account remove \(ShellWord.inMessage(account.description)) --group \(group)' removes \(tokens == 1 ? "it" : "them")"
    }
}

/// `Schemas/verification.schema.json`.
struct VerificationDocument: JSONDocument {
    let formatVersion = 1
    let records: Int
    let groups: Int
    let isPartial: Bool
    let problems: [String]
    let losses: [LossDocument]
    let replacedTokens: [LossDocument]
    let notedLosses: [LossDocument]
    let orphans: [OrphansDocument]
    let findings: [StateDocument]
    let foreignDecisions: [DecisionDocument]

    init(_ report: Keyring.VerificationReport) {
        records = report.records
        groups = report.groups
        isPartial = report.isPartial
        problems = report.problems
        losses = report.losses.map(LossDocument.init)
        replacedTokens = report.replacedTokens.map(LossDocument.init)
        notedLosses = report.notedLosses.map(LossDocument.init)
        orphans = report.orphans.map(OrphansDocument.init)
        findings = report.findings.map(StateDocument.init)
        foreignDecisions = report.foreignDecisions.map(DecisionDocument.init)
    }
}

/// Tokens that are left of an account that was removed.
struct OrphansDocument: Encodable {
    let account: String
    let group: String
    let tokens: Int

    init(_ orphans: Keyring.Orphans) {
        (account, group, tokens) = (orphans.account.description, orphans.group.name, orphans.tokens)
    }
}
