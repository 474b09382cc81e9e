internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobVault

/// That the key of a vault was kept, and where that lay.
///
/// By it the key is forgotten when the vault cannot be read any more, or has gone elsewhere. It is no secret, and nothing but a key is
/// forgotten because of it.
///
/// Noted in the runtime folder, which ends with the login, and in the state folder, which commands with another one have too.
struct KeptNote: Equatable {
    let vault: VaultID
    let place: VaultPlace
    /// The folder with what the key is wrapped under.
    let runtime: String
    /// The numbers of that folder's device and its own: elsewhere, another folder may have its path.
    let runtimeFolder: String

    /// The file of either folder.
    private static let name = "kept"
    /// More logins and vaults than one has at once.
    private static let most = 256

    /// Those at hand.
    static func all(at location: KeyringLocation) -> [KeptNote] {
        let ofLogin = location.runtime.flatMap { try? RuntimeFolder(path: $0).notes(in: name) } ?? []
        return (ofLogin + lines(in: location.state)).compactMap { KeptNote($0) }
    }

    /// Takes note that a key is kept; where that cannot be written, it is found by the vault itself alone.
    static func write(_ vault: VaultID, at location: KeyringLocation) {
        guard let runtime = location.runtime, let folder = FileIdentity(runtime)?.text else { return }
        let note = KeptNote(vault: vault, place: VaultPlace(location), runtime: runtime, runtimeFolder: folder)
        let line = note.line
        _ = try? RuntimeFolder(path: runtime).takeNote(line, in: name)
        let path = location.state + "/" + name
        do {
            try POSIXFile.createDirectories(location.state)
            let held = try FileLock(path + ".lock", orBusyAfter: .seconds(5))
            // What an earlier login had at this path is gone with it.
            let before = lines(in: location.state).filter { old in
                KeptNote(old).map { $0.vault != vault || $0.runtime != runtime } ?? false
            }
            let after = (before + [line]).suffix(most)
            try POSIXFile.replace(path, with: Array(after.map { $0 + "\n" }.joined().utf8))
            _ = consume held
        } catch {}
    }

    private static func lines(in state: String) -> [String] {
        let content = FileAccess.read(state + "/" + name, limit: 1 << 20, following: false)
        guard case .bytes(let bytes, let status) = content, status.isOwn
        else { return [] }
        return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the runtime folder at that path is the one that was noted.
    var isRuntimeSeen: Bool { FileIdentity(runtime)?.text == runtimeFolder }

    /// The vault, the numbers of its folder, its path, the numbers of the runtime folder and its path.
    private var line: String {
        [
            "\(vault)", place.folder ?? "-", PercentEncoding.encode(place.path), runtimeFolder,
            PercentEncoding.encode(runtime),
        ].joined(separator: " ")
    }

    private init(vault: VaultID, place: VaultPlace, runtime: String, runtimeFolder: String) {
        (self.vault, self.place, self.runtime, self.runtimeFolder) = (vault, place, runtime, runtimeFolder)
    }

    private init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        func text(_ word: String) -> String? {
            PercentEncoding.decode(word.utf8).map { String(decoding: $0, as: UTF8.self) }
        }
        guard words.count == 5, let vault = VaultID(hexadecimal: words[0]), let path = text(words[2]),
            let runtime = text(words[4])
        else { return nil }
        let place = VaultPlace(path: path, folder: words[1] == "-" ? nil : words[1])
        self.init(vault: vault, place: place, runtime: runtime, runtimeFolder: words[3])
    }
}
