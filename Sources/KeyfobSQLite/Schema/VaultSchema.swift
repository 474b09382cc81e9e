package import KeyfobFiles

/// What the schema of a vault's database is made of.
package enum VaultSchema {
    /// `PRAGMA user_version` of ``current``; as many as KeyfobStore has migrations.
    package static let version = 1
    /// The newest schema.
    package static let current = first

    /// Makes sure that a database holds what the schema of `version` is made of, and nothing else.
    ///
    /// That of a newer version is not known: there the tables must be tables, and nothing is ever written, so that no
    /// trigger runs.
    ///
    /// - Throws: `foreignSchema`.
    package static func require(_ connection: AnyQueryReading, version: Int) throws(StorageFailure) {
        guard let difference = try connection.difference(from: current) else { return }
        // Of the header there are copies; that one is gone is damage, and no foreign hand's work.
        if difference.foreign.isEmpty, difference.lacksHeadersAlone { return }
        guard version > self.version else { throw difference.error }
        let tables = current.filter { $0.kind == .table }.map { $0.name }
        if difference.foreign.contains(where: { $0.kind != .table && tables.contains($0.name) }) {
            throw StoreError.foreignSchema(words: difference.words, isMendable: false)
        }
    }

    /// The first schema, in the order in which it is made; a released one is never edited.
    package static let first: [SchemaObject] = [
        SchemaObject.table(
            "header",
            """
            CREATE TABLE header (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                sequence INTEGER NOT NULL,
                device INTEGER NOT NULL,
                bytes BLOB NOT NULL
            ) STRICT
            """),
        // The same once more, on a page of its own: of one transaction with the first, it never lags behind.
        SchemaObject.table(
            "second_header",
            """
            CREATE TABLE second_header (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                sequence INTEGER NOT NULL,
                device INTEGER NOT NULL,
                bytes BLOB NOT NULL
            ) STRICT
            """),
        // The clear header of each record, and its sealed attributes. The secrets stand apart, so that
        // listing reads none of them.
        SchemaObject.table(
            "records",
            """
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
                attributes BLOB NOT NULL,
                change INTEGER NOT NULL
            ) STRICT
            """, automaticIndices: 1),
        SchemaObject.index(
            "records_by_kind", on: "records",
            """
            CREATE INDEX records_by_kind ON records (group_id, kind)
            """),
        // What a sync is told. A vault that is in none has nothing in it.
        SchemaObject.index(
            "records_by_change", on: "records",
            """
            CREATE INDEX records_by_change ON records (group_id, change) WHERE change > 0
            """),
        SchemaObject.table(
            "secrets",
            """
            CREATE TABLE secrets (
                id INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
                bytes BLOB NOT NULL
            ) STRICT
            """),
        SchemaObject.table(
            "manifests",
            """
            CREATE TABLE manifests (
                group_id BLOB PRIMARY KEY,
                tree INTEGER NOT NULL,
                sealed BLOB NOT NULL
            ) STRICT, WITHOUT ROWID
            """),
        // The lookup trees, by which records are found: no index of SQLite's could prove anything.
        SchemaObject.table(
            "nodes",
            """
            CREATE TABLE nodes (
                id INTEGER PRIMARY KEY,
                bytes BLOB NOT NULL
            ) STRICT
            """),
        // How many records are really there: compared at every open with what the manifest says. A group has a row from its
        // beginning on.
        SchemaObject.table(
            "record_counts",
            """
            CREATE TABLE record_counts (
                group_id BLOB PRIMARY KEY,
                records INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID
            """),
        SchemaObject.trigger(
            "records_inserted", on: "records",
            """
            CREATE TRIGGER records_inserted AFTER INSERT ON records BEGIN
                UPDATE record_counts SET records = records + 1 WHERE group_id = NEW.group_id;
            END
            """),
        SchemaObject.trigger(
            "records_deleted", on: "records",
            """
            CREATE TRIGGER records_deleted AFTER DELETE ON records BEGIN
                UPDATE record_counts SET records = records - 1 WHERE group_id = OLD.group_id;
            END
            """),
    ].flatMap { $0 }
}
