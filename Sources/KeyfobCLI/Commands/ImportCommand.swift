internal import ArgumentParser
internal import Keyfob

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take over accounts and tokens from an MSAL token cache.",
        discussion: """
            Reads the caches of MSAL for Python, .NET, Go and Node; the file is not changed. All of it is \
            taken over, or nothing. Entries that make no sense are left out and listed. An azureProfile.json \
            in the same folder gives labels. '-' reads standard input.

            Example:
              keyfob import ~/.azure/msal_token_cache.json --dry-run
              keyfob import ~/.azure/msal_token_cache.json
            """)

    @Argument(help: "The cache.") var file: String
    @Flag(name: .long, help: "Say what would be done, and do nothing.") var dryRun = false
    @Flag(name: .long, help: "Take no labels from azureProfile.json.") var noLabels = false
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let cache = try SecretInput.cache(file)
        let profile = noLabels ? nil : try azureProfile()
        let progress = Progress("importing", isQuiet: global.quiet)
        defer { progress.finish() }
        let report: Keyring.ImportReport
        do throws(KeyringError) {
            report = try keyring.importMSALCache(
                cache, azureProfile: profile, in: global.groups(), isDryRun: dryRun, progress: progress.update)
        } catch {
            throw naming(error)
        }
        progress.finish()
        global.tellWarnings(of: keyring)
        if global.json { return try JSONOutput.print(ImportDocument(report, isDryRun: dryRun)) }
        try tell(report)
    }

    /// The error with the file's name in the place of "the file".
    private func naming(_ error: KeyringError) -> KeyringError {
        let words = "the file "
        guard error.message.hasPrefix(words) else { return error }
        let name = file == "-" ? "standard input" : file
        return KeyringError(
            error.code, "\(name) \(error.message.dropFirst(words.count))", hint: error.hint,
            candidates: error.candidates)
    }

    private func azureProfile() throws(KeyringError) -> SecretBytes? {
        guard file != "-" else { return nil }
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        do {
            return try SecretInput.cache(folder + "azureProfile.json")
        } catch {
            // It is a nicety; the cache alone will do.
            return nil
        }
    }

    private func tell(_ report: Keyring.ImportReport) throws(KeyringError) {
        for line in report.skipped { StandardError.write(line: Table.printable("skipped: \(line)")) }
        if !global.quiet { for line in report.remarks { StandardError.write(line: Table.printable("note: \(line)")) } }
        var table = Table(header: ["", "ADDED", "CHANGED", "UNCHANGED", "KEPT"])
        for (name, counts) in [("accounts", report.accounts), ("tokens", report.credentials), ("other", report.others)]
        {
            table.add([name] + Keyring.StoreOutcome.allCases.map { "\(counts[$0] ?? 0)" })
        }
        try StandardOutput.write(text: table.text)
        let skipped =
            report.skipped.isEmpty ? "" : ", " + Quantity.of(report.skipped.count, "entry", "entries") + " left out"
        global.say(
            dryRun
                ? "nothing was changed: this was a dry run for group '\(report.group)'\(skipped)"
                : "imported into group '\(report.group)'\(skipped); the cache itself still holds every token in plain text"
        )
    }
}

/// `Schemas/import.schema.json`.
struct ImportDocument: JSONDocument {
    let formatVersion = 1
    let group: String
    let isDryRun: Bool
    let accounts: [String: Int]
    let credentials: [String: Int]
    let others: [String: Int]
    let accountsWithoutEntity: Int
    let skipped: [String]
    let remarks: [String]

    init(_ report: Keyring.ImportReport, isDryRun: Bool) {
        func named(_ counts: [Keyring.StoreOutcome: Int]) -> [String: Int] {
            Dictionary(uniqueKeysWithValues: Keyring.StoreOutcome.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
        }
        group = report.group.name
        self.isDryRun = isDryRun
        accounts = named(report.accounts)
        credentials = named(report.credentials)
        others = named(report.others)
        accountsWithoutEntity = report.accountsWithoutEntity
        skipped = report.skipped
        remarks = report.remarks
    }
}
