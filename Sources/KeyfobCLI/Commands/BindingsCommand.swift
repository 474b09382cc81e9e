internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct BindingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bindings", abstract: "List what is bound to which account.",
        discussion: """
            The most specific kind first; of one kind in the order of their names. A .keyfob.toml that was \
            allowed stands here as its directory. One that somebody with the key of a group made counts for the accounts \
            of that group alone, until you bind it again.

            Example:
              keyfob bindings
              keyfob bindings --group work --json
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring(reaching: .files())
        let groups = try global.groups()
        let accounts = try keyring.accounts.list(in: groups)
        let files = try keyring.bindings.allowedFiles(in: groups)
        let own = try keyring.bindings.list(in: groups)
        let listed =
            (own.map { ListedBinding($0, accounts, among: own) } + files.map { ListedBinding($0, accounts, own) })
            .sorted { $0.binding < $1.binding }
        global.tellWarnings(of: keyring)
        if global.json {
            return try JSONOutput.print(BindingListDocument(bindings: listed.map(BindingDocument.init)))
        }
        var table = Table(
            header: ["KIND", "SUBJECT", "ACCOUNT", "GROUP", "FROM", "STATE"],
            yielding: ["FROM", "GROUP", "KIND"], wrapping: ["STATE"],
            usual: ["GROUP": AccessGroup.default.name, "FROM": "keyring", "STATE": "in force"])
        let names = AccountNaming(among: accounts)
        for item in listed { table.add(item.row(names)) }
        try global.show(table, orSay: "nothing is bound; 'keyfob bind ACCOUNT' binds this directory")
        for file in files {
            if let problem = file.problem {
                StandardError.write(line: "keyfob: warning: \(problem.text)")
            }
        }
    }
}

/// A binding with what there is to be said of it.
private struct ListedBinding {
    let binding: Binding
    /// The account, when it is in the group.
    let account: Account?
    /// Why its file does not count.
    let problem: Warning?
    let state: String
    /// That of another group which speaks against it.
    private let rival: Binding?

    /// A binding that stands in the keyring.
    init(_ binding: Binding, _ candidates: [Candidate], among own: [Binding]) {
        self.binding = binding
        problem = nil
        account = Self.account(of: binding, candidates)
        rival = own.first(where: binding.contradicts)
        let isGone = account == nil && binding.target != .nobody
        state = isGone ? "accountGone" : rival == nil ? "inForce" : "contradicted"
    }

    /// That of a file, beside those that stand in the keyring.
    init(_ file: Keyring.AllowedFile, _ candidates: [Candidate], _ own: [Binding]) {
        binding = file.binding
        problem = file.problem
        rival = nil
        account = Self.account(of: binding, candidates)
        if problem != nil {
            state = "fileNotInForce"
        } else if own.contains(where: { $0.overrides(file.binding) }) {
            state = "overridden"
        } else {
            state = account == nil && binding.target != .nobody ? "accountGone" : "inForce"
        }
    }

    private static func account(of binding: Binding, _ candidates: [Candidate]) -> Account? {
        candidates.first { $0.account.id == binding.target.account && $0.group == binding.origin.group }?.account
    }

    func row(_ names: AccountNaming) -> [String] {
        let words = [
            "fileNotInForce": "not in force", "accountGone": "account gone", "inForce": "in force",
            "overridden": "overridden",
        ]
        let place = if case .file(let path, _) = binding.origin { path } else { "keyring" }
        let from = place + (binding.writer == .group ? ", by a key of the group" : "")
        return [
            binding.subject.kind, binding.subject.text,
            (account.map(names.brief) ?? binding.target.text)
                + (binding.tenant.map { " in tenant \($0)" } ?? ""),
            binding.origin.group.name, from,
            words[state] ?? rival.map { "group '\($0.origin.group)' disagrees" } ?? state,
        ]
    }
}

/// A binding in a document.
private struct BindingDocument: Encodable {
    let kind: String
    let subject: String
    let account: String?
    let username: String?
    let label: String?
    let tenant: String?
    let group: String
    let origin: String
    let file: String?
    let writer: String
    let state: String
    let problem: String?

    init(_ listed: ListedBinding) {
        let binding = listed.binding
        kind = binding.subject.kind
        subject = binding.subject.text
        account = listed.account?.id.description ?? binding.target.account?.description
        username = listed.account?.username
        label = listed.account?.label
        tenant = binding.tenant
        group = binding.origin.group.name
        switch binding.origin {
        case .keyring: (origin, file) = ("keyring", nil)
        case .file(let path, _): (origin, file) = ("file", path)
        }
        writer = binding.writer.rawValue
        state = listed.state
        problem = listed.problem?.text
    }
}

/// `Schemas/binding-list.schema.json`.
private struct BindingListDocument: JSONDocument {
    let formatVersion = 1
    let bindings: [BindingDocument]
}
