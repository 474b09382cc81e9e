internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSodium

/// Answers docker as `keyfob helper docker get` does.
enum DockerAnswer {
    /// Prints the token for the server that docker asks about.
    ///
    /// - Returns: The exit status; nil where nothing was written, and the full program has to answer.
    static func get(_ taken: TokenArguments, _ variables: Variables) -> CInt? {
        guard let text = PipedQuestion.read(), let server = try? DockerCredentials.server(text) else { return nil }
        guard let url = DockerCredentials.url(of: server) else {
            return FrontRequest.isWellFormed(taken) ? nothing() : nil
        }
        guard
            let asked = FrontRequest(taken, variables, asking: FrontRequest.Question(tool: .docker, url: url.text))
        else { return nil }
        return Front.find(asked, variables, orSay: nothing) { secret, hit in
            // That scopes are missing is told by the full program.
            guard hit.credential.mayServe(.packages) else { return nil }
            let username = DockerCredentials.username(of: hit.account, at: url)
            let answer = DockerCredentials.answer(server: server, username: username)
            return Output.write(inJSON: secret, behind: answer.before, before: answer.after)
        }
    }

    /// Says that there is nothing for the server.
    private static func nothing() -> CInt? { Output.write(DockerCredentials.notFound + "\n").map { $0 == 0 ? 1 : $0 } }
}
