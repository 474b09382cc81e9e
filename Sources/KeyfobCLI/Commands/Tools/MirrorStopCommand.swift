internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobSodium

struct MirrorStopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Mirror a file no longer.",
        discussion: """
            What is known of the mirror is forgotten. The file and the group keep what they have; with --remove, the \
            accounts go out of the file that came there by the mirror alone.

            'keyfob undo' does not undo this.

            Example:
              keyfob mirror stop ~/.azure
              keyfob mirror stop ~/.cache/app/msal.json --remove

            Exit status: 0 done, 66 no such mirror, 75 the program has the file.
            """)

    @Argument(help: ArgumentHelp("The file, or az's folder.", valueName: "path")) var path: String
    @Flag(name: .long, help: "Take out of the file what the mirror brought.") var remove = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws { try Self.stop(path, remove: remove, global) }

    /// Forgets the mirror of a file, or of the cache in az's folder.
    ///
    /// - Parameter remove: Whether what the mirror brought is taken out of it.
    static func stop(_ path: String, remove: Bool, _ global: GlobalOptions) throws {
        let isFolder = FileAccess.status(path, following: true)?.isDirectory == true
        let named = isFolder ? path + "/" + MirrorAzureCommand.cacheName : path
        // The file may be gone, and its folder too.
        let file = FileAccess.formerPath(named) ?? named
        let store = MirrorStore(state: try global.location().state)
        guard let note = try MirrorFiles.note(of: file, store) else {
            throw KeyringError(.noSuchFile, "\(file) is not mirrored", hint: "'keyfob mirror list' shows what is")
        }
        DeferredSignals.begin()
        defer { DeferredSignals.end() }
        if remove {
            let desktop = MirrorKeyring(attributes: note.item, service: global.secretService())
            let files = try MirrorFiles(file, store, keyring: note.item.isEmpty ? nil : desktop)
            let current = try files.note() ?? note
            try takeOut(current, files)
            try files.forget()
        } else {
            do { try store.forget(file) } catch {
                throw KeyringError(.inputOutput, "the note of the mirror cannot be removed")
            }
        }
        global.note(LastingChange(.mirrorStopped, file), isOfVault: false)
        let words = remove ? ", and what the mirror had brought is out of it" : ""
        try global.tell(.mirrorStopped, "\(file) is not mirrored any more\(words)") {
            $0.subject = ChangeDocument.Subject(file: file)
        }
    }

    private static func takeOut(_ note: MirrorNote, _ files: borrowing MirrorFiles) throws(KeyringError) {
        let cache = try files.read()
        let content = cache.text()
        let rest = try content.withBytes { (bytes) throws(KeyringError) -> SecretBytes? in
            let document: MSALDocument
            do throws(MSALCacheError) {
                document = try MSALDocument(reading: bytes)
            } catch {
                throw KeyringError(.damaged, "\(note.file): \(error); nothing was changed")
            }
            let going = document.places(of: note.brought)
            return going.isEmpty ? nil : document.edited(bytes, removing: going, adding: [], of: document, bytes)
        }
        switch rest {
        case nil: break
        case .some(let rest):
            guard try files.write(rest, over: cache) else { throw KeyringError(.changed, of: note.file) }
        }
        guard !note.subscriptions.isEmpty, let slash = note.file.lastIndex(of: "/") else { return }
        _ = try MirroredProfile(note.file[...slash] + "azureProfile.json").update([], note.subscriptions)
    }
}
