internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobTerminal

struct WhichCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "which", abstract: "Show which account 'token' would take, and why.",
        discussion: """
            Prints a line for every account: the chosen one, those that fit, with how likely they are meant, and \
            those that do not. Changes nothing and asks nothing. Ends with 0 when one is chosen, 11 when \
            several fit, 13 when none does, 10 when the one that is meant must sign in, 64 when --account and the user \
            in --url mean different ones, and 77 when no account's tokens go to the host; whether the chosen one has a \
            valid token, only 'token' says. With --broker the accounts of another program that is the session's \
            identity broker are told of beside them; they change no verdict.

            Example:
              keyfob which --url https://git.example/contoso/app
              keyfob which --tenant 11111111-aaaa-4aaa-8aaa-111111111111
            """)

    @OptionGroup var options: RequestOptions
    @OptionGroup var broker: BrokerEvidenceOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let evidence = broker.evidence(for: options.client)
        let keyring = try global.unlockedKeyring(reaching: .files())
        let (request, groups) = (try options.request(), try global.groups())
        // Whoever is named needs no proof that there is nobody else.
        let (selection, doubt) =
            !request.isNamed
            ? try keyring.accounts.selectAndProve(request, in: groups)
            : (try keyring.accounts.select(request, in: groups), nil)
        global.tellWarnings(of: keyring)
        // Of each account it would say that another one is named.
        let isOfNobody =
            switch selection.outcome {
            case .nobodyNamed, .contradiction: true
            default: false
            }
        if global.json {
            try JSONOutput.print(SelectionDocument(selection, evidence))
        } else if !isOfNobody, !selection.verdicts.isEmpty {
            try StandardOutput.write(lines: Self.table(selection, evidence).text)
        }
        for line in selection.blockingLines { global.say(line) }
        if !global.json, let binding = selection.decidingBinding {
            global.say("\(binding.undoing) takes that binding back")
        }
        if let doubt { throw doubt }
        guard let error = keyring.accounts.error(of: selection, for: request, in: groups) else { return }
        // To run this very command is no advice here.
        if case .explainSelection? = error.advice { throw error.saying(advice: nil) }
        throw error
    }
}

extension Selection {
    /// The binding by which an account is chosen; nil where something else decides.
    fileprivate var decidingBinding: Binding? {
        verdicts.lazy.compactMap { judged in
            switch judged.verdict {
            case .chosen(.bound(let binding)), .chosen(.calledFrom(_, let binding)): binding
            default: nil
            }
        }.first
    }
}

extension WhichCommand {
    /// A line for every account; how likely it is only where something was learned.
    private static func table(_ selection: Selection, _ evidence: BrokerEvidence?) -> Table {
        let hasLikelihoods = selection.verdicts.contains { $0.verdict.usage != nil }
        var table = Table(
            header: ["ACCOUNT", "GROUP"] + (hasLikelihoods ? ["LIKELY"] : []) + (evidence == nil ? [] : ["BROKER"])
                + ["VERDICT"],
            yielding: ["LIKELY", "BROKER", "GROUP"], wrapping: ["VERDICT"],
            usual: ["GROUP": AccessGroup.default.name])
        let names = AccountNaming(among: selection.verdicts.map(\.candidate))
        for judged in selection.verdicts {
            let likelihood = judged.verdict.usage.map { percent($0.probability) } ?? ""
            table.add(
                [names.brief(judged.candidate.account), judged.candidate.group.name]
                    + (hasLikelihoods ? [likelihood] : [])
                    + (evidence.map { [$0.has(judged.candidate.account) ? "yes" : "no"] } ?? [])
                    + [judged.verdict.description])
        }
        for other in evidence?.others(than: selection.verdicts.map(\.candidate)) ?? [] {
            table.add([other.name, "-"] + (hasLikelihoods ? [""] : []) + ["yes", "not in the vault"])
        }
        return table
    }

    /// Never 0 % nor 100 %: nothing learned is certain.
    private static func percent(_ probability: Double) -> String {
        switch probability {
        case ..<0.01: "< 1 %"
        case 0.99...: "> 99 %"
        default: "\(Int((probability * 100).rounded())) %"
        }
    }
}

/// `Schemas/selection.schema.json`.
struct SelectionDocument: LongJSONDocument {
    let formatVersion = 1
    let outcome: String
    let account: String?
    let group: String?
    let meant: Meant?
    let verdicts: [JudgedAccount]
    let brokerAccounts: [BrokerAccount]?

    struct BrokerAccount: Encodable {
        let account: String
        let username: String?
        let isInVault: Bool
    }

    /// The account that is meant and will not do.
    struct Meant: Encodable {
        let account: String
        let group: String
        let reason: String
        let explanation: String

        init(_ account: AccountID, _ group: AccessGroup, _ reason: Verdict.Reason) {
            (self.account, self.group) = (account.description, group.name)
            (self.reason, explanation) = (reason.name, "\(reason)")
        }
    }

    struct JudgedAccount: Encodable {
        let account: String
        let username: String
        let label: String?
        let group: String
        let verdict: String
        let reason: String?
        let probability: Double?
        let uses: Uses?
        let explanation: String
    }

    struct Uses: Encodable {
        let count: Int
        let total: Int
        let scope: String
        let last: String?

        init(_ share: Usage.Share) {
            count = share.count
            total = share.total
            scope = share.scope.rawValue
            last = share.last.map(\.rfc3339)
        }
    }

    init(_ selection: Selection, _ evidence: BrokerEvidence? = nil) {
        let others = Set((evidence?.others(than: selection.verdicts.map(\.candidate)) ?? []).map(\.id))
        brokerAccounts = evidence?.accounts.map {
            BrokerAccount(account: $0.id.description, username: $0.username, isInVault: !others.contains($0.id))
        }
        var chosen: Candidate?
        var meant: Meant?
        switch selection.outcome {
        case .chosen(let candidate):
            outcome = "chosen"
            chosen = candidate
        case .ambiguous: outcome = "ambiguous"
        case .nobody, .nobodyNamed, .contradiction: outcome = "nobody"
        case .meantInVain(let candidate, let reason, _):
            (outcome, meant) = ("nobody", Meant(candidate.account.id, candidate.group, reason))
        case .boundInVain(let binding, _, _), .boundToNobody(let binding):
            outcome = "nobody"
            meant = binding.target.account.map { Meant($0, binding.origin.group, .bound(binding)) }
        }
        self.meant = meant
        account = chosen?.account.id.description
        group = chosen?.group.name
        verdicts = selection.verdicts.map { judged in
            let account = judged.candidate.account
            let (verdict, reason) = judged.verdict.names
            return JudgedAccount(
                account: account.id.description, username: account.username, label: account.label,
                group: judged.candidate.group.name, verdict: verdict, reason: reason,
                probability: judged.verdict.usage?.probability, uses: judged.verdict.usage?.share.map(Uses.init),
                explanation: judged.verdict.description)
        }
    }
}

extension SelectionDocument {
    func writeMembers(to json: inout JSONWriter) {
        json.member("account", account)
        if let brokerAccounts {
            json.member("brokerAccounts", each: brokerAccounts) { account, json in
                json.member("account", account.account)
                json.member("isInVault", account.isInVault)
                json.member("username", account.username)
            }
        }
        json.member("formatVersion", formatVersion)
        json.member("group", group)
        if let meant {
            json.name("meant")
            json.beginObject()
            json.member("account", meant.account)
            json.member("explanation", meant.explanation)
            json.member("group", meant.group)
            json.member("reason", meant.reason)
            json.endObject()
        }
        json.member("outcome", outcome)
        json.member("verdicts", each: verdicts) { $0.writeMembers(to: &$1) }
    }
}

extension SelectionDocument.JudgedAccount {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.member("account", account)
        json.member("explanation", explanation)
        json.member("group", group)
        json.member("label", label)
        if let probability {
            json.name("probability")
            let text = "\(probability)"
            json.raw(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
        }
        json.member("reason", reason)
        json.member("username", username)
        if let uses {
            json.name("uses")
            json.beginObject()
            json.member("count", uses.count)
            json.member("last", uses.last)
            json.member("scope", uses.scope)
            json.member("total", uses.total)
            json.endObject()
        }
        json.member("verdict", verdict)
    }
}

extension Verdict {
    /// The verdict and its reason as documents name them.
    fileprivate var names: (verdict: String, reason: String?) {
        switch self {
        case .chosen(let reason): ("chosen", reason.name)
        case .possible: ("possible", nil)
        case .rejected(let rejection): ("rejected", rejection.name)
        }
    }
}
