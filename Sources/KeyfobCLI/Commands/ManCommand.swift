internal import ArgumentParser
internal import Glibc
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobTerminal

struct ManCommand: ParsableCommand {
    static let name = "man"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Show the manual, or write its pages into a folder.",
        discussion: """
            On a terminal man(1) shows the page; elsewhere it is printed in the form that man(1) reads.

            Example:
              keyfob man
              keyfob man account list
              keyfob man --directory /usr/local/share/man/man1
            """)

    @Argument(help: "The command whose page is shown; the page of all commands unless given.") var words: [String] = []

    @Option(name: .long, help: ArgumentHelp("Write a page for each command into this folder.", valueName: "dir"))
    var directory: String?

    func run() throws {
        let root = try CommandDescription.ofKeyfob()
        guard let directory else {
            guard let command = root.withSubcommands.first(where: { $0.words.dropFirst().elementsEqual(words) }) else {
                throw UnknownCommand.error(in: words) ?? KeyringError(.usage, "there is no such page")
            }
            let page = ManualPage(command).text
            if StandardOutput.columns == nil || !Self.show(page) { try StandardOutput.write(data: page) }
            return
        }
        for command in root.withSubcommands {
            let page = ManualPage(command)
            let file = try OutputFile("\(directory)/\(page.name).1", replacing: true)
            try Array(page.text.utf8).withBytes { (bytes) throws(KeyringError) in try file.write(bytes) }
            try file.commit(mode: 0o644)
        }
    }

    /// Lets man(1) show a page; false where there is no such program.
    private static func show(_ page: String) -> Bool {
        guard let text = ChildProgram.file(holding: Array(page.utf8)) else { return false }
        defer { close(text) }
        let reader = ChildProgram(
            path: "/usr/bin/man", arguments: ["-l", "-"], input: text, speaks: true)
        guard reader.run() != nil else { return false }
        return true
    }
}
