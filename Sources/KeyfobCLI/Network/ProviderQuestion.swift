internal import Keyfob
internal import KeyfobTerminal

/// Where to sign in, asked of a person who has not said it.
enum ProviderQuestion {
    /// The provider that the person chooses: its name, issuer or host, or a resource's address.
    ///
    /// - Throws: `cancelled` where nothing is chosen, `usage` where nobody is there to ask, and as ``Keyring/Providers/list(in:)``.
    static func answer(
        _ keyring: Keyring, _ groups: [AccessGroup]?, _ global: GlobalOptions
    ) throws(KeyringError) -> String {
        guard mayAsk(global), let terminal = Terminal() else { throw KeyringError(.usage, SignInOptions.nowhere) }
        let providers = try keyring.providers.list(in: groups)
        StandardError.write(line: "Where to sign in?")
        var table = Table(header: [], columns: StandardError.columns)
        for (index, provider) in providers.enumerated() {
            table.add(["  \(index + 1)", provider.title, provider.environment])
        }
        StandardError.write(lines: table.text)
        let answer = try terminal.ask("The number or name of a provider, or another's address: ")
        guard !answer.isEmpty else {
            throw KeyringError(
                .cancelled, "nothing was chosen, and nobody is signed in", advice: .listProviders)
        }
        guard !answer.contains(where: \.isWhitespace) else {
            throw KeyringError(
                .usage, "a provider's name has no spaces; nobody is signed in", advice: .listProviders)
        }
        guard let number = Int(answer), providers.indices.contains(number - 1) else { return answer }
        return providers[number - 1].name
    }

    /// Whether a person may be asked.
    static func mayAsk(_ global: GlobalOptions) -> Bool { !global.noInput && !global.json && Terminal.isThere }
}
