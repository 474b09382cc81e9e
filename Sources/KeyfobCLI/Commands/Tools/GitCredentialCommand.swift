internal import ArgumentParser
internal import Keyfob
internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobTerminal

struct GitCredentialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "git", abstract: "Give git the token of the right account.",
        discussion: """
            git-credential-keyfob, as git calls it (gitcredentials(7)): reads what git asks on standard input. For https, \
            and http on this machine, it answers with the token of the account that 'keyfob token --url' chooses for the \
            address: in the user's place the one in the address, that of an account whose token you have stored, or 'oauth2'; or as a bearer token where the server \
            takes that and git can (2.46 and later, whose other helpers keep none of it). A user in the address means the account of that name, before KEYFOB_ACCOUNT, \
            unless services take any token by it, such as 'oauth2', 'git' and 'x-access-token', or it is the organisation \
            in an address of Azure DevOps. A token \
            goes only to hosts of its account's provider, and to those that are bound to the account ('keyfob bind --host').

            For other hosts, and where no account fits, it prints nothing and ends with 0, and git goes on to the next \
            helper. While the vault is locked, an agent that runs is asked ('keyfob agent'). Where several accounts fit, \
            it asks at git's terminal, or without one by a window of an agent; Ctrl-R binds the choice to the owner's address. \
            The question ends after three minutes without a key, or with git. Otherwise, and always in hooks, in git's maintenance, in the background, with --no-input, CI or \
            GIT_TERMINAL_PROMPT=0, it names the command that binds one, stops git, and ends with 11. \
            For the owner git has to tell the path, which it does with credential.useHttpPath.

            'erase', which git calls when a server has refused the token, leaves the sign-in as it is: the next 'get' \
            brings a new token. A token that nothing renews stays, and that is told. 'store' stores nothing, \
            'capability' tells what the helper can, and an operation of a later git does nothing.

            Example:
              git config --global credential.helper keyfob
              git config --global credential.useHttpPath true
              keyfob bind --url https://github.com/contoso ada@contoso.example
              git clone https://github.com/contoso/app
            """)

    @Argument(help: "What git wants: get, erase, store or capability.") var operation: String

    @OptionGroup var options: CredentialOptions

    func run() throws {
        switch operation {
        case "get": try get()
        case "erase": try erase()
        case "store": _ = try? Self.text()
        case "capability": try StandardOutput.write(data: GitCredentialAnswer.capabilities)
        default: break
        }
    }

    /// Errors about an account that is meant, or that nobody has chosen: git is to stop.
    private static let ending: Set<KeyringError.Code> = [
        .ambiguous, .cancelled, .noSuchAccount, .signInNeeded, .scopesDeclined, .policyNotMet, .proofNeeded,
    ]

    private func get() throws(KeyringError) {
        let request = try Self.request()
        guard let url = request.url(else: GitRemoteProgram.address), request.takesToken else { return }
        let source = try options.tokenSource()
        defer { options.tellWarnings(of: source) }
        let question = CredentialOptions.Question(tool: ToolCall.git.tool, url: url, login: request.login)
        let token: ToolToken?
        do throws(KeyringError) {
            token = try options.token(question, from: source)
        } catch {
            // No other helper's account is meant, and no password helps.
            if Self.ending.contains(error.code) { try StandardOutput.write(data: GitCredentialAnswer.quit) }
            throw error
        }
        guard let token else { return }
        let found = token.answer.found
        guard let answer = GitCredentialAnswer(to: request, with: found.credential, of: found.account) else { return }
        try StandardOutput.write(data: answer.before)
        try token.answer.secret.withBytes { (bytes) throws(KeyringError) in
            try answer.value(of: bytes).withBytes { (bytes) throws(KeyringError) in
                try StandardOutput.write(bytes: bytes)
            }
        }
        try StandardOutput.write(data: answer.after)
        options.tellMissingScopes(of: found, for: .git)
        token.remember()
    }

    private func erase() throws(KeyringError) {
        var request = try Self.request()
        guard let url = request.url(else: GitRemoteProgram.address), let secret = request.secret.take() else { return }
        let question = CredentialOptions.Question(
            tool: ToolCall.git.tool, url: url, login: request.login, account: request.account)
        if options.isAgentNamed { return try options.refusedToAgent(secret, question) }
        let keyring = try options.keyring()
        defer { options.global.tellWarnings(of: keyring) }
        try options.refused(secret, question, in: keyring)
    }

    private static func text() throws(KeyringError) -> SecretBytes {
        try SecretInput.toolRequest(limit: GitCredentialRequest.maximumCount, until: GitCredentialRequest.isWhole)
    }

    private static func request() throws(KeyringError) -> GitCredentialRequest {
        let text = try text()
        do {
            return try GitCredentialRequest(reading: text)
        } catch {
            throw KeyringError(.damaged, "what git asks is not what git asks: \(error)")
        }
    }
}
