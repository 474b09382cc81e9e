internal import ArgumentParser
internal import Keyfob

struct MirrorAzureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "azure-cli", abstract: "Mirror the sign-ins of the Azure CLI.",
        discussion: """
            The cache is msal_token_cache.json in AZURE_CONFIG_DIR, or ~/.azure. Accounts that az has not heard of get an \
            entry in azureProfile.json, as 'az login --allow-no-subscriptions' writes it.
            \(MirrorOptions.discussion)

            'keyfob undo' does not undo this.

            Example:
              keyfob mirror azure-cli
              keyfob mirror azure-cli --group work --account ada@contoso.example

            Exit status: 0 done, 65 no cache of MSAL, 66 no such folder, 73 mirrored with another group, 75 the program \
            has the file.
            """)

    @Option(name: .long, help: ArgumentHelp("az's folder (AZURE_CONFIG_DIR).", valueName: "dir")) var configDir: String?
    @OptionGroup var options: MirrorOptions

    func run() throws { try Self.pass(configDir ?? Self.folder(), options) }

    /// Brings the cache in az's folder into step.
    static func pass(_ folder: String, _ options: MirrorOptions) throws {
        let clients = WellKnownClient.all.filter { $0.name == "azure-cli" }.map(\.id)
        try MirrorRun(
            program: "azure-cli", display: "az", clients: clients, profile: folder + "/azureProfile.json",
            options: options
        ).run(folder + "/" + cacheName)
    }

    static let cacheName = "msal_token_cache.json"

    /// Where az keeps its files.
    static func folder(_ environment: Environment = .current) throws(KeyringError) -> String {
        if let folder = environment["AZURE_CONFIG_DIR"] { return folder }
        guard let home = environment["HOME"] else {
            throw KeyringError(.configuration, "neither HOME nor AZURE_CONFIG_DIR is set", hint: "say --config-dir")
        }
        return home + "/.azure"
    }
}
