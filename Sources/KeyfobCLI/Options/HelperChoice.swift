internal import Keyfob
internal import KeyfobInterop
internal import KeyfobModel

/// A choice among accounts that a tool's question leaves open.
struct HelperChoice {
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
        let scheme = question.url.text.prefix { $0 != ":" }
        let (option, text): (String, String) =
            switch subject {
            case .url(let url): ("--url", "\(scheme)://\(url.host)/\(url.path.joined(separator: "/"))")
            case .directory(let path): ("--directory", path)
            case .host, .tool: ("--host", question.url.address.host)
            }
        let words = ["bind", option, ShellWord.inMessage(text), ShellWord.inMessage(name)]
        let place = (group?.name ?? global.group.first).map { " --group \(ShellWord.inMessage($0))" } ?? ""
        self.error = error.saying(
            advice: .words("bind one, for example 'keyfob \(words.joined(separator: " "))\(place)'"))
    }

    /// What is bound where nothing is in the way: for git the owner's address, and for other tools the host, as neither their
    /// paths nor the directory tell anything of an account.
    private static func subject(_ question: CredentialOptions.Question, _ request: TokenRequest) -> Binding.Subject {
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
