internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobTerminal

struct KubectlCredentialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kubectl", abstract: "Give kubectl the token of the right account.",
        discussion: """
            kubectl-keyfob, as kubectl and other programs with client-go call it: an ExecCredential plugin (v1 and v1beta1), \
            named in the kubeconfig, which reads what is asked in KUBERNETES_EXEC_INFO. The account is chosen as 'keyfob \
            token --url' chooses it for the cluster's server, so provideClusterInfo has to be true there, and the server's \
            host one to which the account's tokens go: bind it. No token goes to a server whose certificate is not verified, or where the kubeconfig itself has another server answer \
            (proxy-url, tls-server-name).

            A program that asks again for the token that it has been given, or a command that is repeated within two minutes, may \
            have been refused it: then the server is asked (for a repeated command once in a minute) \
            whether it takes the token (GET /version; its certificate has to be of the kubeconfig's authority), and where it does not, the program gets a new one, once in a minute for all programs. Where several accounts fit, it asks at kubectl's terminal, as 'keyfob helper git' does, whatever \
            interactiveMode says; Ctrl-R binds the choice to the host. While the vault is locked, an agent that runs is asked \
            ('keyfob agent').

            Example:
              keyfob bind --host api.cluster.example:6443 ada@contoso.example
              keyfob setup kubectl --scope https://api.cluster.example/.default
            """)

    @OptionGroup var options: CredentialOptions

    func run() throws {
        let request: ExecCredentialRequest
        do {
            request = try ExecCredentialRequest(Environment.current[ExecCredentialRequest.variable])
        } catch {
            throw KeyringError(.usage, "\(error)")
        }
        let url = try Self.destination(of: request)
        let source = try options.tokenSource()
        defer { options.tellWarnings(of: source) }
        let question = CredentialOptions.Question(tool: ToolCall.kubectl.tool, url: url)
        let token = replacingRefused(try options.requiredToken(question, from: source), from: source, request, url)
        let answer = request.answer(until: token.answer.found.credential.expiresOn)
        try SecretInJSON(before: answer.before, after: answer.after).write(token.answer.secret) {
            (piece) throws(KeyringError) in try StandardOutput.write(bytes: piece)
        }
        token.remember()
    }

    private static func destination(of request: ExecCredentialRequest) throws(KeyringError) -> CredentialURL {
        switch request.destination {
        case .server(let url): return url
        case .untold:
            throw KeyringError(
                .hostNotAllowed, "kubectl does not say to which server the token goes",
                hint: "set provideClusterInfo: true beside the command in the kubeconfig")
        case .insecure:
            throw KeyringError(.hostNotAllowed, "no token goes to a server that is not https, and not on this machine")
        case .unverified(let host):
            throw KeyringError(
                .hostNotAllowed, "no token goes to \(host), whose certificate is not verified",
                hint: "take insecure-skip-tls-verify out of the kubeconfig")
        case .redirected(let host, let line):
            throw KeyringError(
                .hostNotAllowed, "no token goes to \(host) where the kubeconfig has \(line)",
                hint: "take it out of the kubeconfig; a proxy can be named by HTTPS_PROXY")
        }
    }

    /// The token, or another where the caller was most likely refused this one, and the server does not take it; notes which it is.
    private func replacingRefused(
        _ token: consuming ToolToken, from source: TokenSource, _ request: ExecCredentialRequest, _ url: CredentialURL
    ) -> ToolToken {
        guard let (runtime, vault) = Self.place(of: source), let caller = CallerNotes.Caller.current else {
            return token
        }
        let callers = CallerNotes(runtime: runtime, vault: vault, of: .kubectl)
        let checks = CallerNotes(runtime: runtime, vault: vault, ofChecksFor: .kubectl)
        let now = WallClock.system.now.seconds
        var given = CallerNotes.Note(naming: token.answer.secret, at: now)
        defer { try? callers.write(given, of: caller) }
        let account = CallerNotes.key(token.answer.found.account.id.description, server: url.text)
        guard token.answer.found.origin == .stored, !options.refresh.offline,
            callers.isDoubtful(given, to: caller, at: url.text, checks: checks),
            checks.note(of: account)?.isWithin(CallerNotes.pause, of: now) != true
        else { return token }
        try? checks.write(given, of: [CallerNotes.key(given.mark, server: url.text)])
        guard
            ClusterEvidence(
                url: url, authority: request.authority, runtime: runtime, options: options.networkOptions
            ).isRefused(token.answer.secret)
        else { return token }
        try? checks.write(given, of: [account])
        do {
            let other = try token.replacement()
            given = CallerNotes.Note(naming: other.answer.secret, at: now)
            return other
        } catch {
            options.global.say("keyfob: warning: no other token than the one that was refused: \(error.message)")
            return token
        }
    }

    /// The folder for the login, and the vault's id; nil without such a folder.
    private static func place(of source: TokenSource) -> (runtime: String, vault: String)? {
        switch source {
        case .keyring(let keyring): keyring.location.runtime.map { ($0, keyring.vaultID) }
        case .agent(_, _, let location):
            location.flatMap { location in
                location.runtime.flatMap { runtime in
                    (try? LockedKeyring(at: location).vaultID).map { (runtime, $0) }
                }
            }
        }
    }
}
