internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobSodium

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take over accounts and tokens from a bundle or a token cache.",
        discussion: """
            The content tells what the file is; without --take-over the file is not changed. All of it is taken over, or \
            nothing. \
            '-' reads standard input.
            A bundle is what 'keyfob export' wrote, binary or armored; --group takes some of its groups only. \
            With --merge, item by item, what was written later or has come further stays. With --replace the \
            groups of the bundle hold afterwards what it holds and nothing else; what they held is backed up \
            first.
            What decides whose token goes where (bindings and allowed project files, default accounts, providers, \
            clients) is listed and left out, and what there is here of it stays, unless --with names it.
            A cache is one of MSAL for Python, .NET, Go or Node. Entries that make no sense are left out and \
            listed. An azureProfile.json in the same folder gives labels. Caches of ADAL, which came before MSAL, \
            are read as well: Azure CLI's old accessTokens.json, and what ADAL for Objective-C archived, as a \
            binary property list (XML: 'plutil -convert binary1' first). Their tokens go to the account that has \
            the same user name already, and a refresh token replaces only one that is known to be older.
            An account that was removed from the group ('keyfob logout --forget', 'keyfob account remove' or 'move') stays \
            away with its tokens and is listed, unless --bring-back is given.
            The program that a cache came from and Keyfob then hold the same sign-ins. Where a provider replaces refresh \
            tokens at each use, whichever of the two uses its copy second ends the sign-in for both. Microsoft's \
            providers take old ones too; for others, sign in apart with 'keyfob login', or end the sharing with \
            --take-over: once everything is durable in the vault, the refresh tokens go out of the cache, and that \
            program signs in anew when its access tokens expire. Close it before. (To refresh the sign-in here instead \
            would leave it a token that is used up, whose next use ends ours.)

            Example:
              keyfob import work.age --bundle-identity identity.txt --dry-run
              keyfob import work.age --bundle-identity identity.txt
              keyfob import ~/.azure/msal_token_cache.json

            Exit status: 0 done, 12 nothing was given that opens the bundle, 15 cancelled, 65 damaged, or every entry was \
            left out, 77 wrong passphrase or identity.
            """)

    @Argument(help: "The bundle or the cache.") var file: String
    @Flag(name: .long, help: "Say what would be done, and do nothing.") var dryRun = false
    @Flag(exclusivity: .exclusive) var way: Way = .merge
    @Flag(name: .long, help: "Replace without asking.") var force = false
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Of a bundle, also what decides: bindings, defaults, providers, clients; several with commas.",
            valueName: "kinds"))
    var with: [DecisionList] = []
    @Flag(name: .long, help: "Also take in accounts that were removed from the group.") var bringBack =
        false
    @Flag(name: .long, help: "Take the refresh tokens out of the cache, once they are in the vault.") var takeOver =
        false
    @OptionGroup var opening: BundleOpenerOptions
    @Flag(name: .long, help: "Take no labels from azureProfile.json.") var noLabels = false
    @OptionGroup var global: GlobalOptions

    enum Way: String, EnumerableFlag {
        case merge, replace

        static func help(for value: Way) -> ArgumentHelp? {
            switch value {
            case .merge: "Merge the bundle with what is there; unless told otherwise."
            case .replace: "Put the bundle in the place of what its groups hold."
            }
        }
    }

    func run() throws {
        let keyring = try global.unlockedKeyring(reaching: .files(writing: takeOver ? file : nil))
        switch try ImportSource.open(file, spoolingIn: keyring.location.vault) {
        case .bundle(let bundle): try take(bundle, into: keyring)
        case .cache(let cache): try take(cache, into: keyring)
        }
    }

    private func take(_ cache: borrowing SecretBytes, into keyring: Keyring) throws {
        guard way == .merge, !opening.isGiven, with.isEmpty else {
            // What starts like a cache was meant to be one.
            let isCache = Keyring.CacheFormat(recognizing: cache) != nil
            throw KeyringError(
                isCache ? .usage : .damaged, "\(file == "-" ? BundleInput.standardInput : file) is no bundle",
                hint: isCache ? "--replace, --with, --bundle-identity and --bundle-passphrase-fd are for bundles" : nil)
        }
        let cacheFile = takeOver ? try TakenOverCache(file, cache) : nil
        let profile = noLabels ? nil : try azureProfile()
        let progress = Progress("importing", isQuiet: global.quiet)
        defer { progress.finish() }
        let report: Keyring.ImportReport
        do throws(KeyringError) {
            let groups = try global.groups()
            func run(isDryRun: Bool) throws(KeyringError) -> Keyring.ImportReport {
                try keyring.importCache(
                    cache, azureProfile: profile, in: groups, bringsBackRemoved: bringBack, isTakenOver: takeOver,
                    isDryRun: isDryRun, progress: progress.update)
            }
            // What is not taken in must not be taken away.
            if takeOver { try TakenOverCache.requireWhole(run(isDryRun: true)) }
            report = try run(isDryRun: dryRun)
            if let cacheFile, !dryRun { try cacheFile.remove(cache) }
        } catch {
            throw naming(error)
        }
        progress.finish()
        global.tellWarnings(of: keyring)
        if file != "-", FileAccess.status(file, following: true)?.isReadableByOthers == true, !global.quiet {
            StandardError.write(
                line:
                    "keyfob: warning: others can read the tokens in \(file); 'chmod 600 \(ShellWord.quoted(file))' keeps them out"
            )
        }
        if global.json {
            try JSONOutput.print(ImportDocument(report, isDryRun: dryRun))
        } else {
            try tell(report)
        }
        if report.isNothingTaken { throw ReportedFailure(status: .malformed) }
    }

    /// The error with the file's name in the place of "the file".
    private func naming(_ error: KeyringError) -> KeyringError {
        let words = "the file "
        guard error.message.hasPrefix(words) else { return error }
        let name = file == "-" ? BundleInput.standardInput : file
        return KeyringError(
            error.code, "\(name) \(error.message.dropFirst(words.count))", advice: error.advice,
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
        for account in report.removedAccounts {
            StandardError.write(
                line:
                    "skipped: \(account.name), which was removed from group '\(report.group)'; --bring-back takes it in"
            )
        }
        for line in report.skipped { StandardError.write(line: "skipped: \(line)") }
        if !global.quiet { for line in report.remarks { StandardError.write(line: "note: \(line)") } }
        var table = Table(header: ["", "ADDED", "CHANGED", "UNCHANGED", "KEPT"])
        for (name, counts) in [("accounts", report.accounts), ("tokens", report.credentials), ("other", report.others)]
        {
            table.add([name] + Keyring.StoreOutcome.allCases.map { "\(counts[$0] ?? 0)" })
        }
        try StandardOutput.write(lines: table.text)
        let count = report.skipped.count + report.removedAccounts.count
        let skipped = count == 0 ? "" : ", " + Quantity.of(count, "entry", "entries") + " left out"
        let rest =
            takeOver
            ? "its refresh tokens are out of the cache, which holds the other tokens in plain text"
            : "the cache itself still holds every token in plain text"
        global.say(
            report.isNothingTaken
                ? "nothing was imported into group '\(report.group)'\(skipped)"
                : dryRun
                    ? "nothing was changed: this was a dry run for group '\(report.group)'\(skipped)"
                    : "imported into group '\(report.group)'\(skipped); \(rest)"
        )
    }
}

extension Keyring.ImportReport {
    /// Whether something was left out, and nothing else was there.
    fileprivate var isNothingTaken: Bool {
        let taken = [accounts, credentials, others].contains { $0.values.contains { $0 > 0 } }
        return !taken && !(skipped.isEmpty && removedAccounts.isEmpty)
    }
}

/// `Schemas/import.schema.json`.
struct ImportDocument: JSONDocument {
    let formatVersion = 1
    let format: String
    let group: String
    let isDryRun: Bool
    let accounts: [String: Int]
    let credentials: [String: Int]
    let others: [String: Int]
    let accountsWithoutEntity: Int
    let removedAccounts: [String]
    let skipped: [String]
    let remarks: [String]

    init(_ report: Keyring.ImportReport, isDryRun: Bool) {
        func named(_ counts: [Keyring.StoreOutcome: Int]) -> [String: Int] {
            Dictionary(uniqueKeysWithValues: Keyring.StoreOutcome.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
        }
        format = report.format.rawValue
        group = report.group.name
        self.isDryRun = isDryRun
        accounts = named(report.accounts)
        credentials = named(report.credentials)
        others = named(report.others)
        accountsWithoutEntity = report.accountsWithoutEntity
        removedAccounts = report.removedAccounts.map(\.id.description)
        skipped = report.skipped
        remarks = report.remarks
    }
}
