internal import ArgumentParser
internal import Keyfob

struct MirrorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror", abstract: "Keep another program's token cache in step with a group.",
        discussion: """
            Who signs in with the program is signed in here, and the other way round. \(MirrorOptions.discussion)

            Example:
              keyfob mirror azure-cli
              keyfob mirror msal ~/.cache/app/msal.json --group work
              keyfob mirror list
              keyfob mirror stop ~/.azure
            """,
        subcommands: [
            MirrorAzureCommand.self, MirrorMSALCommand.self, MirrorListCommand.self, MirrorStopCommand.self,
        ])
}

struct MirrorAzureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "azure-cli", abstract: "Mirror the sign-ins of the Azure CLI.",
        discussion: """
            The cache is msal_token_cache.json in AZURE_CONFIG_DIR, or ~/.azure. Accounts that az has not heard of get an \
            entry in azureProfile.json, as 'az login --allow-no-subscriptions' writes it.
            \(MirrorOptions.discussion)

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

struct MirrorMSALCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "msal", abstract: "Mirror the token cache of a program that uses MSAL.",
        discussion: """
            The file is one in plain text, as MSAL's libraries keep it with their extensions for Python, .NET, Go and Node. \
            Mirrored are the tokens of the clients that it names, and of those named by --client. With --keyring the program keeps its \
            cache in the desktop's keyring (Secret Service), and the file is the one by which it locks the cache and notices changes: \
            its signal file. Where the keyring has several, --attribute says which.
            \(MirrorOptions.discussion)

            Example:
              keyfob mirror msal ~/.cache/app/msal.json --client 11112222-3333-4444-5555-666677778888
              keyfob mirror msal ~/.IdentityService/msal.cache --keyring --attribute xdg:schema=msal.cache

            Exit status: 0 done, 11 several items fit, 12 the desktop's keyring is locked, 13 no client is known, 65 no cache of MSAL, \
            66 no such folder or item, 69 there is no desktop's keyring, 73 mirrored with another group, 75 the program has the file.
            """)

    @Argument(help: ArgumentHelp("The token cache.", valueName: "file")) var path: String
    @Option(name: .long, help: ArgumentHelp("A client that the program is; repeatable.", valueName: "id"))
    var client: [String] = []
    @Flag(name: .long, help: "The cache is in the desktop's keyring.") var keyring = false
    @Option(
        name: .long,
        help: ArgumentHelp("What the keyring's item is known by; with --keyring; repeatable.", valueName: "name=value"))
    var attribute: [ItemAttribute] = []
    @OptionGroup var options: MirrorOptions

    func validate() throws {
        guard keyring || attribute.isEmpty else { throw ValidationError("--attribute goes with --keyring") }
        guard client.allSatisfy(Identifier.isAcceptable) else {
            throw ValidationError("--client is blank, too long, or holds control characters")
        }
    }

    func run() throws {
        let item = Dictionary(attribute.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        try MirrorRun(
            program: "msal", display: "its program", clients: client, profile: nil, item: keyring ? item : nil,
            options: options
        ).run(path)
    }
}

/// `NAME=VALUE`: what an item of the desktop's keyring is known by.
struct ItemAttribute: ExpressibleByArgument {
    let (name, value): (String, String)

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, parts.allSatisfy(Identifier.isAcceptable) else { return nil }
        (name, value) = (parts[0], parts[1])
    }
}
