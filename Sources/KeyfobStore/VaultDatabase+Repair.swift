internal import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
internal import KeyfobSQLite
internal import KeyfobSodium
package import KeyfobVault

extension VaultDatabase {
    package func repair(
        _ keys: GroupKeys, sequence: UInt64, seen: UInt64, name: String, now: Timestamp,
        naming: (RecordLoss) -> [RecordLoss]
    ) throws -> GroupRepair {
        try write { database in
            try requireHeader(sequence, database)
            let reader = DatabaseRecords(connection: database, keys: keys)
            let found = try verify(reader, name: name).losses
            let files = try putAside(found.compactMap(\.row), now, database)
            try database.execute("REINDEX")
            var manifest = GroupManifest(sequence: (try? reader.storedManifest().sequence) ?? seen)
            manifest.advance()
            try DatabaseChange.removeTree(of: keys.group, database)
            try DatabaseChange.begin(manifest, database, keys)
            let change = try DatabaseChange(database, keys)
            var count: Int64 = 0
            try reader.forEachRow { row, record in
                let record = try record.get()
                try change.note(record.elementWithTraits(keys), record.header, row: row)
                count += 1
            }
            try change.finish(sequence: manifest.sequence)
            try database.run(
                "INSERT OR REPLACE INTO record_counts VALUES (?, ?)",
                [.bytes(keys.group.bytes), .integer(count)])
            var repair = GroupRepair()
            repair.files = files.values.sorted()
            repair.losses = found.flatMap { found in
                naming(found.loss).map { $0.noted(now, in: found.row.flatMap { files[$0] }.map(Self.fileName)) }
            }
            try note(repair.losses, keys, now, database)
            return repair
        }
    }

    // Each row goes, as it lies in the database, into a file of its own in `quarantine/` before it
    // leaves the database. What a missing row held cannot be brought back; the manifest stops
    // telling of it, and a note of the group begins to.

    package func putStrayRowsAside(groups: [GroupKeys], sequence: UInt64, now: Timestamp) throws -> GroupRepair {
        try write { database in
            try requireHeader(sequence, database)
            let known = Set(groups.map(\.group.bytes))
            let rows = try database.rows("SELECT id, group_id FROM records") { row in
                known.contains(row.bytes(1)) ? nil : row.integer(0)
            }.compactMap(\.self)
            let files = try putAside(rows, now, database)
            var repair = GroupRepair()
            repair.files = files.values.sorted()
            repair.losses = repair.files.map { RecordLoss(.unopened, nil).noted(now, in: Self.fileName($0)) }
            if let first = groups.first { try note(repair.losses, first, now, database) }
            return repair
        }
    }

    private static func fileName(_ path: String) -> String {
        String(path.split(separator: "/").last ?? "")
    }

    /// Notes losses in a group, in the transaction that makes its manifest forget them.
    private func note(
        _ losses: [RecordLoss], _ keys: GroupKeys, _ now: Timestamp, _ database: SQLiteConnection
    ) throws {
        guard !losses.isEmpty else { return }
        let device = try database.device()
        let writer = GroupWriter(
            try DatabaseChange(database, keys), device: device, milliseconds: now.seconds * 1_000)
        try writer.note(losses)
        _ = try writer.finish()
    }

    /// Writes each row into a file of its own, and only then removes them.
    private func putAside(_ rows: [Int64], _ now: Timestamp, _ database: SQLiteConnection) throws -> [Int64: String] {
        guard !rows.isEmpty else { return [:] }
        try POSIXFile.createDirectories(directory.quarantine)
        TemporaryFile.removeAbandoned(in: directory.quarantine)
        var files: [Int64: String] = [:]
        for row in rows {
            let (bytes, name) = (try dump(row: row, database), "\(directory.quarantine)/\(now.seconds)-row-\(row)")
            var path = name + ".json"
            // Two repairs may fall into one second, and numbers of rows are used again; a repair that was killed has left
            // the same.
            if try POSIXFile.status(path) != nil, (try? POSIXFile.read(path, limit: bytes.count)) != bytes {
                path = try POSIXFile.unusedName(name, ending: ".json")
            }
            try POSIXFile.replace(path, with: bytes)
            files[row] = path
        }
        for row in rows {
            try database.run("DELETE FROM secrets WHERE id = ?", [.integer(row)])
            try database.run("DELETE FROM records WHERE id = ?", [.integer(row)])
        }
        return files
    }

    /// One row of both tables as JSON: integers as they are, blobs in base64.
    ///
    /// All of it is sealed.
    private func dump(row: Int64, _ database: SQLiteConnection) throws -> [UInt8] {
        var columns: [String: String] = [:]
        for table in ["records", "secrets"] {
            try database.run("SELECT * FROM \(table) WHERE id = ?", [.integer(row)]) { found in
                for (column, name) in found.columnNames.enumerated() {
                    columns["\(table).\(name)"] =
                        switch found.value(column) {
                        case .null: "NULL"
                        case .integer(let integer): "\(integer)"
                        case .bytes(let bytes): Base64.standard.text(bytes)
                        }
                }
                return true
            }
        }
        var json = JSONWriter(isIndented: true)
        json.beginObject()
        for (column, text) in columns.sorted(by: { $0.key < $1.key }) { json.member(column, text) }
        json.endObject()
        return json.bytes
    }
}
