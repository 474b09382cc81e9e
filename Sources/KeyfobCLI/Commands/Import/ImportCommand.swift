internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobSodium
internal import KeyfobTerminal

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take over accounts and tokens from a bundle, a token cache or another tool.",
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
            binary property list (XML: 'plutil -convert binary1' first). Their tokens go to the account that has or \
            had the same id, or that is known by that user name alone; a refresh token replaces only one that is known \
            to be older. An account that a sign-in made stays apart, and a note says how to make the two one.
            Other tools' files are read too, where they hold tokens in plain text: gh's hosts.yml, gcloud's \
            application_default_credentials.json, credentials.db and access_tokens.db, what 'pizauth dump' writes, git-credential-store's .git-credentials, docker's and podman's config.json \
            and auth.json, kubeconfigs, and, decrypted, accounts of oidc-agent and token files of mutt_oauth2.py. Passwords \
            stay where they are: what counts as a token begins as those of GitHub and GitLab do. No such file says \
            where tokens of other accounts go, and a client's secret in it comes with '--with clients' alone. \
            --discover looks where these tools keep their files, and in the desktop's keyring (Secret Service) for what \
            programs with MSAL, gh, git's helpers and Python's 'keyring' keep there, shows what it would take from which, \
            and asks; --force takes all of it. --keyring looks in the desktop's keyring alone. Nothing is changed there.
            An account that was removed from the group ('keyfob logout --forget', 'keyfob account remove' or 'move') stays \
            away with its tokens and is listed, unless --bring-back is given.
            The program that a cache came from and Keyfob then hold the same sign-ins. Where a provider replaces refresh \
            tokens at each use, whichever of the two uses its copy second ends the sign-in for both. Microsoft's \
            providers take old ones too; for others, sign in apart with 'keyfob login', or end the sharing with \
            --take-over: once everything is durable in the vault, the refresh tokens go out of the cache, and that \
            program signs in anew when its access tokens expire, also after 'keyfob undo'. Close it before. (To refresh the sign-in here instead \
            would leave it a token that is used up, whose next use ends ours.)

            Example:
              keyfob import work.age --bundle-identity identity.txt --dry-run
              keyfob import work.age --bundle-identity identity.txt
              keyfob import ~/.azure/msal_token_cache.json
              keyfob import --discover --dry-run
              keyfob import --keyring
              oidc-gen --print work | keyfob import - --with clients

            Exit status: 0 done, 12 nothing was given that opens the bundle, or the desktop's keyring is locked, 15 cancelled, 65 damaged, or every entry was \
            left out, 69 there is no desktop's keyring, 77 wrong passphrase or identity.
            """)

    @Argument(help: ArgumentHelp("The bundle, the cache or the other tool's file.", valueName: "file"))
    var path: String?
    @Flag(name: .long, help: "Look where other tools keep their tokens, and ask what to take.") var discover = false
    @Flag(name: .customLong("keyring"), help: "Look in the desktop's keyring for what they keep there, and ask.")
    var isFromDesktop = false
    @Flag(name: .long, help: "Say what would be done, and do nothing.") var dryRun = false
    @Flag(exclusivity: .exclusive) var way: Way = .merge
    @Flag(name: .long, help: "Replace, or take all that is discovered, without asking.") var force = false
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Of a bundle, also what decides: bindings, defaults, providers, clients; several with commas. Of another tool's file: clients.",
            valueName: "kinds"))
    var with: [DecisionList] = []
    @Flag(name: .long, help: "Also take in accounts that were removed from the group.") var bringBack =
        false
    @Flag(name: .long, help: "Take the refresh tokens out of the cache, once they are in the vault.") var takeOver =
        false
    @OptionGroup var opening: BundleOpenerOptions
    @Option(
        name: .long,
        help: ArgumentHelp("The client of a refresh token whose file names none (mutt_oauth2.py).", valueName: "id"))
    var client: String?
    @Flag(name: .long, help: "Take no labels from azureProfile.json.") var noLabels = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    enum Way: String, EnumerableFlag {
        case merge, replace

        static func help(for value: Way) -> ArgumentHelp? {
            switch value {
            case .merge: "Merge the bundle with what is there; unless told otherwise."
            case .replace: "Put the bundle in the place of what its groups hold."
            }
        }
    }

    func validate() throws {
        let looks = discover || isFromDesktop
        guard looks != (path != nil) else {
            throw ValidationError(
                looks
                    ? "--discover and --keyring look for the tokens themselves"
                    : "name a file, '-' for standard input, or --discover")
        }
        guard !(discover && isFromDesktop) else { throw ValidationError("--discover looks in the keyring too") }
        if looks, takeOver || way == .replace || opening.isGiven {
            throw ValidationError("--take-over, --replace and what opens a bundle are for one file that is named")
        }
        if let client, !Identifier.isAcceptable(client) {
            throw ValidationError("--client is blank, too long, or holds control characters")
        }
    }

    func run() throws {
        // Before the vault's keys are here: from then on the process makes no sockets.
        let desktop = path == nil ? try DesktopFindings(required: isFromDesktop, global) : nil
        let keyring = try global.unlockedKeyring(reaching: .files(writing: takeOver ? path : nil))
        guard let path else { return try discover(desktop ?? .none, into: keyring) }
        switch try ImportSource.open(path, spoolingIn: keyring.location.vault) {
        case .bundle(let bundle): try take(bundle, into: keyring)
        case .cache(let cache): try take(cache, of: path, into: keyring)
        }
    }

    private func take(_ cache: borrowing SecretBytes, of path: String, into keyring: Keyring) throws {
        let format = Keyring.CacheFormat(recognizing: cache)
        guard way == .merge, !opening.isGiven, with.isEmpty || format?.isOfTool == true else {
            // What starts like a cache was meant to be one.
            throw KeyringError(
                format != nil ? .usage : .damaged, "\(Self.name(of: path)) is not a bundle",
                hint: format != nil
                    ? "--replace, --with, --bundle-identity and --bundle-passphrase-fd are for bundles" : nil)
        }
        let cacheFile = takeOver ? try TakenOverCache(path, cache) : nil
        let progress = Progress("importing", isQuiet: global.quiet)
        defer { progress.finish() }
        let report: Keyring.ImportReport
        do throws(KeyringError) {
            // What is not taken in must not be taken away.
            if takeOver {
                try TakenOverCache.requireWhole(take(cache, of: path, into: keyring, isDryRun: true, progress))
            }
            report = try take(cache, of: path, into: keyring, isDryRun: dryRun, progress)
            if let cacheFile, !dryRun { try cacheFile.remove(cache) }
        } catch {
            throw Self.naming(path, error)
        }
        progress.finish()
        global.tellWarnings(of: keyring)
        warnOfReaders(path)
        if global.json {
            try JSONOutput.print(ImportDocument(report, isDryRun: dryRun))
        } else {
            try tell(report, path)
        }
        if report.isNothingTaken { throw ReportedFailure(status: .malformed) }
    }

    /// Takes a cache or another tool's file in, or finds out what that would do.
    func take(
        _ cache: borrowing SecretBytes, of path: String, into keyring: Keyring, isDryRun: Bool, _ progress: Progress
    ) throws(KeyringError) -> Keyring.ImportReport {
        let writtenAt = path == "-" ? nil : FileAccess.status(path, following: true)?.modificationTime
        return try keyring.caches.import(
            cache, azureProfile: noLabels ? nil : Self.azureProfile(beside: path), in: global.groups(),
            bringsBackRemoved: bringBack, isTakenOver: takeOver, taking: decisions,
            writtenAt: writtenAt.map(Timestamp.init(seconds:)), clientID: client, isDryRun: isDryRun,
            progress: progress.update)
    }

    func warnOfReaders(_ path: String) {
        guard path != "-", !global.quiet, FileAccess.status(path, following: true)?.isReadableByOthers == true else {
            return
        }
        StandardError.write(
            line:
                "keyfob: warning: others can read the tokens in \(path); 'chmod 600 \(ShellWord.inMessage(path))' keeps them out"
        )
    }

    private static func name(of path: String) -> String { path == "-" ? BundleInput.standardInput : path }

    /// The error with the file's name in the place of "the file".
    static func naming(_ path: String, _ error: KeyringError) -> KeyringError {
        let words = "the file "
        guard error.message.hasPrefix(words) else { return error }
        return error.saying("\(name(of: path)) \(error.message.dropFirst(words.count))", advice: error.advice)
    }

    private static func azureProfile(beside path: String) -> SecretBytes? {
        guard path != "-" else { return nil }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        do {
            return try SecretInput.cache(folder + "azureProfile.json")
        } catch {
            // It is a nicety; the cache alone will do.
            return nil
        }
    }

    private func tell(_ report: Keyring.ImportReport, _ path: String) throws(KeyringError) {
        for account in report.removedAccounts {
            StandardError.write(
                line:
                    "skipped: \(account.name), who was removed from group '\(report.group)'; --bring-back takes it in"
            )
        }
        for line in report.skipped { StandardError.write(line: "skipped: \(line)") }
        tellBesides(report)
        if !global.quiet {
            for line in report.remarks + report.namesakes.map(\.text) { StandardError.write(line: "note: \(line)") }
        }
        let outcomes = ["ADDED", "CHANGED", "UNCHANGED", "KEPT"]
        var table = Table(header: [""] + outcomes, usual: outcomes.reduce(into: [:]) { $0[$1] = "0" })
        for (name, counts) in [("accounts", report.accounts), ("tokens", report.credentials), ("other", report.others)]
        {
            table.add([name] + Keyring.StoreOutcome.allCases.map { "\(counts[$0] ?? 0)" })
        }
        try StandardOutput.write(lines: table.text)
        let count = report.skipped.count + report.removedAccounts.count
        let skipped = count == 0 ? "" : ", " + Quantity.of(count, "entry", "entries") + " left out"
        let rest =
            if takeOver {
                "; its refresh tokens are out of the cache, which holds the other tokens in plain text"
            } else if report.format.isOfTool {
                path == "-" ? "" : "; " + Self.remainder(of: report.format, in: path)
            } else {
                "; the cache still holds every token in plain text"
            }
        global.say(
            report.isNothingTaken
                ? "nothing was imported into group '\(report.group)'\(skipped)"
                : dryRun
                    ? "nothing was changed: this was a dry run for group '\(report.group)'\(skipped)"
                    : "imported into group '\(report.group)'\(skipped)\(rest)"
        )
    }
}

extension ImportCommand {
    /// What a person should know of another tool's file, whether or not it is taken.
    func tellBesides(_ report: Keyring.ImportReport, _ desktop: DesktopFindings = .none) {
        guard !global.quiet else { return }
        for token in report.elsewhere where !desktop.hasTool(of: report.format) {
            let command = token.command.map(ShellWord.inMessage).joined(separator: " ")
            StandardError.write(
                line: NamedVault.completing(
                    "note: '\(command) | keyfob add --account \(ShellWord.inMessage(token.username)) --host "
                        + "\(ShellWord.inMessage(token.host))' stores the token of \(token.username)"))
        }
        for client in report.clients {
            let words = "client \(client.id) of \(client.environment) with its secret"
            switch client.outcome {
            case nil:
                StandardError.write(
                    line: "left out: \(words); its refresh tokens are redeemed by it, and --with clients takes it in")
            case .kept: StandardError.write(line: "note: \(words) is here already, and was left as it is")
            default: StandardError.write(line: "note: \(words) comes too")
            }
        }
    }

    /// What is left in another tool's file, and how it goes.
    static func remainder(of format: Keyring.CacheFormat, in path: String) -> String {
        "the file still holds every token in plain text" + (format.removal(from: path).map { "; \($0)" } ?? "")
    }
}

extension ImportCommand {
    /// What is left in the desktop's keyring, and how it goes.
    static func keyringRemainder(of format: Keyring.CacheFormat) -> String {
        let removal: String? =
            switch format {
            case .gh: format.removal(from: "")
            case .gitCredentials: "'git credential reject' takes them out"
            case .pythonKeyring: "'keyring del' takes them out"
            default: nil
            }
        return "the desktop's keyring still holds every token" + (removal.map { "; \($0)" } ?? "")
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
    let clients: [FoundClient]?

    /// A client of another tool's file.
    struct FoundClient: Encodable {
        let id: String
        let environment: String
        let isImported: Bool

        init(_ client: Keyring.FoundClient) {
            (id, environment, isImported) = (client.id, client.environment, client.outcome == .added)
        }
    }

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
        remarks = report.remarks + report.namesakes.map(\.text)
        clients = report.clients.isEmpty ? nil : report.clients.map(FoundClient.init)
    }
}
