internal import ArgumentParser
internal import Keyfob

struct ProviderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider", abstract: "Identity providers: those built in, and those you add.",
        discussion: """
            Example:
              keyfob provider list
              keyfob provider add --issuer https://sso.contoso.example --name contoso
            """,
        subcommands: [
            ProviderListCommand.self, ProviderShowCommand.self, ProviderCheckCommand.self, ProviderAddCommand.self,
            ProviderRenameCommand.self, ProviderRemoveCommand.self,
        ])
}
