internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop

struct AzureSetupCommand: ParsableCommand, ListedTool {
    static let configuration = CommandConfiguration(
        commandName: "az", abstract: "Let az use the sign-ins of a group, by a mirror of its token cache.",
        discussion: """
            az asks no other program for tokens, so that there is nothing to write into its configuration: this is \
            'keyfob mirror azure-cli', and with --undo 'keyfob mirror stop --remove'. Each run is one pass.

            'keyfob undo' does not undo this. The same with --undo does.

            Example:
              keyfob setup az
              keyfob setup az --undo
            """)

    @Flag(name: .long, help: "Mirror it no longer, and take out of it what the mirror brought.") var undo = false
    @Option(name: .long, help: ArgumentHelp("az's folder (AZURE_CONFIG_DIR).", valueName: "dir")) var configDir: String?
    @OptionGroup var options: MirrorOptions

    func run() throws {
        let folder = try configDir ?? MirrorAzureCommand.folder()
        guard undo else {
            try MirrorAzureCommand.pass(folder, options)
            return options.global.say("'keyfob setup az --undo' ends that")
        }
        try MirrorStopCommand.stop(folder, remove: true, options.global)
    }

    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool] {
        let cache = try MirrorAzureCommand.folder() + "/" + MirrorAzureCommand.cacheName
        return [
            SetupDocument.Tool("az", path: cache) { () throws(KeyringError) in
                let store = MirrorStore(state: try global.location().state)
                let file = FileAccess.formerPath(cache) ?? cache
                return try MirrorFiles.note(of: file, store).map { [$0.group.name] }
            }
        ]
    }
}
