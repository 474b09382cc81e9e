internal import Keyfob
internal import KeyfobFiles

/// Which account counts in the working directory, and who has to sign in.
struct AccountsHere {
    /// What a command without options asks for in this directory.
    let request: TokenRequest
    private let selection: Selection
    private let error: KeyringError?

    /// The most that are told one by one.
    private static let limit = 3

    init(
        _ keyring: Keyring, in groups: [AccessGroup]?, _ environment: Environment = .current
    ) throws(KeyringError) {
        request = try Self.request(usualTool: CallingTool.name, environment)
        selection = try keyring.accounts.select(request, in: groups)
        error = keyring.accounts.error(of: selection, for: request, in: groups)
    }

    /// What a command without options asks for in this directory.
    static func request(usualTool: String?, _ environment: Environment = .current) throws(KeyringError) -> TokenRequest
    {
        try RequestWords().request(
            usualAccount: environment["KEYFOB_ACCOUNT"], usualTool: usualTool, person: environment.person)
    }

    /// The one that counts, and why; or why none does and what to do.
    var text: String {
        for judged in selection.verdicts {
            guard case .chosen(let reason) = judged.verdict else { continue }
            let names = AccountNaming(among: selection.verdicts.map(\.candidate))
            return "\(names.brief(judged.candidate.account)) (group \(judged.candidate.group)): \(reason)"
        }
        guard let error else { return "none" }
        let hint: String? =
            if case .chooseAccount(let name?, let group) = error.advice {
                "'keyfob use \(ShellWord.quoted(name))\(group.map { " --group \(ShellWord.quoted($0.name))" } ?? "")' "
                    + "makes that one the default"
            } else {
                error.hint
            }
        let message =
            if case .ambiguous(let all) = selection.outcome, request.account == nil {
                "\(all.count) accounts fit"
            } else {
                error.message
            }
        return "none: \(message)\(error.candidateText)" + (hint.map { "; \($0)" } ?? "")
    }

    /// Whether it is this account.
    func isChosen(_ account: AccountID) -> Bool {
        if case .chosen(let candidate) = selection.outcome { candidate.account.id == account } else { false }
    }

    /// Whether earlier choices decide, or keep anything else from deciding.
    var isLearned: Bool {
        isAmbiguous
            || selection.verdicts.contains { if case .chosen(.learned) = $0.verdict { true } else { false } }
    }

    /// Whether several fit.
    var isAmbiguous: Bool { if case .ambiguous = selection.outcome { true } else { false } }

    /// Those for whom the provider wants a person to sign in.
    var needingSignIn: [Candidate] {
        AccountListCommand.sorted(
            selection.verdicts.map(\.candidate).filter {
                if case .needsSignIn = $0.state { true } else { false }
            })
    }

    /// The same in lines, each with the command that signs in; only the first of many.
    var signInLines: [(text: String, advice: String)] {
        let all = needingSignIn
        let names = AccountNaming(among: selection.verdicts.map(\.candidate))
        var lines = all.prefix(Self.limit).map { candidate in
            let reason = if case .needsSignIn(let reason) = candidate.state { ": \(reason)" } else { "" }
            return (
                "\(names.brief(candidate.account)) (group \(candidate.group)) must sign in\(reason)",
                Advice.signIn(names.briefTyped(candidate.account), ScopeSet()).text
            )
        }
        if all.count > Self.limit {
            lines.append(("\(all.count - Self.limit) more must sign in", "'keyfob account list' shows them"))
        }
        return lines
    }

    /// For programs.
    var document: Document {
        for judged in selection.verdicts {
            guard case .chosen(let reason) = judged.verdict else { continue }
            return Document(
                outcome: "chosen", account: judged.candidate.account.id.description,
                group: judged.candidate.group.name, reason: reason.name)
        }
        if case .ambiguous = selection.outcome { return Document(outcome: "ambiguous") }
        return Document(outcome: "nobody")
    }

    /// `Schemas/status.schema.json#/properties/account`.
    struct Document: Encodable {
        let outcome: String
        var account: String?
        var group: String?
        var reason: String?
    }
}
