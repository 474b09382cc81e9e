internal import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords
internal import KeyfobSQLite
package import KeyfobVault

extension VaultDatabase {
    /// How a problem ends that SQLite itself has with the file.
    package static let unreadable = "SQLite cannot read it"

    package func integrityProblems() throws -> [String] {
        do {
            let lines = try maintain { try $0.rows("PRAGMA integrity_check(20)") { $0.text(0) ?? "" } }
            let problems = lines == ["ok"] ? [] : lines.map { "keyring.db: \($0)" }
            return problems + (haveHeadersParted() ? ["keyring.db: its two headers are not the same"] : [])
        } catch StoreError.damaged(let what) {
            return ["\(what): \(Self.unreadable)"]
        }
    }

    /// Whether the second header is not the first; that the first is gone, or cannot be read, something else tells.
    private func haveHeadersParted() -> Bool {
        let headers = try? maintain { database in
            try ["header", "second_header"].map { table in
                try database.rows("SELECT bytes FROM \(table) WHERE id = 1") { $0.bytes(0) }
            }
        }
        guard let headers, let first = headers[0].first, StoredHeader(sound: first, origin: .first) != nil else {
            return false
        }
        return headers[0] != headers[1]
    }

    package func verify(_ keys: GroupKeys, name: String) throws -> Verification {
        try reader.snapshotRecords(keys) { try verify($0, name: name) }
    }

    /// The same within a transaction.
    func verify(_ reader: DatabaseRecords, name: String) throws -> Verification {
        let keys = reader.keys
        var verification = Verification()
        var actual = GroupManifest()
        var unopened: [(row: Int64, header: RecordHeader?)] = []
        var rows: Set<Int64> = []
        var entries: [LookupEntry] = []
        try reader.forEachRow { rowID, result in
            rows.insert(rowID)
            do {
                let record = try result.get()
                do {
                    _ = try record.open(keys)
                    if record.secretCommitment != nil { _ = try reader.secret(record) }
                    if record.header.kind != .journal { verification.opened += 1 }
                } catch StoreError.damaged, StoreError.staleKeys {
                    unopened.append((record.rowID, record.header))
                    verification.problems.append(
                        "group \(name): record \(record.header.record.short) does not open (\(record.header.kind))")
                }
                let element = record.element(keys)
                actual.insert(element)
                entries += record.header.lookupKeys.map {
                    LookupEntry(key: $0, kind: element.kind, row: rowID, digest: element.lookupDigest)
                }
            } catch StoreError.damaged(let what) {
                unopened.append((rowID, nil))
                verification.problems.append("group \(name): \(what) is damaged")
            }
        }
        var expected: GroupManifest?
        do {
            let manifest = try reader.storedManifest()
            if actual.count != manifest.count {
                verification.problems.append(
                    "group \(name): the manifest tells of \(manifest.count) records, there are \(actual.count)")
            } else if unopened.isEmpty, !actual.describesSameRecords(as: manifest) {
                // One that does not open may be told so already.
                verification.problems.append(
                    "group \(name): a record is not the one that the manifest tells of (replayed or altered)")
            }
            expected = manifest
        } catch StoreError.damaged, StoreError.staleKeys {
            verification.problems.append("group \(name): the manifest does not open")
        }
        if try reader.recordCount() != actual.count {
            verification.problems.append("group \(name): the database's own count of records is wrong")
        }
        let isWhole = expected.map { actual.describesSameRecords(as: $0) } ?? false
        // What can be read of the tree tells of rows that are gone.
        var told: [LookupEntry] = []
        let isTold = (try? reader.forEachTreeEntry { told.append($0) }) != nil
        if isWhole, !isTold || told != entries.sorted() {
            verification.problems.append("group \(name): the lookup tree is not that of the records")
        }
        let gone = isWhole ? [] : told.filter { !rows.contains($0.row) }
        verification.losses = try reader.losses(
            expected: expected, actual: actual, unopened: unopened, gone: gone.map { ($0.kind, $0.key) })
        return verification
    }

    package func strayRowCount(groups: [GroupID]) throws -> Int {
        try maintain { database in
            let known = Set(groups.map(\.bytes))
            let counts = try database.rows("SELECT group_id, count(*) FROM records GROUP BY group_id") { row in
                known.contains(row.bytes(0)) ? 0 : Int(row.integer(1) ?? 0)
            }
            return counts.reduce(0, +)
        }
    }
}
