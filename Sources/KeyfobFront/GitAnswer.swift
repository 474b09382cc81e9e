internal import CLinux
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
        guard let text = question, text.withBytes(GitCredentialRequest.isWhole),
            let request = try? GitCredentialRequest(reading: text),
            let url = request.url, let login = request.logins.first,
            let asked = FrontRequest(taken, variables, asking: FrontRequest.Question(url: url.text, login: login))
        else { return nil }
        return Front.find(asked, variables) { secret, hit in
            guard login.map(hit.account.isCalled) ?? true,
                let answer = GitCredentialAnswer(to: request, of: hit.account.id, until: hit.credential.expiresOn)
            else { return nil }
            return Output.write(secret, behind: answer.before, before: answer.after)
        }
    }

    /// What is in the pipe of standard input once something is, and stays there; nil where it is no pipe.
    private static var question: SecretBytes? {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        var count: Int
        repeat { count = linux_copy_pipe(STDIN_FILENO, ends[1], limit) } while count < 0 && errno == EINTR
        close(ends[1])
        defer { close(ends[0]) }
        return count > 0 ? try? SecretBytes.reading(descriptor: ends[0], limit: limit) : nil
    }

    /// What a pipe holds; git asks in some hundred bytes.
    private static let limit = 65_536
}
