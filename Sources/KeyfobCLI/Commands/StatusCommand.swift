internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is there, and whether it is unlocked.",
        discussion: """
            Says by what the vault is unlocked and until when, which account counts in this directory and why, who has to \
            sign in, and when the last backup was made. Asks nothing: without a key file, an unlocked session or an unlocked keyring of the desktop it says only \
            where the vault is. For a vault with a slot of the desktop's keyring (Secret Service) it says whether that \
            one opens it. What does not follow from what was seen of the vault before is told here each time, until 'keyfob \
            doctor --accept-rollback', and what a repair has noted as lost until 'keyfob doctor --accept-loss'.

            Example:
              keyfob status --json
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let report = try StatusReport(global)
        if global.json { return try JSONOutput.print(report.document) }
        for entry in report.facts { try StandardOutput.write(entry: entry, nil) }
        for warning in report.warnings {
            try StandardOutput.write(entry: "warning \(warning.text)", global.look(.warning))
            if let advice = warning.advice { try StandardOutput.write(entry: "        \(advice)", nil) }
        }
        guard let keyring = report.keyring else { return }
        try StandardOutput.write(
            lines: "\n" + GroupListCommand.table(report.groups) + "\n"
                + SlotListCommand.table(report.slots, in: keyring.storage))
    }
}

extension Keyring.EndingSignIn {
    /// Whose it is and when it ends, in one line.
    func text(_ now: Timestamp, _ names: AccountNaming) -> String {
        "the sign-in of \(names.brief(account)) (group '\(group)', client \(clientID)) \(endsOn < now ? "ended" : "ends") "
            + "\(TimeText.distance(to: endsOn, from: now)), on \(LocalTime.text(endsOn))"
    }

    /// What to do about it.
    func advice(_ names: AccountNaming) -> Advice { .signIn(names.briefTyped(account), ScopeSet()) }
}
