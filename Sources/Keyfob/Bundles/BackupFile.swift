internal import KeyfobFiles

/// A backup in a vault's folder, which is told by its name without opening anything.
public struct BackupFile: Hashable, Sendable {
    /// Where it is.
    public let path: String
    /// When it was made.
    public let time: Timestamp
    /// How long it is, in bytes.
    public let size: Int64

    /// The backups of the vault at `location`, newest first; none where there is no folder of backups.
    public static func all(at location: KeyringLocation) throws(KeyringError) -> [BackupFile] {
        try all(in: VaultDirectory(path: location.vault).backups)
    }

    static func all(in folder: String) throws(KeyringError) -> [BackupFile] {
        guard let names = try? POSIXFile.names(in: folder) else {
            throw KeyringError(.inputOutput, "\(folder) cannot be read")
        }
        return names.compactMap(BackupName.init(_:)).sorted(by: >).map { name in
            let path = "\(folder)/\(name.text)"
            return BackupFile(path: path, time: name.time, size: (try? POSIXFile.status(path))?.size ?? 0)
        }
    }
}

/// The name of a backup: `keyfob-20261120T101500Z.age`, with a number where one second made several.
struct BackupName: Comparable {
    let time: Timestamp
    private let number: Int

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
