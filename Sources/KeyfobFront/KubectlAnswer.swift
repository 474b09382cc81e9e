internal import Glibc
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSodium

/// Answers kubectl as `keyfob helper kubectl` does, while it was most likely not refused the same token before.
enum KubectlAnswer {
    /// Prints the token for the server that kubectl names.
    ///
    /// - Returns: The exit status; nil where nothing was written, and the full program has to answer.
    static func get(_ taken: TokenArguments, _ variables: Variables) -> CInt? {
        guard let request = try? ExecCredentialRequest(variables[ExecCredentialRequest.variable]),
            case .server(let url) = request.destination,
            let asked = FrontRequest(taken, variables, asking: FrontRequest.Question(tool: .kubectl, url: url.text)),
            let runtime = asked.places.runtime, let caller = CallerNotes.Caller.current,
            let vault = try? KnownPlaces(state: asked.places.state).vault(in: asked.places.vault)
        else { return nil }
        let notes = CallerNotes(runtime: runtime, vault: vault.description, of: .kubectl)
        let checks = CallerNotes(runtime: runtime, vault: vault.description, ofChecksFor: .kubectl)
        return Front.find(asked, variables) { secret, hit in
            let note = CallerNotes.Note(naming: secret, at: Int64(time(nil)))
            guard !notes.isDoubtful(note, to: caller, at: url.text, checks: checks) else { return nil }
            let answer = request.answer(until: hit.credential.expiresOn)
            let status = Output.write(inJSON: secret, behind: answer.before, before: answer.after)
            if status == 0 { try? notes.write(note, of: caller) }
            return status
        }
    }
}
