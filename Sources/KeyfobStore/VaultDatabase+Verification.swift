internal import GRDB
internal import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
internal import KeyfobSQLite
package import KeyfobVault

extension VaultDatabase {
    package func integrityProblems() throws -> [String] {
        do {
            let lines = try maintain { try String.fetchAll($0, sql: "PRAGMA integrity_check(20)") }
            return lines == ["ok"] ? [] : lines.map { "keyring.db: \($0)" }
        } catch StoreError.damaged(let what) {
            return ["\(what): SQLite cannot read it"]
        }
    }

    package func verify(_ keys: GroupKeys, name: String) throws -> Verification {
        try reader.snapshotRecords(keys) { try verify($0, name: name) }
    }

    /// The same within a transaction.
    func verify(_ reader: DatabaseRecords, name: String) throws -> Verification {
        let keys = reader.keys
        var verification = Verification()
        var actual = GroupManifest()
        try reader.forEachRow { rowID, result in
            do {
                let record = try result.get()
                do {
                    _ = try record.open(keys)
                    if record.secretCommitment != nil { _ = try reader.secret(record) }
                    verification.opened += 1
                } catch StoreError.damaged, StoreError.staleKeys {
                    verification.damagedRows.append(record.rowID)
                    verification.problems.append(
                        "group \(name): record \(record.header.record.short) does not open (\(record.header.kind))")
                }
                actual.insert(record.element(keys))
            } catch StoreError.damaged(let what) {
                verification.damagedRows.append(rowID)
                verification.problems.append("group \(name): \(what) is damaged")
            }
        }
        do {
            let expected = try reader.storedManifest()
            if actual.count != expected.count {
                verification.problems.append(
                    "group \(name): the manifest tells of \(expected.count) records, there are \(actual.count)")
            } else if !actual.describesSameRecords(as: expected) {
                verification.problems.append(
                    "group \(name): a record is not the one that the manifest tells of (replayed or altered)")
            }
        } catch StoreError.damaged, StoreError.staleKeys {
            verification.problems.append("group \(name): the manifest does not open")
        }
        if try reader.recordCount() != actual.count {
            verification.problems.append("group \(name): the database's own count of records is wrong")
        }
        return verification
    }

    package func strayRowCount(groups: [GroupID]) throws -> Int {
        try maintain { database in
            let known = Set(groups.map(\.bytes))
            let rows = try Row.fetchAll(database, sql: "SELECT group_id, count(*) FROM records GROUP BY group_id")
            return rows.reduce(0) { sum, row in
                known.contains(row.bytes(0)) ? sum : sum + Int(row.integer(1) ?? 0)
            }
        }
    }
}
