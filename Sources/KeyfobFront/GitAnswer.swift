internal import Glibc
internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSelection
internal import KeyfobSodium

/// Answers git as `keyfob helper git` does: with a token for whoever is tried first, and by doing nothing where nothing is to
/// be done.
enum GitAnswer {
    /// Does what git wants.
    ///
    /// - Returns: The exit status; nil where nothing was written, and the full program has to answer: what git asks is then
    ///   still in the pipe.
    static func answer(_ taken: TokenArguments, _ variables: Variables) -> CInt? {
        guard FrontRequest.isWellFormed(taken) else { return nil }
        switch taken.operation {
        case "get": return get(taken, variables)
        case "erase": return erase(taken, variables)
        // git tells every helper of what has worked, and Keyfob has what it gave.
        case "store": return PipedQuestion.read(until: GitCredentialRequest.isWhole) == nil ? nil : 0
        case "capability": return Output.write(GitCredentialAnswer.capabilities)
        default: return nil
        }
    }

    /// Prints the token that git asks for.
    private static func get(_ taken: TokenArguments, _ variables: Variables) -> CInt? {
        guard let text = PipedQuestion.read(until: GitCredentialRequest.isWhole),
            let request = try? GitCredentialRequest(reading: text)
        else { return nil }
        guard let url = request.url(else: GitRemoteProgram.address), request.takesToken else { return 0 }
        let question = FrontRequest.Question(tool: .git, url: url.text, login: request.login)
        guard let asked = FrontRequest(taken, variables, asking: question) else { return nil }
        return Front.find(asked, variables, orSay: { 0 }) { secret, hit in
            // That scopes are missing is told by the full program.
            guard hit.credential.mayServe(.git),
                let answer = GitCredentialAnswer(to: request, with: hit.credential, of: hit.account)
            else { return nil }
            return answer.value(of: secret).withBytes {
                Output.write($0, behind: answer.before, before: answer.after)
            }
        }
    }

    /// Does nothing where what the server has refused is not the token that is stored, or the host is nobody's.
    private static func erase(_ taken: TokenArguments, _ variables: Variables) -> CInt? {
        guard let text = PipedQuestion.read(until: GitCredentialRequest.isWhole),
            var request = try? GitCredentialRequest(reading: text)
        else { return nil }
        guard let url = request.url(else: GitRemoteProgram.address), let refused = request.secret.take() else {
            return 0
        }
        let question = FrontRequest.Question(
            tool: .git, url: url.text, login: request.login, account: request.account, minimumValidity: 0)
        guard let asked = FrontRequest(taken, variables, asking: question) else { return nil }
        return Front.find(asked, variables, isUse: false, orSay: { 0 }) { secret, _ in
            SecretBytes(copying: secret).isEqual(to: refused) ? nil : 0
        }
    }
}
