internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobSodium

/// A program's cache as it was read: in a file, or in an item of the desktop's keyring beside a file that is there for its lock
/// and its time.
struct MirroredCache: ~Copyable {
    fileprivate let file: MirroredFile
    fileprivate let item: MSALKeyringItem?

    /// The item's attributes; none where the file has the cache.
    var attributes: [String: String] {
        switch item {
        case .some(let item): item.attributes
        case nil: [:]
        }
    }
    /// Whether others can read it, as far as its mode says.
    var isReadableByOthers: Bool { attributes.isEmpty && file.isReadableByOthers }

    /// Writes the item, where that has the cache; nil for a file, false where it is not what was read any more.
    fileprivate borrowing func replaceItem(with content: borrowing SecretBytes) throws(KeyringError) -> Bool? {
        switch item {
        case .some(let item): try item.replace(with: content)
        case nil: nil
        }
    }

    /// What is in it, or a cache of nothing.
    borrowing func text() -> SecretBytes {
        switch item {
        case .some(let item): item.content()
        case nil: file.text(orElse: Array("{}".utf8))
        }
    }
}

/// The file of a mirror, under the program's own lock, and what is noted of it.
struct MirrorFiles: ~Copyable {
    /// How long a program may have its cache to itself before a pass gives up.
    static let patience = Duration.seconds(10)

    /// Where the cache is, without links.
    let path: String
    private let store: MirrorStore
    private let turn: FileLock
    private let lock: ProgramLock
    private let keyring: MirrorKeyring?

    /// Takes the locks for the cache at `path`.
    ///
    /// - Parameter keyring: Where it is in the desktop's keyring; nil for a file.
    /// - Throws: `busy` where the program, or another pass, has it for longer than ``patience``.
    init(_ path: String, _ store: MirrorStore, keyring: MirrorKeyring?) throws(KeyringError) {
        let turn = try Self.turn(path, store)
        let lock = try Self.lock(path)
        (self.path, self.store) = (path, store)
        self.turn = turn
        self.lock = lock
        self.keyring = keyring
    }

    private static func turn(_ path: String, _ store: MirrorStore) throws(KeyringError) -> FileLock {
        do {
            return try store.lock(path, orBusyAfter: patience)
        } catch {
            throw self.error(noting: path, error)
        }
    }

    private static func lock(_ path: String) throws(KeyringError) -> ProgramLock {
        do throws(ForeignFile.Failure) {
            return try ProgramLock(for: path, orBusyAfter: patience)
        } catch {
            throw KeyringError(error, of: path)
        }
    }

    /// Where the cache called `name` is.
    static func place(of name: String) throws(KeyringError) -> String {
        do throws(ForeignFile.Failure) {
            return try MirroredFile.place(of: name)
        } catch {
            throw KeyringError(error, of: name)
        }
    }

    /// What is noted of the mirror of a file; nil where it is none, or the note makes no sense: then nothing is known of
    /// what was before.
    static func note(of path: String, _ store: MirrorStore) throws(KeyringError) -> MirrorNote? {
        do {
            return try store.note(of: path).flatMap(MirrorNote.init(text:))
        } catch {
            throw Self.error(noting: path, error)
        }
    }

    borrowing func note() throws(KeyringError) -> MirrorNote? { try Self.note(of: path, store) }

    borrowing func read() throws(KeyringError) -> MirroredCache {
        let item = try keyring?.item()
        do throws(ForeignFile.Failure) {
            let file = try MirroredFile(path)
            try file.requireWritable()
            return MirroredCache(file: file, item: item)
        } catch {
            throw KeyringError(error, of: path)
        }
    }

    /// Writes the cache, where it still is what was read.
    ///
    /// - Returns: Whether it was.
    borrowing func write(_ content: borrowing SecretBytes, over cache: borrowing MirroredCache) throws(KeyringError)
        -> Bool
    {
        let isInItem = try cache.replaceItem(with: content)
        guard isInItem != false else { return false }
        do throws(ForeignFile.Failure) {
            if isInItem == nil { try cache.file.replace(with: content) } else { try cache.file.touch() }
            return true
        } catch .changed {
            return false
        } catch {
            throw KeyringError(error, of: path)
        }
    }

    borrowing func keep(_ note: MirrorNote) throws(KeyringError) {
        do { try store.keep(note.text, of: path) } catch { throw Self.error(noting: path, error) }
    }

    borrowing func forget() throws(KeyringError) {
        do { try store.forget(path) } catch { throw Self.error(noting: path, error) }
    }

    private static func error(noting path: String, _ failure: StorageFailure) -> KeyringError {
        switch failure as? StoreError {
        case .busy?:
            KeyringError(.busy, "another pass has been working on \(path) for 10 seconds", hint: "try again")
        case .diskFull?:
            KeyringError(
                .diskFull, "the disk of Keyfob's state folder is full: what was mirrored is not noted",
                advice: .makeRoom)
        default:
            KeyringError(.inputOutput, "what was mirrored cannot be noted", hint: "see to the folder of KEYFOB's state")
        }
    }
}

/// Where a program's cache is in the desktop's keyring.
struct MirrorKeyring {
    /// The attributes of its item; none for the only one there is of MSAL's.
    let attributes: [String: String]
    let service: SecretServiceOptions

    /// The item, as it is now.
    func item() throws(KeyringError) -> MSALKeyringItem {
        do throws(KeyringError) {
            return try MSALKeyringItem.find(attributes, service)
        } catch {
            guard error.code == .ambiguous else { throw error }
            throw error.saying(advice: .words("say which, with --attribute NAME=VALUE of one of them"))
        }
    }
}
