internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobTerminal

extension ImportCommand {
    /// Shows what other tools keep, in their files and in the desktop's keyring, and takes in what is wanted.
    func discover(_ desktop: DesktopFindings, into keyring: Keyring) throws {
        var files: [DiscoveredFile] = []
        var refused: [DiscoveryDocument.Refusal] = []
        func refuse(_ path: String, _ error: KeyringError) {
            let reason = Self.naming(path, error)
            refused.append(DiscoveryDocument.Refusal(path: path, reason: reason.message))
            StandardError.write(line: "skipped: \(reason.message)\(reason.hint.map { "; \($0)" } ?? "")")
        }
        for place in discover ? ToolPlaces(.current).places : []
        where FileAccess.status(place.path, following: false) != nil {
            do throws(KeyringError) {
                if let file = try discovered(at: place, keyring) { files.append(file) }
            } catch {
                refuse(place.path, error)
            }
        }
        if let problem = desktop.problem { refuse(DesktopFindings.name, problem) }
        for items in desktop.items {
            let source = DiscoveredFile.Source.items(items)
            do throws(KeyringError) {
                let report = try take(source, into: keyring, isDryRun: true, Progress("importing", isQuiet: true))
                files.append(DiscoveredFile(source, report))
            } catch {
                refuse(source.path, error)
            }
        }
        for file in files {
            for line in file.report.skipped { StandardError.write(line: "skipped: \(file.path): \(line)") }
            for account in file.report.removedAccounts {
                StandardError.write(
                    line:
                        "skipped: \(file.path): \(account.name), who was removed from group '\(file.report.group)'; "
                        + "--bring-back takes it in")
            }
            tellBesides(file.report, desktop)
        }
        files.removeAll(where: \.isEmpty)
        // What finding out has to warn of, taking in warns of too.
        _ = keyring.takeWarnings()
        let providers = try ProviderNames(keyring, global.groups())
        if !global.json { try StandardOutput.write(lines: files.isEmpty ? "" : table(files, providers)) }
        if !dryRun { try take(chosen(files), into: keyring, &files) }
        global.tellWarnings(of: keyring)
        if global.json {
            try JSONOutput.print(
                DiscoveryDocument(
                    isDryRun: dryRun, files: files.map { DiscoveryDocument.File($0, providers.known) },
                    refused: refused))
        }
        if files.isEmpty {
            global.say(
                discover
                    ? "no file was found in which a tool keeps tokens that can be taken; 'keyfob import FILE' takes one from "
                        + "elsewhere, 'keyfob login PROVIDER' signs in"
                    : "nothing was found in the desktop's keyring that can be taken")
            if !refused.isEmpty { throw ReportedFailure(status: .malformed) }
        } else if dryRun {
            global.say("nothing was changed: this was a dry run")
        }
    }

    /// What is at a place; nil for nothing that is known.
    private func discovered(at place: ToolPlaces.Place, _ keyring: Keyring) throws(KeyringError) -> DiscoveredFile? {
        guard FileAccess.status(place.path, following: true)?.isTrustworthy != false else {
            throw KeyringError(.configuration, "\(place.path) belongs to another user")
        }
        let held = HeldFile(try SecretInput.cache(place.path))
        guard held.bytes.count > 0 else { return nil }
        let format = Keyring.CacheFormat(recognizing: held.bytes)
        // A file that is damaged or encrypted says so itself.
        if let format, !place.formats.contains(format) {
            guard place.reportsUnrecognized else { return nil }
            throw KeyringError(.damaged, "\(place.path) is not what belongs there, or holds no tokens")
        }
        let progress = Progress("importing", isQuiet: true)
        defer { progress.finish() }
        do {
            let source = DiscoveredFile.Source.file(place.path, held)
            return DiscoveredFile(source, try take(source, into: keyring, isDryRun: true, progress))
        } catch {
            // Nothing that belongs there, and nothing that anybody expects to be read.
            if format == nil, !place.reportsUnrecognized, [nil, .listImportKinds].contains(error.advice) { return nil }
            throw error
        }
    }

    private func take(
        _ source: DiscoveredFile.Source, into keyring: Keyring, isDryRun: Bool, _ progress: Progress
    ) throws(KeyringError) -> Keyring.ImportReport {
        switch source {
        case .file(let path, let held):
            try take(held.bytes, of: path, into: keyring, isDryRun: isDryRun, progress)
        case .items(let items):
            try keyring.caches.importItems(
                items, in: global.groups(), bringsBackRemoved: bringBack, clientID: client, isDryRun: isDryRun,
                progress: progress.update)
        }
    }

    private func table(_ files: [DiscoveredFile], _ providers: ProviderNames) -> String {
        var table = Table(
            header: ["", "ACCOUNT", "PROVIDER", "HOST", "TOKENS", "FILE"], yielding: ["HOST", "TOKENS", "PROVIDER"],
            wrapping: ["TOKENS"])
        for (number, file) in files.enumerated() {
            for (id, found) in file.accounts {
                let tokens = Credential.Kind.allCases.filter(found.tokens.contains).map(\.words)
                table.add([
                    "\(number + 1)", found.account.name, providers.known(id.environment) ?? "-",
                    EnvironmentAliases.canonicalName(of: id.environment),
                    tokens.isEmpty ? "-" : tokens.joined(separator: ", "),
                    file.path + (file.hasNew ? "" : " (here already)"),
                ])
            }
        }
        return table.text
    }

    /// The numbers of the files that the person wants.
    private func chosen(_ files: [DiscoveredFile]) throws(KeyringError) -> Set<Int> {
        let news = files.indices.filter { files[$0].hasNew }
        if force || news.isEmpty { return Set(news) }
        guard !global.noInput, let terminal = Terminal() else {
            throw KeyringError(
                .usage, "there is nobody to ask which of the files to take",
                hint: "--force takes all of them, --dry-run only shows them")
        }
        let answer = try terminal.ask("Import which? Their numbers, 'all', or just Enter for none: ")
        let words = answer.split { $0 == " " || $0 == "," }
        if words == ["all"] { return Set(news) }
        let numbers = words.compactMap { Int($0) }.map { $0 - 1 }
        guard !words.isEmpty, numbers.count == words.count, numbers.allSatisfy(files.indices.contains) else {
            throw KeyringError(
                .cancelled,
                words.isEmpty ? "cancelled; nothing was changed" : "there is no such file; nothing was changed")
        }
        return Set(numbers)
    }

    private func take(_ chosen: Set<Int>, into keyring: Keyring, _ files: inout [DiscoveredFile]) throws {
        if chosen.isEmpty, !files.isEmpty { global.say("there is nothing new: all of it is here already") }
        for index in chosen.sorted() {
            let file = files[index]
            let progress = Progress("importing", isQuiet: global.quiet)
            defer { progress.finish() }
            do throws(KeyringError) {
                files[index].report = try take(file.source, into: keyring, isDryRun: false, progress)
            } catch {
                throw Self.naming(file.path, error)
            }
            files[index].isImported = true
            progress.finish()
            if file.source.isFile { warnOfReaders(file.path) }
            let report = files[index].report
            for line in report.remarks + report.namesakes.map(\.text) { global.say("note: \(file.path): \(line)") }
            let tokens = [Keyring.StoreOutcome.added, .changed].reduce(0) { $0 + (report.credentials[$1] ?? 0) }
            global.say(
                "imported \(Quantity.of(tokens, "token")) of \(file.path) into group '\(report.group)'; "
                    + (file.source.isFile
                        ? Self.remainder(of: report.format, in: file.path) : Self.keyringRemainder(of: report.format)))
        }
    }
}

/// A file that was found, or what a tool keeps in the desktop's keyring, with what taking it in would do.
struct DiscoveredFile {
    /// What tokens are taken from.
    fileprivate enum Source {
        case file(String, HeldFile)
        case items(ForeignItems)

        /// What it is called.
        var path: String {
            switch self {
            case .file(let path, _): path
            case .items(let items): "\(DesktopFindings.name): \(items.name)"
            }
        }

        var isFile: Bool { if case .file = self { true } else { false } }
    }

    fileprivate let source: Source
    fileprivate(set) var report: Keyring.ImportReport
    fileprivate(set) var isImported = false

    fileprivate init(_ source: Source, _ report: Keyring.ImportReport) {
        (self.source, self.report) = (source, report)
        hasNew = [report.accounts, report.credentials].contains { ($0[.added] ?? 0) + ($0[.changed] ?? 0) > 0 }
    }

    /// What it is called: for a file its path.
    var path: String { source.path }
    /// Whether it is a file.
    var isFile: Bool { source.isFile }
    /// Whether something of it is not here yet.
    let hasNew: Bool
    /// Whether it holds nothing to take.
    fileprivate var isEmpty: Bool { report.found.isEmpty }
    /// Its accounts by their ids.
    fileprivate var accounts: [(key: AccountID, value: Keyring.FoundAccount)] {
        report.found.sorted { $0.key < $1.key }
    }
}

/// The bytes of a file, as they were shown, until they are taken.
private final class HeldFile: Sendable {
    let bytes: SecretBytes

    init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
}

/// `Schemas/discovery.schema.json`.
struct DiscoveryDocument: JSONDocument {
    let formatVersion = 1
    let isDryRun: Bool
    let files: [File]
    let refused: [Refusal]

    /// A file that was found.
    struct File: Encodable {
        let path: String
        let place: String
        let format: String
        let group: String
        let isImported: Bool
        let hasNew: Bool
        let accounts: [Found]
        let skipped: [String]

        init(_ file: DiscoveredFile, _ provider: (String) -> String?) {
            (path, isImported, hasNew) = (file.path, file.isImported, file.hasNew)
            place = file.isFile ? "file" : "secret-service"
            (format, group, skipped) = (file.report.format.rawValue, file.report.group.name, file.report.skipped)
            accounts = file.accounts.map { id, found in
                Found(
                    id: id.description, username: found.account.username, provider: provider(id.environment),
                    tokens: Credential.Kind.allCases.filter(found.tokens.contains).map(\.rawValue))
            }
        }
    }

    /// An account that it holds tokens of.
    struct Found: Encodable {
        let id: String
        let username: String
        let provider: String?
        let tokens: [String]
    }

    /// A file that was not read.
    struct Refusal: Encodable {
        let path: String
        let reason: String
    }
}

extension Credential.Kind {
    /// The kind in a list of tokens.
    fileprivate var words: String {
        switch self {
        case .accessToken: "access"
        case .refreshToken: "refresh"
        case .idToken: "ID"
        }
    }
}
