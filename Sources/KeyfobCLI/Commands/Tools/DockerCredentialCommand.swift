internal import ArgumentParser
internal import Keyfob
internal import KeyfobInterop
internal import KeyfobLookup

struct DockerCredentialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docker", abstract: "Give docker the token of the right account.",
        discussion: """
            docker-credential-keyfob, as docker, podman, skopeo and others call it: reads a server on standard input. 'get' \
            answers with the token of the account that 'keyfob token --url' chooses for the server's host, and with 'oauth2' \
            as the user: for ghcr.io one of GitHub's accounts, for registry.gitlab.com one of GitLab's, for other hosts one \
            that is bound to them ('keyfob bind --host'). 'list' shows the first two, where an account is chosen for them.

            It keeps tokens of accounts, and no passwords: 'store' refuses what is not the token that it answers with itself, \
            so name it for the registries that it is for (credHelpers), and not for all. 'erase' ends no sign-in.

            Errors go to standard output too, as docker reads them there. Where there is nothing for the server, that is \
            '\(DockerCredentials.notFound)', and the status is 1. It asks nothing.

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
        guard let url = CredentialURL(server) else { return try tellNotFound() }
        let keyring = try options.keyringForToken()
        defer { options.global.tellWarnings(of: keyring) }
        guard let token = try options.token(CredentialOptions.Question(tool: Self.tool, url: url), in: keyring) else {
            return try tellNotFound()
        }
        let answer = DockerCredentials.answer(server: server, username: GitCredentialAnswer.anyUser)
        try SecretInJSON(before: answer.before, after: answer.after).write(token.answer.secret) {
            (piece) throws(KeyringError) in try StandardOutput.write(bytes: piece)
        }
        token.remember()
    }

    private func store() throws {
        let credential = try DockerCredentials.credential(Self.text())
        if let url = CredentialURL(credential.server) {
            let keyring = try options.keyring()
            defer { options.global.tellWarnings(of: keyring) }
            let request = try options.request(CredentialOptions.Question(tool: Self.tool, url: url))
            if let own = try? keyring.token(for: request, in: options.global.groups()),
                own.secret.isEqual(to: credential.secret)
            {
                return
            }
        }
        throw KeyringError(
            .notOffered, "Keyfob keeps tokens of accounts, and no passwords for registries",
            hint: "name another credential helper for this one (credHelpers)")
    }

    private func erase() throws {
        // What a sign-in gave is not docker's to end.
        _ = try DockerCredentials.server(Self.text())
    }

    private func list() throws {
        let keyring = try options.keyring()
        defer { options.global.tellWarnings(of: keyring) }
        let groups = try options.global.groups()
        var users: [String: String] = [:]
        let environments = Set(try keyring.accounts(in: groups).map(\.account.id.environment))
        for host in environments.flatMap(BuiltInHosts.registries) {
            guard let url = CredentialURL(host) else { continue }
            let request = try options.request(CredentialOptions.Question(tool: Self.tool, url: url))
            guard case .chosen = try keyring.select(request, in: groups).outcome else { continue }
            users[host] = GitCredentialAnswer.anyUser
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
