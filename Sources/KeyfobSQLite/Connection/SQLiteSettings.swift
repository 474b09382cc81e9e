/// How SQLite is set for what a connection is for.
package struct SQLiteSettings: Sendable {
    /// How long a lock is waited for, in milliseconds; nil for as long as the call's ``Patience`` lasts.
    let patience: Int32?
    /// Whether the file may be a symbolic link.
    let followsLinks: Bool
    /// Whether a file stays in WAL mode, into which somebody has switched it, while others have it open.
    let toleratesWAL: Bool
    /// The statements that set the rest, run when the file is opened.
    let pragmas: String

    package init(patience: Int32? = nil, followsLinks: Bool = true, toleratesWAL: Bool = false, pragmas: String) {
        (self.patience, self.followsLinks) = (patience, followsLinks)
        (self.toleratesWAL, self.pragmas) = (toleratesWAL, pragmas)
    }

    /// What holds for every file of Keyfob's: nothing that is deleted stays, a file that is damaged or whose schema is
    /// foreign does as little as it can, and no file is mapped, whose end somebody else could cut off.
    private static let common = """
        PRAGMA secure_delete = ON; PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;
        """

    /// For reading a vault's database.
    static let reading = SQLiteSettings(toleratesWAL: true, pragmas: "PRAGMA synchronous = EXTRA; \(common)")

    /// For changing a vault's database.
    package static let writing = writing(setting: "")

    /// For making a vault's database.
    package static let making = writing(setting: "PRAGMA page_size = 8192;")

    private static func writing(setting first: String) -> SQLiteSettings {
        // A record's secret goes with the record.
        SQLiteSettings(
            pragmas: """
                \(first) PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; PRAGMA temp_store = MEMORY;
                PRAGMA foreign_keys = ON; \(common)
                """)
    }

    /// For the history of accounts.
    ///
    /// It is used on the way to a token, so it waits for nobody longer than a few milliseconds, and never for the disk. A
    /// change takes two locks, one after the other.
    static let history = SQLiteSettings(
        patience: 10, followsLinks: false,
        pragmas: """
            PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; \(common)
            """)
}
