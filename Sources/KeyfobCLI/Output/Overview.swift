internal import Keyfob
internal import KeyfobTerminal

/// What `keyfob` alone says on a terminal: which account counts here and why, what needs attention, and what to type next.
struct Overview {
    /// So many warnings are told; the others 'keyfob status' tells.
    private static let limit = 4

    private let facts: [String]
    private let warnings: [StatusReport.Warning]
    private let next: [(command: String, purpose: String)]

    /// - Throws: What opening the vault can throw, but that there is none.
    init(_ global: GlobalOptions) throws(KeyringError) {
        do throws(KeyringError) {
            self = Overview(try StatusReport(global))
        } catch  where error.code == .noVault && error.advice == .createVault {
            self = Overview(
                facts: [error.message], warnings: [],
                next: [("keyfob init --recovery-file ~/keyfob-recovery.txt", "make one")])
        }
    }

    private init(facts: [String], warnings: [StatusReport.Warning], next: [(command: String, purpose: String)]) {
        (self.facts, self.warnings, self.next) = (facts, warnings, next)
    }

    private init(_ report: StatusReport) {
        warnings = report.warnings
        guard let here = report.here else {
            facts = ["vault   \(report.stateText)"] + report.openingLines.map { "        \($0)" }
            next = [("keyfob status", "say more of it")]
            return
        }
        facts = ["account \(here.text)"]
        if report.groups.allSatisfy({ $0.accounts == 0 }) {
            next = [
                ("keyfob import --discover", "take in what other tools keep"),
                ("keyfob login microsoft", "or google, github, gitlab, or an address"),
                ("keyfob add NAME", "store a token that you have"),
            ]
        } else if here.isAmbiguous {
            next = [
                ("keyfob which", "say how they differ"), ("keyfob use NAME --here", "take one in this directory"),
                ("keyfob account list", "show all accounts"),
            ]
        } else {
            next = [
                ("keyfob whoami", "say more of who counts here"), ("keyfob which", "say the same of every account"),
                ("keyfob account list", "show all accounts"),
            ]
        }
    }

    func show(_ global: GlobalOptions) throws(KeyringError) {
        for fact in facts { try StandardOutput.write(entry: fact, nil) }
        for warning in warnings.prefix(Self.limit) {
            try StandardOutput.write(entry: "warning \(warning.text)", global.look(.warning))
            if let advice = warning.advice { try StandardOutput.write(entry: "        \(advice)", nil) }
        }
        if warnings.count > Self.limit {
            try StandardOutput.write(entry: "        and \(warnings.count - Self.limit) more: 'keyfob status'", nil)
        }
        try StandardOutput.write(lines: "\n")
        let all = next + [("keyfob --help", "list all commands")]
        var table = Table(header: [])
        for line in all { table.add([line.command, line.purpose]) }
        try StandardOutput.write(lines: table.text)
    }
}
