internal import ArgumentParser
internal import Keyfob

struct WhichCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "which", abstract: "Show which account 'token' would take, and why.",
        discussion: """
            Prints a line for every account. Ends as 'token' would: 0 when one is chosen, 11 when several \
            fit, 13 when none does.

            Example:
              keyfob which --tenant 11111111-aaaa-4aaa-8aaa-111111111111
            """)

    @OptionGroup var options: RequestOptions
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let request = try options.request()
        let selection = try keyring.select(request, in: global.groups())
        global.tellWarnings(of: keyring)
        if global.json {
            try JSONOutput.print(SelectionDocument(selection))
        } else {
            var table = Table(header: ["ACCOUNT", "GROUP", "VERDICT"])
            for judged in selection.verdicts {
                table.add([judged.candidate.account.name, judged.candidate.group.name, judged.verdict.description])
            }
            try StandardOutput.write(text: table.text)
        }
        guard let error = KeyringError(selection, for: request) else { return }
        // To run this very command is no advice here.
        let isAdvice = error.hint?.contains("'keyfob which'") == false
        throw KeyringError(
            error.code, error.message, hint: isAdvice ? error.hint : nil, candidates: error.candidates)
    }
}

/// `Schemas/selection.schema.json`.
struct SelectionDocument: JSONDocument {
    let formatVersion = 1
    let outcome: String
    let account: String?
    let group: String?
    let verdicts: [JudgedAccount]

    struct JudgedAccount: Encodable {
        let account: String
        let username: String
        let label: String?
        let group: String
        let verdict: String
        let reason: String?
        let explanation: String
    }

    init(_ selection: Selection) {
        var chosen: Candidate?
        switch selection.outcome {
        case .chosen(let candidate):
            outcome = "chosen"
            chosen = candidate
        case .ambiguous: outcome = "ambiguous"
        case .nobody, .nobodyNamed: outcome = "nobody"
        }
        account = chosen?.account.id.description
        group = chosen?.group.name
        verdicts = selection.verdicts.map { judged in
            let account = judged.candidate.account
            let (verdict, reason) = judged.verdict.names
            return JudgedAccount(
                account: account.id.description, username: account.username, label: account.label,
                group: judged.candidate.group.name, verdict: verdict, reason: reason,
                explanation: judged.verdict.description)
        }
    }
}

extension Verdict {
    /// The verdict and its reason as documents name them.
    fileprivate var names: (verdict: String, reason: String?) {
        switch self {
        case .chosen(let reason): ("chosen", reason.rawValue)
        case .possible: ("possible", nil)
        case .rejected(let rejection): ("rejected", rejection.name)
        }
    }
}
