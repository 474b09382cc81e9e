internal import Keyfob

/// A vault's backups in words.
enum BackupText {
    /// How many there are and how old the newest is: `2, the last one 3 days ago`.
    static func text(_ backups: [BackupFile], now: Timestamp) -> String {
        guard let newest = backups.first else { return "none ('keyfob backup' makes one)" }
        let age = TimeText.age(of: newest.time, now: now)
        return backups.count == 1 ? "1, \(age)" : "\(backups.count), the last one \(age)"
    }
}
