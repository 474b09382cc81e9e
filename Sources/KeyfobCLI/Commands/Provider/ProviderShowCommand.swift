internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct ProviderShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what is known of a provider.",
        discussion: """
            With --json it prints a document that 'keyfob provider add' reads. A provider answers to its name, \
            its issuer and its host; the address of a tenant, https://login.microsoftonline.com/<tenant>, gives \
            Microsoft for that tenant.

            Example:
              keyfob provider show google
              keyfob provider show --json gitlab > own.json
            """)

    @Argument(help: "The provider: its name, issuer or host.") var name: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let groups = try global.groups()
        let provider = try keyring.providers.named(name, in: groups)
        if global.json {
            global.tellWarnings(of: keyring)
            return try StandardOutput.write(
                data: TerminalText.json(String(decoding: provider.document, as: UTF8.self)) + "\n")
        }
        let clients = try keyring.clients.list(of: provider.name, in: groups)
        global.tellWarnings(of: keyring)
        var rows = [
            ("name", provider.name), ("title", provider.title), ("from", provider.originText),
            ("issuer", provider.issuer ?? "none, plain OAuth"), ("environment", provider.environment),
            ("API hosts", provider.apiHosts.isEmpty ? "none" : provider.apiHosts.map(\.text).joined(separator: " ")),
            ("discovery", provider.hasDiscovery ? "yes" : "no"),
        ]
        rows += provider.endpoints.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        rows += [
            ("flows", provider.flows.joined(separator: ", ")), ("rotation", provider.rotation),
            ("quirks", provider.quirks.isEmpty ? "none" : provider.quirks.joined(separator: ", ")),
            ("default scopes", provider.defaultScopes.isEmpty ? "none" : provider.defaultScopes.spaceSeparated),
        ]
        if let resource = provider.resource { rows.append(("for", resource + " alone")) }
        if let file = provider.certificateFile { rows.append(("certificates", file)) }
        for (name, value) in provider.parameters.sorted(by: { $0.key < $1.key }) {
            rows.append(("parameter", "\(name)=\(value)"))
        }
        for client in clients {
            rows.append(("client", client.client.id + (client.isDefault ? " (default)" : "")))
        }
        if clients.isEmpty { rows.append(("client", "none; add one with 'keyfob client add'")) }
        let known = WellKnownClient.at(provider.environment).map(\.name)
        if !known.isEmpty {
            rows.append(("well-known", known.joined(separator: ", ") + " ('keyfob client add --well-known')"))
        }
        if let page = RegistrationPage.of(provider.environment) {
            rows.append(("register", page.url))
            rows += page.steps.map { ("", $0) }
        }
        var table = Table(header: [])
        for (name, value) in rows { table.add([name, value]) }
        try StandardOutput.write(lines: table.text)
    }
}
