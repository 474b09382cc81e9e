internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobSodium
internal import KeyfobTerminal

/// One pass of a mirror, from the question before the first one to what is told of it.
struct MirrorRun {
    /// The name of the command that mirrors: `azure-cli` or `msal`.
    let program: String
    /// What people call it.
    let display: String
    /// Clients whose tokens are mirrored, besides those that the file names.
    let clients: [String]
    /// Where az's list of subscriptions is; nil for other programs.
    let profile: String?
    /// What the item of the desktop's keyring that has the cache is known by, as far as it is given; nil for a file.
    let item: [String: String]?
    let options: MirrorOptions
    private var global: GlobalOptions { options.global }

    init(
        program: String, display: String, clients: [String], profile: String?, item: [String: String]? = nil,
        options: MirrorOptions
    ) {
        (self.program, self.display, self.clients) = (program, display, clients)
        (self.profile, self.item, self.options) = (profile, item, options)
    }

    /// How often a pass begins anew where the program writes without its lock.
    private static let attempts = 5

    /// Brings the cache called `name` into step.
    func run(_ name: String) throws {
        let path = try MirrorFiles.place(of: name)
        let store = MirrorStore(state: try global.location().state)
        var earlier = try MirrorFiles.note(of: path, store)
        let desktop = try desktop(of: earlier, path)
        // Before anybody is asked for a key.
        if earlier == nil { _ = try desktop?.item() }
        let keyring = try global.unlockedKeyring(reaching: desktop == nil ? .files(writing: path) : .everything)
        defer { global.tellWarnings(of: keyring) }
        let group = try group(of: earlier, keyring, path)
        if earlier == nil { try options.confirm(path, isItem: desktop != nil, display, group) }

        // A lock that stays behind makes programs wait.
        DeferredSignals.begin()
        defer { DeferredSignals.end() }
        let files = try MirrorFiles(path, store, keyring: desktop)
        earlier = try files.note()
        // Another pass may have begun meanwhile.
        _ = (try self.group(of: earlier, keyring, path), try self.desktop(of: earlier, path))
        var note = earlier ?? MirrorNote(file: path, program: program, vault: keyring.vaultID, group: group)
        for _ in 0..<Self.attempts {
            let cache = try files.read()
            note.item = cache.attributes
            let pass = try merged(cache, note, keyring, path)
            if pass.isChanged {
                guard try write(pass, over: cache, note, isFirst: earlier == nil, files) else { continue }
            }
            var next = pass.note
            do {
                next.subscriptions =
                    try profile.map { try MirroredProfile($0).update(pass.report.present, next.subscriptions) } ?? []
            } catch {
                try files.keep(next)
                throw error
            }
            try files.keep(next)
            // What a later pass brings is what is got anew.
            if earlier == nil { global.note(LastingChange(.mirrored, path), isOfVault: false) }
            return try tell(pass.report, next, since: note, cache.isReadableByOthers)
        }
        throw KeyringError(.changed, of: path)
    }

    /// Writes the cache, once it is noted that it is to be.
    ///
    /// - Returns: Whether it still was what was read.
    private func write(
        _ pass: borrowing Keyring.MirrorPass, over cache: borrowing MirroredCache, _ note: MirrorNote, isFirst: Bool,
        _ files: borrowing MirrorFiles
    ) throws(KeyringError) -> Bool {
        let begun = cache.text().withBytes {
            note.before(writing: $0, for: pass.report.went.map(\.id), ending: pass.note)
        }
        try files.keep(begun)
        do throws(KeyringError) {
            if try files.write(pass.content, over: cache) { return true }
        } catch {
            // A service that does not answer may have written all the same.
            if error.code != .unconfirmed, note.item.isEmpty { try takeBack(note, isFirst, files) }
            throw error
        }
        try takeBack(note, isFirst, files)
        return false
    }

    /// Notes that nothing was written.
    private func takeBack(_ note: MirrorNote, _ isFirst: Bool, _ files: borrowing MirrorFiles) throws(KeyringError) {
        if isFirst { try files.forget() } else { try files.keep(note) }
    }

    /// Where the cache is in the desktop's keyring; nil for a file.
    ///
    /// A note makes no item of a file, and no file of an item: whoever can write it puts no token into the open by that.
    private func desktop(of note: MirrorNote?, _ path: String) throws(KeyringError) -> MirrorKeyring? {
        let known = note?.item ?? [:]
        guard note == nil || known.isEmpty == (item == nil) else {
            throw KeyringError(
                .alreadyExists,
                "\(path) is mirrored \(known.isEmpty ? "as a file" : "as one of the desktop's keyring") already",
                hint: known.isEmpty ? Self.stopping(path) : "say --keyring")
        }
        guard let item else { return nil }
        guard item.allSatisfy({ known[$0.key] ?? $0.value == $0.value }) else {
            throw KeyringError(
                .alreadyExists, "\(path) is mirrored with another item of the desktop's keyring already",
                hint: Self.stopping(path))
        }
        return MirrorKeyring(attributes: known.merging(item) { $1 }, service: global.secretService())
    }

    private static func stopping(_ path: String) -> String {
        "'keyfob mirror stop \(ShellWord.inMessage(path))' ends that"
    }

    private func merged(
        _ cache: borrowing MirroredCache, _ note: MirrorNote, _ keyring: Keyring, _ path: String
    ) throws(KeyringError) -> Keyring.MirrorPass {
        var choice = Keyring.MirrorOptions()
        (choice.clients, choice.accounts, choice.bringsBack) = (clients, options.account, options.bringBack)
        let subscriptions = subscriptions()
        do throws(KeyringError) {
            return try keyring.caches.mirror(cache.text(), since: note, options: choice, azureProfile: subscriptions)
        } catch {
            throw ImportCommand.naming(path, error)
        }
    }

    /// az's list of subscriptions, which gives labels; it is a nicety.
    private func subscriptions() -> SecretBytes? {
        guard let profile else { return nil }
        do { return try SecretInput.cache(profile) } catch { return nil }
    }

    /// The group of a mirror, which stays the one that it began with.
    private func group(of note: MirrorNote?, _ keyring: Keyring, _ path: String) throws(KeyringError) -> AccessGroup {
        let asked = try global.groups()
        guard let note else { return try keyring.caches.groupOfNewMirror(asked) }
        let isSame = asked?.first.map { $0 == note.group } ?? true
        guard note.vault == keyring.vaultID, isSame, note.program == program else {
            let other =
                note.vault != keyring.vaultID
                ? "another vault"
                : isSame ? "group '\(note.group)' as the cache of \(note.program)" : "group '\(note.group)'"
            throw KeyringError(
                .alreadyExists, "\(path) is mirrored with \(other) already",
                hint: Self.stopping(path))
        }
        return note.group
    }

    private func tell(
        _ report: Keyring.MirrorReport, _ note: MirrorNote, since earlier: MirrorNote, _ isReadableByOthers: Bool
    ) throws(KeyringError) {
        if global.json { return try JSONOutput.print(MirrorDocument(report, note)) }
        guard !global.quiet else { return }
        func say(_ words: String, _ accounts: [Account]) {
            guard !accounts.isEmpty else { return }
            StandardError.write(line: "\(words): \(Quantity.list(accounts.map(\.name)))")
        }
        if earlier.passedAt == nil { for line in report.skipped { StandardError.write(line: "skipped: \(line)") } }
        say("takes part again", report.returned)
        say("into group '\(note.group)'", report.came)
        say("into \(note.place)", report.went)
        say("signed out here, and taken out of \(note.place)", report.ended)
        for left in note.leftOut where !earlier.leftOut.contains(left) {
            StandardError.write(line: "left out: \(Self.words(left, note))")
        }
        if isReadableByOthers, report.went.isEmpty {
            StandardError.write(
                line: "keyfob: warning: others can read the tokens in \(note.file); "
                    + "'chmod 600 \(ShellWord.inMessage(note.file))' keeps them out")
        }
        global.say(
            "\(note.place) and group '\(note.group)' are in step: \(Quantity.of(report.present.count, "account"))")
    }

    /// Why an account is left out, and what to type about it.
    static func words(_ left: MirrorNote.LeftOut, _ note: MirrorNote) -> String {
        let name = ShellWord.inMessage(left.name)
        let line =
            ["keyfob mirror \(note.program)"] + (note.program == "msal" ? [ShellWord.inMessage(note.file)] : [])
            + (note.item.isEmpty ? [] : ["--keyring"])
        let back = "'\(line.joined(separator: " ")) --account \(name) --bring-back' takes it in again"
        return switch left.reason {
        case .signedOutThere:
            "\(left.name), signed out by the program; it is signed in here still: 'keyfob logout \(name)' signs it out, \(back)"
        case .signedOutHere:
            "\(left.name), signed out here, while the program has it from before; 'keyfob login' signs in here"
        case .removedHere: "\(left.name), which was removed from group '\(note.group)'; \(back)"
        }
    }
}

extension MirrorNote {
    /// Where the cache is, as people read it.
    var place: String { item.isEmpty ? file : "the desktop's keyring (\(file))" }
}

/// `azureProfile.json`, in which az looks up whom it knows.
struct MirroredProfile {
    private let file: ForeignFile
    private let path: String

    init(_ path: String) throws(KeyringError) {
        self.path = path
        do throws(ForeignFile.Failure) { file = try ForeignFile(path) } catch { throw KeyringError(error, of: path) }
    }

    /// Adds who is missing, and takes out whom the mirror had added and who is gone.
    ///
    /// - Returns: Whose entries are the mirror's.
    func update(_ accounts: [Account], _ own: Set<MirrorDigest>) throws(KeyringError) -> Set<MirrorDigest> {
        let people = accounts.compactMap { AzureProfile.Person($0) }
        let present = Set(people.map(\.digest))
        let (new, added): ([UInt8]?, [AzureProfile.Person])
        do throws(JSONError) {
            var left: [UInt8]?
            if let text = file.content {
                left = try AzureProfile.removing(from: text) { own.contains($0) && !present.contains($0) }
            }
            let more = try AzureProfile.adding(people, to: left ?? file.content)
            (new, added) = (more.text ?? left, more.added)
        } catch {
            throw KeyringError(
                .damaged, "the cache is in step, but \(path) is not what az writes (\(error)), and stays as it is")
        }
        if let new { try write(new) }
        return own.intersection(present).union(added.map(\.digest))
    }

    private func write(_ text: [UInt8]) throws(KeyringError) {
        do throws(ForeignFile.Failure) {
            try file.replace(with: text, lock: .none)
        } catch {
            throw KeyringError(error, of: path)
        }
    }
}

/// `Schemas/mirror.schema.json`.
struct MirrorDocument: JSONDocument {
    let formatVersion = 1
    let file: String
    let isKeyringItem: Bool
    let program: String
    let group: String
    let accounts: [String]
    let intoGroup: [String]
    let intoFile: [String]
    let outOfFile: [String]
    let leftOut: [MirrorLeftOut]

    init(_ report: Keyring.MirrorReport, _ note: MirrorNote) {
        func ids(_ accounts: [Account]) -> [String] { accounts.map(\.id.description) }
        (file, program, group) = (note.file, note.program, note.group.name)
        isKeyringItem = !note.item.isEmpty
        accounts = ids(report.present)
        (intoGroup, intoFile, outOfFile) = (ids(report.came), ids(report.went), ids(report.ended))
        leftOut = note.leftOut.map(MirrorLeftOut.init)
    }
}

/// An account that a mirror leaves out, and why.
struct MirrorLeftOut: Encodable {
    let account: String
    let name: String
    let reason: String

    init(_ left: MirrorNote.LeftOut) {
        (account, name, reason) = (left.account.description, left.name, left.reason.rawValue)
    }
}
