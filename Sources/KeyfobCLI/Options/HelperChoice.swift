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
    init?(
        of error: KeyringError, _ question: CredentialOptions.Question, _ request: TokenRequest,
        _ global: GlobalOptions
    ) {
        guard error.code == .ambiguous, !request.isNamed,
            case .chooseAccount(let name?, let group)? = error.advice
        else { return nil }
        let address = question.url.address
        let (option, text): (String, String)
        if let owner = address.path.first {
            let scheme = question.url.text.prefix { $0 != ":" }
            subject = .url(ResourceURL(host: address.host, path: [owner]))
            (option, text) = ("--url", "\(scheme)://\(address.host)/\(owner)")
        } else if request.context.remote != nil, let directory = request.context.directory {
            // The address tells no repositories apart, and each may be somebody else's.
            (subject, option, text) = (.directory(directory), "--directory", directory)
        } else {
            (subject, option, text) = (.host(address.host), "--host", address.host)
        }
        let words = ["bind", option, ShellWord.inMessage(text), ShellWord.inMessage(name)]
        let place = (group?.name ?? global.group.first).map { " --group \(ShellWord.inMessage($0))" } ?? ""
        self.error = error.saying(
            advice: .words("bind one, for example 'keyfob \(words.joined(separator: " "))\(place)'"))
    }
}
