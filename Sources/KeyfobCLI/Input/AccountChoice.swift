internal import Keyfob
internal import KeyfobTerminal

extension PickerItem {
    /// The accounts of a selection as they are shown together.
    static func items(_ candidates: [Selection.Judged], beside evidence: BrokerEvidence? = nil) -> [PickerItem] {
        let names = AccountNaming(among: candidates.map(\.candidate))
        return candidates.map { PickerItem($0, names, beside: evidence) }
    }

    /// An account of a selection, and why it ranks where it does.
    ///
    /// - Parameter names: What the accounts are called that are shown together.
    private init(_ judged: Selection.Judged, _ names: AccountNaming, beside evidence: BrokerEvidence?) {
        let account = judged.candidate.account
        let reason =
            switch judged.verdict {
            case .chosen(let reason): reason.description
            case .possible(let usage): usage?.description ?? (judged.candidate.isDefault ? "the group's default" : "")
            case .rejected(let rejection): rejection.description
            }
        self.init(
            title: names.brief(account),
            details: account.label == nil || account.username.isEmpty ? nil : account.username,
            host: account.id.environment, tenant: account.homeRealm,
            group: judged.candidate.group.name, state: judged.candidate.state.words,
            reason: evidence?.has(account) == true
                ? (reason.isEmpty ? "" : reason + "; ") + "the broker has it too" : reason)
    }
}

extension GlobalOptions {
    /// Whether a person can be asked.
    var mayPick: Bool { !noInput && !json && Terminal() != nil }

    /// Lets the person choose among accounts.
    ///
    /// - Throws: `ambiguous` with --no-input, and what the picker throws.
    func pick(
        among candidates: [Selection.Judged], for request: TokenRequest, beside evidence: BrokerEvidence? = nil
    ) throws(KeyringError) -> Candidate {
        try pick(among: candidates, for: request, beside: evidence, remembering: nil).candidate
    }

    /// The same; the person may say that the account is to be bound to a subject.
    func pick(
        among candidates: [Selection.Judged], for request: TokenRequest, beside evidence: BrokerEvidence? = nil,
        remembering subject: Binding.Subject?
    ) throws(KeyringError) -> (candidate: Candidate, isForGood: Bool) {
        guard !noInput else {
            throw KeyringError(
                .ambiguous, "choosing among \(candidates.count) accounts needs a person",
                hint: "leave out --no-input, or say which with --account",
                accounts: candidates.map(\.candidate.account))
        }
        let purpose =
            request.context.address.map { "for \($0)" } ?? request.context.directory.map { "for \($0)" } ?? ""
        let items = PickerItem.items(candidates, beside: evidence)
        do {
            let picked =
                Environment.current["TERM"] == "dumb"
                ? try AccountQuestion.choose(among: items, purpose: purpose, remembering: subject?.text)
                : try AccountPicker.choose(
                    among: items, purpose: purpose, color: usesColor(), remembering: subject?.text)
            return (candidates[picked.index].candidate, picked.isForGood)
        } catch {
            throw KeyringError(error)
        }
    }

    /// How the first word of a line of standard output looks: of a file or a pipe only where --color says so.
    func look(_ look: EntryLook) -> EntryLook? {
        color == .always || StandardOutput.isTerminal && usesColor() ? look : nil
    }

    /// Whether to draw in colour: as --color says, or else unless `NO_COLOR` is set or the terminal has none.
    func usesColor(_ environment: Environment = .current) -> Bool {
        switch color {
        case .always: true
        case .never: false
        case .auto: environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
        }
    }
}
