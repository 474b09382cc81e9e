internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobModel

/// A choice among accounts that a tool's question leaves open.
struct ToolAccountChoice {
    /// What the account can be bound to, so that the question is not open any more.
    let subject: Binding.Subject
    /// What the tool is told where nobody chooses: it names the command that binds one.
    let error: KeyringError

    /// The choice; nil where an error says something else, or what was asked names an account.
    ///
    /// - Parameter keyring: Tells what is bound to no account there.
    init?(
        of error: KeyringError, _ question: CredentialOptions.Question, _ request: TokenRequest, _ keyring: Keyring,
        _ global: GlobalOptions
    ) {
        guard error.code == .ambiguous, !request.isNamed,
            case .chooseAccount(let name?, let group)? = error.advice
        else { return nil }
        let usual = Self.subject(question, request)
        let blocking = (try? keyring.accounts.select(request, in: global.groups()).blocking) ?? []
        if let directory = request.context.directory,
            blocking.contains(where: { Self.is($0.subject, narrowerThan: usual) })
        {
            // The usual one would not count here.
            subject = .directory(directory)
        } else {
            subject = usual
        }
        self.error = error.saying(advice: Self.advice(question, subject, name, group ?? global.onlyGroup))
    }

    /// The same of what an agent says, whose vault is shut here: it does not tell what is bound there.
    init?(
        ofAgents error: KeyringError, _ question: CredentialOptions.Question, _ request: TokenRequest,
        _ global: GlobalOptions
    ) {
        guard error.code == .ambiguous, !request.isNamed, let name = error.candidates.first else { return nil }
        subject = Self.subject(question, request)
        self.error = error.saying(advice: Self.advice(question, subject, name, global.onlyGroup))
    }

    private static func advice(
        _ question: CredentialOptions.Question, _ subject: Binding.Subject, _ name: String, _ group: AccessGroup?
    ) -> Advice {
        .words("bind one, for example '\(command(question, subject, name, group))'")
    }

    /// The command that binds an account.
    ///
    /// A clone's folder is gone once git has stopped: it is made first.
    static func command(
        _ question: CredentialOptions.Question, _ subject: Binding.Subject, _ name: String, _ group: AccessGroup?
    ) -> String {
        let scheme = question.url.text.prefix { $0 != ":" }
        var first = ""
        let (option, text): (String, String) =
            switch subject {
            case .url(let url): ("--url", "\(scheme)://\(url.host)/\(url.path.joined(separator: "/"))")
            case .directory(let path): ("--directory", path)
            case .host, .tool: ("--host", question.url.address.host)
            }
        if case .directory(let path) = subject, isOfClone(path) { first = "mkdir -p \(ShellWord.inMessage(path)) && " }
        let place = group.map { " --group \(ShellWord.inMessage($0.name))" } ?? ""
        let words = ["keyfob bind", option, ShellWord.inMessage(text), ShellWord.inMessage(name)]
        return first + words.joined(separator: " ") + place
    }

    /// Whether a directory is only being made by a clone, which takes it away again where it fails.
    private static func isOfClone(_ path: String) -> Bool {
        FileAccess.status(path, following: true) == nil
            || CallingProgram.chain().contains { $0.isGits && $0.command == "clone" }
    }

    /// The names of advice that is about something meant which is not there.
    static let codesOfMissing = ["rebind", "nameAccountOrUnbind", "forgetAccount", "undoRemoval"]

    /// An error whose advice can be followed by whoever uses the tool, who types no options of this command.
    static func inTermsOfTool(
        _ error: KeyringError, _ question: CredentialOptions.Question, _ request: TokenRequest
    ) -> KeyringError {
        func binding(
            _ subject: Binding.Subject? = nil, _ name: String = "ACCOUNT", _ group: AccessGroup? = nil
        ) -> String {
            "'\(command(question, subject ?? self.subject(question, request), name, group))'"
        }
        switch error.advice {
        case .chooseAccount(let name?, _)? where request.login != nil:
            let user = PercentEncoding.encode(name, only: "@:/?# ")
            let address = "https://\(user)@\(question.url.address)"
            return error.saying(advice: .words("name it in the address: '\(address)'"))
        case .chooseAccount(let name?, _)? where request.isUsual:
            return error.saying(advice: .words("name it: 'export KEYFOB_ACCOUNT=\(ShellWord.inMessage(name))'"))
        case .chooseGroup(let group)?:
            guard let name = error.candidates.first else { return error }
            return error.saying(advice: .words("bind one, for example \(binding(nil, name, group))"))
        case .rebind(let old)?, .nameAccountOrUnbind(let old)?:
            let anew = binding(old.subject, "ACCOUNT", old.origin.group)
            return error.saying(advice: .words("bind it anew: \(anew), or run \(old.undoing)"))
        case .forgetAccount? where !request.isNamed:
            let ways = "sign in again with 'keyfob login' or 'keyfob add'"
            return error.saying(advice: .words("\(ways), or bind another: \(binding())"))
        case .undoRemoval(let id, _, _, _)? where !request.isNamed:
            return error.saying(advice: .words("'keyfob undo \(id)' brings it back, or bind another: \(binding())"))
        case .chooseTenant?:
            let tenant = ShellWord.inMessage(error.candidates.first ?? "TENANT")
            return error.saying(advice: .words("bind one: \(binding().dropLast()) --tenant \(tenant)'"))
        case .chooseClient?: return error.saying(advice: .chooseClientOrDefault)
        default: return error
        }
    }

    /// What is bound where nothing is in the way: for git the owner's address, and for other tools the host, as neither their
    /// paths nor the directory tell anything of an account.
    static func subject(_ question: CredentialOptions.Question, _ request: TokenRequest) -> Binding.Subject {
        let address = question.url.address
        guard question.tool == ToolCall.git.tool else { return .host(address.host) }
        if let owner = address.path.first { return .url(ResourceURL(host: address.host, path: [owner])) }
        // The address tells no repositories apart, and each may be somebody else's.
        if request.context.remote != nil, let directory = request.context.directory { return .directory(directory) }
        return .host(address.host)
    }

    /// Whether a binding of one subject goes before one of another, where a request meets both.
    private static func `is`(_ subject: Binding.Subject, narrowerThan other: Binding.Subject) -> Bool {
        switch (subject, other) {
        case (.directory, .url), (.directory, .host), (.url, .host): true
        case (.url(let url), .url(let wide)): url.path.count > wide.path.count
        default: false
        }
    }
}

extension GlobalOptions {
    /// The group that is named, where one is.
    fileprivate var onlyGroup: AccessGroup? { group.count == 1 ? group.first.flatMap { try? AccessGroup($0) } : nil }
}
