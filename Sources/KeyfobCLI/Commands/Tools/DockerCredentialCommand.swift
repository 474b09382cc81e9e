internal import ArgumentParser
internal import Keyfob
internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobTerminal

struct DockerCredentialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docker", abstract: "Give docker the token of the right account.",
        discussion: """
            docker-credential-keyfob, as docker, podman, skopeo and others call it: reads a server on standard input. 'get' \
            answers with the token of the account that 'keyfob token --url' chooses for the server's host, and with 'oauth2' \
            as the user: for ghcr.io one of GitHub's accounts, for registry.gitlab.com one of GitLab's, for other hosts one \
            that is bound to them ('keyfob bind --host') or was stored for them; while the vault is locked, an agent that runs is \
            asked ('keyfob agent'). 'list' shows what was stored, and the first two where an \
            account is chosen for them.

            'store' ('docker login', 'skopeo login') keeps what a registry of its own takes, as 'keyfob add USER@HOST' does, \
            and 'erase' removes that again, and nothing else. For ghcr.io and registry.gitlab.com sign in with 'keyfob login' \
            instead.

            Errors go to standard output too, as docker reads them there. Where there is nothing for the server, that is \
            '\(DockerCredentials.notFound)', and the status is 1. Where several accounts fit, it asks at \
            docker's terminal, as 'keyfob helper git' does; Ctrl-R binds the choice to the host.

            Example:
              echo '{"credHelpers": {"ghcr.io": "keyfob"}}' > ~/.docker/config.json
              echo ghcr.io | docker-credential-keyfob get
            """)

    @Argument(help: "What docker wants: get, store, erase, list or version.") var operation: String

    @OptionGroup var options: CredentialOptions

    private static let tool = ToolCall.docker.tool

    func run() throws {
        do {
            switch operation {
            case "get": try get()
            case "store": try store()
            case "erase": try erase()
            case "list": try list()
            case "version":
                try StandardOutput.write(line: "docker-credential-keyfob \(KeyfobCommand.configuration.version)")
            default: throw KeyringError(.usage, "docker's helpers have no operation '\(operation)'")
            }
        } catch let error as KeyringError {
            try? StandardOutput.write(line: error.message)
            throw error
        } catch let flaw as DockerCredentials.Flaw {
            // The words that clients know are all there is to say.
            try StandardOutput.write(line: "\(flaw)")
            throw ReportedFailure(status: .failure)
        }
    }

    private func get() throws {
        let server = try DockerCredentials.server(Self.text())
        guard let url = DockerCredentials.url(of: server) else { return try tellNotFound() }
        let source = try options.tokenSource()
        defer { options.tellWarnings(of: source) }
        guard let token = try options.token(CredentialOptions.Question(tool: Self.tool, url: url), from: source) else {
            return try tellNotFound()
        }
        let username = DockerCredentials.username(of: token.answer.found.account, at: url)
        let answer = DockerCredentials.answer(server: server, username: username)
        try SecretInJSON(before: answer.before, after: answer.after).write(token.answer.secret) {
            (piece) throws(KeyringError) in try StandardOutput.write(bytes: piece)
        }
        options.tellMissingScopes(of: token.answer.found, for: .packages)
        token.remember()
    }

    private func store() throws {
        let credential = try DockerCredentials.credential(Self.text())
        guard let url = DockerCredentials.url(of: credential.server), case let host = url.address.host,
            let id = AccountID(homeAccountID: credential.username, environment: host)
        else {
            throw KeyringError(.usage, "no token can be kept for '\(credential.username)' at '\(credential.server)'")
        }
        let keyring = try options.keyring()
        defer { options.global.tellWarnings(of: keyring) }
        let groups = try options.global.groups()
        if try isAnswer(credential, at: url, in: keyring) { return }
        try requirePlace(for: credential.username, at: host)
        let known = try accounts(at: host, in: keyring)
        guard !known.contains(where: { $0.account.id == id && !isDockers($0) }) else {
            throw KeyringError(
                .alreadyExists, "'\(id)' is in the keyring already, and not from docker",
                hint: "'keyfob add \(ShellWord.inMessage("\(id)"))' stores another token of it")
        }
        let token = GivenToken(of: id, called: credential.username, client: DockerCredentials.client)
        _ = try keyring.tokens.store(token.credential, secret: credential.secret, for: token.account, in: groups)
        // docker knows one user at a registry.
        for other in known where other.account.id != id && isDockers(other) {
            try remove(other, keyring)
        }
    }

    /// Whether docker brings what it is answered.
    private func isAnswer(
        _ credential: borrowing DockerCredentials.Credential, at url: CredentialURL, in keyring: Keyring
    ) throws(KeyringError) -> Bool {
        let request = try options.request(CredentialOptions.Question(tool: Self.tool, url: url))
        guard let own = try? keyring.tokens.kept(for: request, in: options.global.groups()) else { return false }
        let username = DockerCredentials.username(of: own.found.account, at: url)
        return [GitCredentialAnswer.anyUser, credential.username].contains(username)
            && own.secret.isEqual(to: credential.secret)
    }

    /// Makes sure that Keyfob is where a credential belongs.
    private func requirePlace(for username: String, at host: String) throws(KeyringError) {
        guard !BuiltInHosts.isRegistry(host) else {
            throw KeyringError(
                .notOffered, "for \(host) Keyfob answers with the tokens of your accounts, and keeps no others",
                hint: "sign in with 'keyfob login', or name another credential helper for it (credHelpers)")
        }
        guard username != DockerCredentials.identityToken else {
            throw KeyringError(
                .notOffered, "\(host) gave docker a token that only gets others, which Keyfob cannot use",
                hint: "name another credential helper for it (credHelpers)")
        }
    }

    private func erase() throws {
        // What a sign-in gave is not docker's to end.
        guard let url = DockerCredentials.url(of: try DockerCredentials.server(Self.text())) else { return }
        let keyring = try options.keyring()
        defer { options.global.tellWarnings(of: keyring) }
        for known in try accounts(at: url.address.host, in: keyring) where isDockers(known) {
            try remove(known, keyring)
        }
    }

    private func remove(_ candidate: Candidate, _ keyring: Keyring) throws(KeyringError) {
        // What the owner has bound to it goes too.
        let undo = UndoPolicy.keep(keyring.undo.command("docker logout"))
        _ = try keyring.accounts.remove(candidate.account.id, from: candidate.group, unbinds: true, undo: undo)
    }

    /// The accounts of a registry that has its own.
    private func accounts(at host: String, in keyring: Keyring) throws(KeyringError) -> [Candidate] {
        try keyring.accounts.list(in: options.global.groups()).filter {
            EnvironmentAliases.areSame($0.account.id.environment, host)
        }
    }

    /// Whether all that there is of an account was stored by docker.
    private func isDockers(_ candidate: Candidate) -> Bool { candidate.clientIDs == [DockerCredentials.client] }

    private func list() throws {
        let keyring = try options.keyring()
        defer { options.global.tellWarnings(of: keyring) }
        let groups = try options.global.groups()
        var users: [String: String] = [:]
        let candidates = try keyring.accounts.list(in: groups)
        for host in Set(candidates.map(\.account.id.environment)).flatMap(BuiltInHosts.registries) {
            guard let url = CredentialURL(host) else { continue }
            let request = try options.request(CredentialOptions.Question(tool: Self.tool, url: url))
            guard case .chosen = try keyring.accounts.select(request, in: groups).outcome else { continue }
            users[host] = GitCredentialAnswer.anyUser
        }
        for candidate in candidates where isDockers(candidate) {
            users[DockerCredentials.server(at: candidate.account.id.environment)] = candidate.account.username
        }
        try StandardOutput.write(data: DockerCredentials.list(users))
    }

    private func tellNotFound() throws {
        try StandardOutput.write(line: DockerCredentials.notFound)
        throw ReportedFailure(status: .failure)
    }

    private static func text() throws(KeyringError) -> SecretBytes {
        try SecretInput.toolRequest(limit: DockerCredentials.maximumCount)
    }
}
