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
        remembering subject: Binding.Subject?, asking tool: String? = nil
    ) throws(KeyringError) -> (candidate: Candidate, isForGood: Bool) {
        guard !noInput else {
            throw KeyringError(
                .ambiguous, "choosing among \(candidates.count) accounts needs a person",
                hint: "leave out --no-input, or say which with --account",
                accounts: candidates.map(\.candidate.account))
        }
        let purpose =
            request.context.address.map { "for \($0)" } ?? request.context.directory.map { "for \($0)" } ?? ""
        let picked = try pick(
            PickerItem.items(candidates, beside: evidence), purpose, remembering: subject?.text, asking: tool)
        return (candidates[picked.index].candidate, picked.isForGood)
    }

    /// Lets the person choose among what is shown.
    ///
    /// - Parameter tool: The tool that waits for the answer; nil for this command itself.
    func pick(
        _ items: [PickerItem], _ purpose: String, remembering subject: String?, asking tool: String?
    ) throws(KeyringError) -> PickedItem {
        // For a tool not for ever: nobody may see that it waits.
        let limit = tool.map { _ in QuestionLimit(seconds: TerminalTurn.seconds, isWanted: CallingProgram.watch()) }
        let purpose = purpose + (tool.map { "; \($0) waits for it" } ?? "")
        do {
            return Environment.current["TERM"] == "dumb"
                ? try AccountQuestion.choose(among: items, purpose: purpose, remembering: subject, until: limit)
                : try AccountPicker.choose(
                    among: items, purpose: purpose, color: usesColor(), remembering: subject, until: limit)
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

extension PickerItem {
    /// An account of which an agent gives tokens, by its id, with what the agent tells of it.
    init(of id: String, among known: [Record]) {
        let record = known.first { $0.text("id") == id }
        let (username, label) = (record?.text("username") ?? id, record?.text("label"))
        self.init(
            title: label ?? username, details: label == nil || username.isEmpty ? nil : username,
            host: record?.text("environment") ?? "", tenant: record?.text("homeTenant"),
            group: record?.text("group") ?? "", state: "", reason: "")
    }
}

extension Record {
    fileprivate func text(_ name: String) -> String? {
        guard case .text(let text)?? = fields.first(where: { $0.name == name }).map(\.value) else { return nil }
        return text
    }
}
