internal import ArgumentParser
internal import Keyfob

struct ManCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "man", abstract: "Print the manual, or write its pages into a folder.",
        discussion: """
            Example:
              keyfob man | man -l -
              keyfob man --directory /usr/local/share/man/man1
            """)

    @Option(name: .long, help: ArgumentHelp("Write a page for each command into this folder.", valueName: "dir"))
    var directory: String?

    func run() throws {
        let root = try CommandDescription.ofKeyfob()
        guard let directory else { return try StandardOutput.write(data: ManualPage(root).text) }
        for command in root.withSubcommands {
            let page = ManualPage(command)
            let file = try OutputFile("\(directory)/\(page.name).1", replacing: true)
            try Array(page.text.utf8).withBytes { (bytes) throws(KeyringError) in try file.write(bytes) }
            try file.commit(mode: 0o644)
        }
    }
}
