internal import ArgumentParser
internal import Keyfob

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write accounts and tokens for another program.",
        discussion: """
            The format 'msal' is the token cache of MSAL for Python: plain text with every token in it, for \
            a program that can read nothing else. The file is made for its owner alone and must not exist. \
            '-' is standard output, which must not be a terminal.

            Example:
              keyfob export --format msal --group work cache.json
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case msal }

    @Argument(help: "The file to make.") var file: String
    @Option(name: .long, help: "The format.") var format: Format
    @Option(name: [.short, .long], help: ArgumentHelp("Only this account.", valueName: "name")) var account: String?
    @Flag(name: .long, help: "Replace the file if it exists.") var force = false
    @OptionGroup var global: GlobalOptions

    func run() throws {
        if file == "-", StandardOutput.isTerminal {
            throw KeyringError(.usage, "tokens are not written to a terminal", hint: "name a file, or pipe the output")
        }
        let keyring = try global.unlockedKeyring()
        let groups = try global.groups()
        let only = try account.map { try keyring.account(named: $0, in: groups).account.id }
        let report: Keyring.ExportReport
        if file == "-" {
            report = try keyring.exportMSALCache(in: groups, account: only) { (piece) throws(KeyringError) in
                try StandardOutput.write(bytes: piece)
            }
        } else {
            let output = try OutputFile(file, replacing: force, hint: "choose another name, or use --force")
            report = try keyring.exportMSALCache(in: groups, account: only) { (piece) throws(KeyringError) in
                try output.write(piece)
            }
            try output.commit()
        }
        global.tellWarnings(of: keyring)
        for line in report.skipped { StandardError.write(line: Table.printable("skipped: \(line)")) }
        if global.json, file != "-" { try JSONOutput.print(ExportDocument(report, file: file)) }
        if report.isIncomplete { throw Failed(status: .malformed) }
        guard !global.json else { return }
        global.say(
            "wrote \(Quantity.of(report.accounts, "account")) and \(Quantity.of(report.credentials, "token")) in plain text"
        )
    }
}

/// `Schemas/export.schema.json`.
struct ExportDocument: JSONDocument {
    let formatVersion = 1
    let file: String
    let format = "msal"
    let accounts: Int
    let credentials: Int
    let others: Int
    let skipped: [String]

    init(_ report: Keyring.ExportReport, file: String) {
        self.file = file
        accounts = report.accounts
        credentials = report.credentials
        others = report.others
        skipped = report.skipped
    }
}
