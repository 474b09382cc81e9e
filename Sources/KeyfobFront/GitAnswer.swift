internal import Glibc
internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSelection
internal import KeyfobSodium

/// Answers git as `keyfob helper git get` does, for whoever is tried first.
enum GitAnswer {
    /// Prints the token that git asks for.
    ///
    /// - Returns: The exit status; nil where nothing was written, and the full program has to answer: what git asks is then
    ///   still in the pipe.
    static func get(_ taken: TokenArguments, _ variables: Variables) -> CInt? {
        guard let text = PipedQuestion.read(until: GitCredentialRequest.isWhole),
            let request = try? GitCredentialRequest(reading: text),
            let url = request.url,
            let asked = FrontRequest(
                taken, variables, asking: FrontRequest.Question(tool: .git, url: url.text, login: request.login))
        else { return nil }
        return Front.find(asked, variables) { secret, hit in
            // That scopes are missing is told by the full program.
            guard hit.credential.mayServe(.git),
                let answer = GitCredentialAnswer(to: request, of: hit.account.id, until: hit.credential.expiresOn)
            else { return nil }
            return Output.write(secret, behind: answer.before, before: answer.after)
        }
    }
}
