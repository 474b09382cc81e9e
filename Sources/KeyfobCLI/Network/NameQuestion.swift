internal import Keyfob
internal import KeyfobTerminal

/// What to call an account, asked of a person where its provider does not say who signs in.
enum NameQuestion {
    /// Puts the name that the person chooses into the request; does nothing where none is needed, and where nobody is there to
    /// ask.
    static func settle(
        _ request: inout SignInRequest, _ keyring: Keyring, _ groups: [AccessGroup]?, _ network: Network,
        _ global: GlobalOptions
    ) throws(KeyringError) {
        guard request.name == nil, request.account == nil, !global.noInput, !global.json, Terminal.isThere else {
            return
        }
        let asked = request
        let suggested = try NetworkTask.run { () async throws(KeyringError) in
            try await keyring.signIns.nameToChoose(for: asked, in: groups, network: network)
        }
        guard let suggested, let terminal = Terminal() else { return }
        StandardError.write(line: "\(TerminalText.line(suggested)) does not say who signs in.")
        let answer = try terminal.ask("What to call the account [\(TerminalText.line(suggested))]: ")
        request.name = answer.isEmpty ? suggested : answer
    }
}
