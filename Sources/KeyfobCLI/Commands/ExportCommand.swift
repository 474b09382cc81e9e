internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write accounts and tokens for another keyring, or for another program.",
        discussion: """
            The format 'bundle' is an age file: encrypted for the recipients, or with a passphrase, which is \
            asked for twice where no option says whom it is for. 'keyfob import' imports it, and 'age -d' \
            opens it too. It holds refresh tokens; access tokens only with --include-access-tokens; nothing \
            that is for this device alone.
            The format 'msal' is the token cache of MSAL for Python: plain text with every token in it, for \
            a program that can read nothing else.
            The file is made for its owner alone and must not exist. '-' is standard output, which must not \
            be a terminal.

            'keyfob undo' does not undo this: what is written stays where it is.

            Example:
              keyfob export --group work --to age1… work.age
              keyfob export --recipients-file team.txt --armor - \\
                | mail -s accounts grace@contoso.example
              keyfob export --format msal --group work cache.json

            Exit status: 0 done, 64 no such recipient, 65 incomplete, because records do not open, 73 exists \
            already, 74 not written.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case bundle, msal }

    @Argument(help: "The file to make.") var file: String
    @Option(name: .long, help: "The format.") var format: Format = .bundle
    @Option(name: [.short, .long], help: ArgumentHelp("Only this account.", valueName: "name")) var account: String?
    @OptionGroup var sealing: BundleSealOptions
    @Flag(name: .long, help: "Write the bundle as text.") var armor = false
    @Flag(name: .long, help: "Put access tokens into the bundle too.") var includeAccessTokens = false
    @Flag(name: .long, help: "Replace the file if it exists.") var force = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if format == .msal, sealing.isGiven || armor || includeAccessTokens {
            throw ValidationError(
                "--to, --recipients-file, --bundle-passphrase-fd, --armor and --include-access-tokens are for bundles")
        }
    }

    func run() throws {
        if file == "-", StandardOutput.isTerminal {
            throw KeyringError(.usage, "tokens are not written to a terminal", hint: "name a file, or pipe the output")
        }
        let keyring = try global.unlockedKeyring(reaching: .files(writing: file == "-" ? nil : file))
        let groups = try global.groups()
        let only = try account.map { try keyring.accounts.named($0, in: groups).account.id }
        switch format {
        case .bundle: try writeBundle(keyring, groups, only)
        case .msal: try writeCache(keyring, groups, only)
        }
    }

    private func writeBundle(_ keyring: Keyring, _ groups: [AccessGroup]?, _ only: AccountID?) throws {
        // Before anybody is asked for a passphrase.
        if file != "-", !force { try OutputFile.requireAbsent(file, hint: Self.existsHint) }
        let seal = try sealing.seal(global)
        let content = BundleContent(groups: groups, account: only, includesAccessTokens: includeAccessTokens)
        let amount = Amount("writing", isQuiet: global.quiet)
        defer { amount.finish() }
        let report = try write { output in
            try keyring.bundles.export(content, for: seal, isArmored: armor) { piece in
                amount.add(piece.byteCount)
                try output(piece)
            }
        }
        amount.finish()
        try tell(
            keyring, ExportDocument(report, file: file), report.skipped, report.isIncomplete,
            "wrote \(report.summary.content), encrypted")
        if !global.json, let leftOut = Self.leftOut(report) { global.say(leftOut) }
    }

    /// What to say of access tokens that were left out; nil where there were none.
    private static func leftOut(_ report: Keyring.BundleReport) -> String? {
        let (count, lasting) = (report.accessTokensLeftOut, report.lastingTokensLeftOut)
        guard count > 0 else { return nil }
        let never =
            switch lasting {
            case 0: ""
            case count: ", \(count == 1 ? "which never expires" : "none of which ever expires")"
            case 1: ", one of which never expires"
            default: ", \(lasting) of which never expire"
            }
        return "left out \(Quantity.of(count, "access token"))\(never); --include-access-tokens adds "
            + (count == 1 ? "it" : "them")
    }

    private func writeCache(_ keyring: Keyring, _ groups: [AccessGroup]?, _ only: AccountID?) throws {
        let report = try write { output in
            try keyring.caches.exportMSAL(in: groups, account: only) { (piece) throws(KeyringError) in
                try output(piece)
            }
        }
        try tell(
            keyring, ExportDocument(report, file: file), report.skipped, report.isIncomplete,
            "wrote \(Quantity.of(report.accounts, "account")) and \(Quantity.of(report.credentials, "token")) in plain text"
        )
    }

    private static let existsHint = "choose another name, or use --force"

    /// Lets `body` write to the file, which is complete or not there at all, or to standard output.
    private func write<Report>(
        _ body: ((RawSpan) throws(KeyringError) -> Void) throws -> Report
    ) throws -> Report {
        guard file != "-" else {
            return try body { (piece) throws(KeyringError) in try StandardOutput.write(bytes: piece) }
        }
        let output = try OutputFile(file, replacing: force, hint: Self.existsHint)
        let report = try body { (piece) throws(KeyringError) in try output.write(piece) }
        try output.commit()
        return report
    }

    private func tell(
        _ keyring: Keyring, _ document: ExportDocument, _ skipped: [String], _ isIncomplete: Bool, _ message: String
    ) throws {
        if file != "-" { keyring.undo.noteOutside(.exported, file, as: "export") }
        global.tellWarnings(of: keyring)
        for line in skipped { StandardError.write(line: "skipped: \(line)") }
        if global.json, file != "-" { try JSONOutput.print(document) }
        if isIncomplete { throw ReportedFailure(status: .malformed) }
        if !global.json { global.say(message) }
    }
}

/// `Schemas/export.schema.json`.
struct ExportDocument: JSONDocument {
    let formatVersion = 1
    let file: String
    let format: String
    let accounts: Int
    let credentials: Int
    let others: Int
    let bundle: BundleDocument?
    let skipped: [String]
    /// How many access tokens were left out, and how many of those never expire; nil for other formats than a bundle.
    let accessTokensLeftOut: Int?
    let lastingTokensLeftOut: Int?

    init(_ report: Keyring.ExportReport, file: String) {
        self.file = file
        format = "msal"
        accounts = report.accounts
        credentials = report.credentials
        others = report.others
        bundle = nil
        skipped = report.skipped
        (accessTokensLeftOut, lastingTokensLeftOut) = (nil, nil)
    }

    init(_ report: Keyring.BundleReport, file: String) {
        self.file = file
        format = "bundle"
        accounts = report.summary.counts["account"] ?? 0
        credentials = report.summary.counts["credential"] ?? 0
        others = report.summary.records - accounts - credentials
        bundle = BundleDocument(report.summary)
        skipped = report.skipped
        (accessTokensLeftOut, lastingTokensLeftOut) = (report.accessTokensLeftOut, report.lastingTokensLeftOut)
    }
}
