internal import KeyfobAge
internal import KeyfobFiles

/// A backup in a folder, of which nothing was opened.
public struct BackupFile: Hashable, Sendable {
    /// Where it is.
    public let path: String
    /// When it was made: as it says, or else as its name says.
    public let time: Timestamp
    /// How long it is, in bytes.
    public let size: Int64
    /// What it says of itself; nil where that cannot be read.
    public let claim: BackupClaim?
    /// The name that Keyfob gave it, if it did.
    let name: BackupName?

    /// The backups in the folder of the vault at `location`, newest first; none where there is no such folder.
    ///
    /// Neither the vault nor a backup is opened, and the vault may be damaged or gone.
    ///
    /// - Throws: `inputOutput`.
    public static func all(at location: KeyringLocation) throws(KeyringError) -> [BackupFile] {
        let folder = VaultDirectory(path: location.vault).backups
        guard FileAccess.status(folder, following: true) == nil else { return try all(in: folder) }
        if let closed = KeyringError.closed(location.vault) { throw closed }
        return []
    }

    /// The backups in a folder, newest first: what has the name of one, and what ends in `.age` and says that it is one.
    ///
    /// - Throws: `noSuchFile`, `inputOutput`.
    public static func all(in folder: String) throws(KeyringError) -> [BackupFile] {
        guard FileAccess.status(folder, following: true)?.isDirectory == true else {
            throw KeyringError(.noSuchFile, "there is no folder \(folder)")
        }
        guard let names = try? POSIXFile.names(in: folder) else {
            throw KeyringError(.inputOutput, "\(folder) cannot be read")
        }
        return names.compactMap { BackupFile(named: $0, in: folder) }.sorted(by: isNewer)
    }

    init?(named name: String, in folder: String) {
        guard name.hasSuffix(".age") else { return nil }
        path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
        let status = (try? POSIXFile.status(path)) ?? nil
        size = status?.size ?? 0
        self.name = BackupName(name)
        claim = status?.isRegularFile == true ? Self.claim(in: path) : nil
        guard let time = claim?.time ?? self.name?.time else { return nil }
        self.time = time
    }

    private static func claim(in path: String) -> BackupClaim? {
        guard let file = try? InputFile(path: path, limit: .max),
            let start = try? file.piece(at: 0, count: AgeRemark.startCount)
        else { return nil }
        return BackupClaim(atStartOf: start)
    }

    private static func isNewer(_ left: BackupFile, _ right: BackupFile) -> Bool {
        guard left.time == right.time else { return left.time > right.time }
        guard let mine = left.name, let other = right.name, mine != other else { return left.path > right.path }
        return mine > other
    }
}

/// The name of a backup: `keyfob-20261120T101500Z.age`, with a number where one second made several.
struct BackupName: Hashable, Comparable {
    let time: Timestamp
    private let number: Int

    /// Whether the name of something that is not there is a file's: it has a dot, as no folder's should.
    static func isFile(_ path: String) -> Bool { (path.split(separator: "/").last ?? "").contains(".") }

    /// The first name of a second.
    init(_ time: Timestamp) { self.init(time: max(Timestamp(seconds: 0), time), number: 1) }

    private init(time: Timestamp, number: Int) {
        self.time = CivilDate(clamping: time).time
        self.number = number
    }

    /// The name; nil for a file that is something else.
    init?(_ name: String) {
        guard name.hasPrefix("keyfob-"), name.hasSuffix(".age") else { return nil }
        let parts = name.dropFirst(7).dropLast(4).split(separator: "_", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let date = CivilDate(compact: String(parts[0])),
            let number = parts.count == 2 ? Int(parts[1]) : 1, (1..<1_000_000).contains(number)
        else { return nil }
        self.init(time: date.time, number: number)
        guard text == name else { return nil }
    }

    /// The next name of the same second.
    var next: BackupName { BackupName(time: time, number: number + 1) }

    var text: String {
        "keyfob-\(CivilDate(clamping: time).compact)" + (number == 1 ? "" : "_\(number)") + ".age"
    }

    static func < (left: BackupName, right: BackupName) -> Bool {
        left.time == right.time ? left.number < right.number : left.time < right.time
    }
}
