internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct BindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bind", abstract: "Bind a directory, a URL, a host or a tool to an account.",
        discussion: """
            What is bound uses that account from now on. The most specific binding counts: a directory before a URL, a \
            host, a tool, and all of them before a .keyfob.toml. It has one account at each provider, and no other is \
            taken while that one is signed out or removed. With --tenant it gets the account's tokens of that tenant, \
            without it those of the account's home. 'none' makes keyfob ignore wider bindings of the group; it then \
            chooses as if nothing were bound, and does not refuse. --repository is the directory where the git repository lies, \
            which counts for all its working trees. An account with the label 'none' is named by its id. The \
            account's tokens go to a host that is bound to it: where that is no host of its provider, it asks first, or warns where it may not ask.

            Example:
              keyfob bind --directory . ada@contoso.example
              keyfob bind --directory ./fabrikam ada@contoso.example \\
                --tenant fabrikam.example
              keyfob bind --repository work
              keyfob bind --url https://git.example/contoso work
              keyfob bind --tool terraform none
            """)

    @OptionGroup var options: SubjectOptions
    @Argument(help: "The account: its id, user name or label, or the beginning of one; or 'none'.")
    var account: String
    @Option(name: .long, help: ArgumentHelp("The tenant whose tokens are used.", valueName: "id")) var tenant: String?
    @OptionGroup var consent: ConsentOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if let tenant, !Identifier.isAcceptable(tenant) {
            throw ValidationError("--tenant is blank, too long, or holds control characters")
        }
        if account == "none", tenant != nil { throw ValidationError("--tenant goes with an account") }
    }

    func run() throws {
        let subject = try options.subject(mustExist: true)
        let groups = try global.groups()
        let keyring = try global.unlockedKeyring(reaching: .files())
        guard account != "none" else {
            let group = try keyring.groups.forNewItems(groups)
            let former = try keyring.bindings.set(subject, to: .nobody, in: group)
            global.tellWarnings(of: keyring)
            defer { if !global.json, let words = ReplacedText.text(former, keyring) { global.say(words) } }
            return try global.tell(
                .bound, "\(subject.kind) \(subject.text) is bound to none: \(Binding.meaningOfNone(in: group))"
            ) {
                ($0.subject, $0.group) = (ChangeDocument.Subject(subject), group.name)
            }
        }
        let candidate = try keyring.accounts.named(account, in: groups)
        let name = keyring.accounts.shownName(of: candidate.account)
        let host = consent.isGiven ? nil : try keyring.bindings.newDestination(of: subject, for: candidate)
        let mayAsk = !global.noInput && Terminal.isThere
        let consequence = host.map { host in
            "\(host) is no host of \(candidate.account.id.environment): it \(mayAsk ? "would get" : "now gets") "
                + "the tokens of \(name)"
        }
        if let consequence, mayAsk {
            try Confirmation.requireConsent(
                "\(consequence). Bind it? [y/N] ", otherwise: "--force does it without asking", global)
        }
        let former = try keyring.bindings.set(
            subject, to: .account(candidate.account.id), tenant: tenant, in: candidate.group)
        if let consequence, !mayAsk {
            StandardError.write(
                line: NamedVault.completing("keyfob: warning: \(consequence); 'keyfob undo' takes it back"))
        }
        global.tellWarnings(of: keyring)
        try candidate.tellBinding(of: subject, as: name, tenant: tenant, global)
        if !global.json, let words = ReplacedText.text(former, keyring) { global.say(words) }
        try tellRivals(of: subject, for: candidate, keyring)
    }

    /// Tells of bindings that keep the new one from counting where no group is named.
    private func tellRivals(
        of subject: Binding.Subject, for candidate: Candidate, _ keyring: Keyring
    ) throws(KeyringError) {
        let new = Binding(subject, to: .account(candidate.account.id), from: .keyring(candidate.group), by: .owner)
        for rival in try keyring.bindings.list().filter(new.contradicts) {
            let words =
                "'keyfob unbind --\(subject.kind) \(ShellWord.inMessage(subject.text)) --group \(rival.origin.group)'"
            global.say(
                "group '\(rival.origin.group)' has another account for it: neither counts unless --group says which; "
                    + "\(words) takes that one back")
        }
    }
}

extension Candidate {
    /// Tells that it, which is shown as `name`, is bound to `subject` now.
    func tellBinding(
        of subject: Binding.Subject, as name: String, tenant: String? = nil, _ global: GlobalOptions
    ) throws(KeyringError) {
        let place = tenant.map { " in tenant \($0)" } ?? ""
        try global.tell(.bound, "\(subject.kind) \(subject.text) uses \(name) of group '\(group)'\(place)") {
            $0.subject = ChangeDocument.Subject(subject)
            ($0.account, $0.group) = (account.id.description, group.name)
        }
    }
}
