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
