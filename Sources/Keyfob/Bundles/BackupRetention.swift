internal import KeyfobModel

/// Which of a folder's backups are kept when a new one was made.
struct BackupRetention: Hashable, Sendable {
    /// How many of the newest.
    let newest: Int
    /// Of how many days that have one the first.
    let days: Int
    /// Of how many weeks that have one the first.
    let weeks: Int

    /// In the vault's folder: many of one hour never push out what was there before the first of them.
    ///
    /// The help of `keyfob backup` and `docs/backup.md` tell these numbers.
    static let automatic = BackupRetention(newest: 5, days: 7, weeks: 4)
    /// How many incomplete ones are kept beside.
    private static let incomplete = 2

    /// This many of the newest.
    static func newest(_ count: Int) -> BackupRetention { BackupRetention(newest: count, days: 0, weeks: 0) }

    /// Those of `files`, newest first, that give way.
    ///
    /// Incomplete ones count among themselves, and what nobody can tell to be `isOurs` neither counts nor gives way.
    func superfluous(among files: [BackupFile], isOurs: (BackupClaim) -> Bool) -> [BackupFile] {
        let own = files.filter { file in file.name != nil && file.claim.map(isOurs) == true }
        let whole = own.filter { $0.claim?.isComplete == true }
        var kept = Set(whole.prefix(newest))
        for (length, count) in [(Self.day, days), (7 * Self.day, weeks)] {
            // The epoch was a Thursday; weeks begin on Mondays.
            let periods = Dictionary(grouping: whole) { ($0.time.seconds + 3 * Self.day) / length }
            for period in periods.keys.sorted(by: >).prefix(count) { kept.formUnion(periods[period]?.suffix(1) ?? []) }
        }
        return whole.filter { !kept.contains($0) }
            + own.filter { $0.claim?.isComplete == false }.dropFirst(Self.incomplete)
    }

    private static let day: Int64 = 86_400
}
