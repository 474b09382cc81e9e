/// Every statement that reads a vault's tables on behalf of a lookup.
package enum ReadQuery: Int, CaseIterable {
    case applicationID, userVersion, schema, dataVersion, begin, commit, rollback
    case header, secondHeader, device, secondDevice, manifest, node, recordCount
    case byKind, byID, byRow, everyRow, rowNumbers, changedRows
    case secret

    /// The columns of a record, in the order in which `StoredRecord` reads them.
    private static let columns = """
        id, record, group_id, kind, flags, epoch, stamp, device, \
        account_index, credential_index, username_index, label_index, secret_commitment, attributes, change
        """

    var sql: String {
        switch self {
        case .applicationID: "PRAGMA application_id"
        case .userVersion: "PRAGMA user_version"
        case .schema: "SELECT type, name, tbl_name, rootpage, sql FROM main.sqlite_schema"
        case .dataVersion: "PRAGMA data_version"
        case .begin: "BEGIN DEFERRED"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .header: "SELECT bytes FROM header WHERE id = 1"
        case .secondHeader: "SELECT bytes FROM second_header WHERE id = 1"
        case .device: "SELECT device FROM header WHERE id = 1"
        case .secondDevice: "SELECT device FROM second_header WHERE id = 1"
        case .manifest: "SELECT tree, sealed FROM manifests WHERE group_id = ?1"
        case .node: "SELECT bytes FROM nodes WHERE id = ?1"
        case .recordCount: "SELECT records FROM record_counts WHERE group_id = ?1"
        case .byKind: records("group_id = ?1 AND kind = ?2 ORDER BY id")
        case .byID: records("group_id = ?1 AND record = ?2")
        case .byRow: records("id = ?1")
        case .everyRow: "SELECT \(Self.columns) FROM records NOT INDEXED WHERE group_id = ?1 ORDER BY id"
        case .rowNumbers: "SELECT id FROM records WHERE group_id = ?1"
        case .changedRows: "SELECT id FROM records WHERE group_id = ?1 AND change > 0 AND change > ?2"
        // One statement sees one state: another process may have replaced the record meanwhile.
        case .secret:
            """
            SELECT secrets.bytes, records.secret_commitment
            FROM records LEFT JOIN secrets ON secrets.id = records.id WHERE records.id = ?1
            """
        }
    }

    private func records(_ condition: String) -> String {
        "SELECT \(Self.columns) FROM records WHERE \(condition)"
    }
}
