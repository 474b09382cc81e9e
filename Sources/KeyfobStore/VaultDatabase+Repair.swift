internal import Foundation
internal import GRDB
internal import KeyfobFiles
package import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSQLite
package import KeyfobVault

extension VaultDatabase {
    package func repair(
        _ keys: GroupKeys, sequence: UInt64, seen: UInt64, name: String, stamp: String
    ) throws -> [String] {
        try write { database in
            try Self.requireHeader(sequence, database)
            let reader = DatabaseRecords(connection: try ReadConnection(within: database), keys: keys)
            let rows = try verify(reader, name: name).damagedRows
            let files = try putAside(rows, stamp: stamp, database)
            try database.execute(sql: "REINDEX")
            var manifest = GroupManifest(sequence: (try? reader.storedManifest().sequence) ?? seen)
            manifest.advance()
            try reader.forEachRow { manifest.insert(try $1.get().element(keys)) }
            try DatabaseChange.store(manifest, database, keys)
            try database.execute(
                sql: "INSERT OR REPLACE INTO record_counts VALUES (?, ?)",
                arguments: [keys.group.bytes.blob, manifest.count])
            return files
        }
    }

    // Each row goes, as it lies in the database, into a file of its own in `quarantine/` before it
    // leaves the database. What a missing row held cannot be brought back; the manifest stops
    // telling of it.

    package func putStrayRowsAside(groups: [GroupID], sequence: UInt64, stamp: String) throws -> [String] {
        try write { database in
            try Self.requireHeader(sequence, database)
            let known = Set(groups.map(\.bytes))
            let rows = try Row.fetchAll(database, sql: "SELECT id, group_id FROM records")
                .filter { !known.contains($0.bytes(1)) }
                .compactMap { $0.integer(0) }
            return try putAside(rows, stamp: stamp, database)
        }
    }

    /// Writes each row into a file of its own, and only then removes them.
    private func putAside(_ rows: [Int64], stamp: String, _ database: Database) throws -> [String] {
        guard !rows.isEmpty else { return [] }
        try POSIXFile.createDirectories(directory.quarantine)
        var files: [String] = []
        for row in rows {
            let path = directory.quarantine + "/\(stamp)-row-\(row).json"
            try POSIXFile.replace(path, with: try dump(row: row, database))
            files.append(path)
        }
        for row in rows {
            try database.execute(sql: "DELETE FROM secrets WHERE id = ?", arguments: [row])
            try database.execute(sql: "DELETE FROM records WHERE id = ?", arguments: [row])
        }
        return files
    }

    /// One row of both tables as JSON: integers as they are, blobs in base64.
    ///
    /// All of it is sealed.
    private func dump(row: Int64, _ database: Database) throws -> [UInt8] {
        var columns: [String: String] = [:]
        for table in ["records", "secrets"] {
            guard let found = try Row.fetchOne(database, sql: "SELECT * FROM \(table) WHERE id = ?", arguments: [row])
            else { continue }
            for (column, value) in found {
                let data = Data.fromDatabaseValue(value)
                columns["\(table).\(column)"] = data?.base64EncodedString() ?? value.description
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        return Array(try encoder.encode(columns))
    }
}
