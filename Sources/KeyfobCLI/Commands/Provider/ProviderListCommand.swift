internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct ProviderListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the providers.",
        discussion: """
            Example:
              keyfob provider list
              keyfob provider list --json
            """)

    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let providers = try keyring.providers.list(in: global.groups())
        global.tellWarnings(of: keyring)
        if global.json {
            return try JSONOutput.print(ProviderListDocument(providers: providers.map(ListedProvider.init)))
        }
        var table = Table(
            header: ["NAME", "TITLE", "ENVIRONMENT", "FROM"], yielding: ["FROM", "TITLE"],
            usual: ["FROM": "built in"])
        for provider in providers {
            table.add([provider.name, provider.title, provider.environment, provider.originText])
        }
        try StandardOutput.write(lines: table.text)
    }
}

extension IdentityProvider {
    /// Where it comes from, as people read it.
    var originText: String {
        guard case .added(let group) = origin else { return "built in" }
        return "group '\(group)'" + (writer == .group ? ", by a key of the group" : "")
    }
}

/// A provider in a list.
private struct ListedProvider: Encodable {
    let name: String
    let title: String
    let issuer: String?
    let environment: String
    let flows: [String]
    let origin: String
    let group: String?
    let writer: String?

    init(_ provider: IdentityProvider) {
        name = provider.name
        title = provider.title
        issuer = provider.issuer
        environment = provider.environment
        flows = provider.flows
        switch provider.origin {
        case .builtIn: (origin, group) = ("builtIn", nil)
        case .added(let name): (origin, group) = ("added", name.name)
        }
        writer = provider.writer?.rawValue
    }
}

/// `Schemas/provider-list.schema.json`.
private struct ProviderListDocument: JSONDocument {
    let formatVersion = 1
    let providers: [ListedProvider]
}
