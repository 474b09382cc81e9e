internal import GRDB

/// The first schema.
enum V1Initial {
    static func migrate(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE header (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    sequence INTEGER NOT NULL,
                    device INTEGER NOT NULL,
                    bytes BLOB NOT NULL
                ) STRICT;

                -- The clear header of each record, and its sealed attributes. The secrets stand apart, so that
                -- listing reads none of them.
                CREATE TABLE records (
                    id INTEGER PRIMARY KEY,
                    record BLOB NOT NULL UNIQUE,
                    group_id BLOB NOT NULL,
                    kind INTEGER NOT NULL,
                    flags INTEGER NOT NULL,
                    epoch INTEGER NOT NULL,
                    stamp INTEGER NOT NULL,
                    device INTEGER NOT NULL,
                    account_index BLOB,
                    credential_index BLOB,
                    username_index BLOB,
                    label_index BLOB,
                    secret_commitment BLOB,
                    attributes BLOB NOT NULL
                ) STRICT;
                CREATE INDEX records_by_account ON records (group_id, account_index, kind);
                CREATE INDEX records_by_credential ON records (group_id, credential_index)
                    WHERE credential_index IS NOT NULL;
                CREATE INDEX records_by_username ON records (group_id, username_index)
                    WHERE username_index IS NOT NULL;
                CREATE INDEX records_by_label ON records (group_id, label_index)
                    WHERE label_index IS NOT NULL;
                CREATE INDEX records_by_kind ON records (group_id, kind);

                CREATE TABLE secrets (
                    id INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
                    bytes BLOB NOT NULL
                ) STRICT;

                CREATE TABLE manifests (
                    group_id BLOB PRIMARY KEY,
                    sealed BLOB NOT NULL
                ) STRICT, WITHOUT ROWID;

                -- How many records are really there: compared at every open with what the manifest says.
                CREATE TABLE record_counts (
                    group_id BLOB PRIMARY KEY,
                    records INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TRIGGER records_inserted AFTER INSERT ON records BEGIN
                    INSERT INTO record_counts VALUES (NEW.group_id, 1)
                        ON CONFLICT (group_id) DO UPDATE SET records = records + 1;
                END;
                CREATE TRIGGER records_deleted AFTER DELETE ON records BEGIN
                    UPDATE record_counts SET records = records - 1 WHERE group_id = OLD.group_id;
                END;
                """)
    }
}
