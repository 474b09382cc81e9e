internal import ArgumentParser
internal import Keyfob

struct ProviderRenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a provider that was added another name.",
        discussion: """
            Accounts, tokens, clients and bindings belong to the provider's host, not to its name: they stay as they are, \
            and nobody has to sign in again.

            Example:
              keyfob provider rename sso.contoso.example contoso
            """)

    @Argument(help: "The provider's name.") var name: String
    @Argument(help: "Its new name.") var newName: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let provider = try keyring.providers.rename(name, to: newName, in: global.groups())
        global.tellWarnings(of: keyring)
        let old = Identifier.folded(name)
        try global.tell(.providerRenamed, "provider '\(old)' is called '\(provider.name)' now") {
            ($0.provider, $0.to) = (old, provider.name)
        }
    }
}
