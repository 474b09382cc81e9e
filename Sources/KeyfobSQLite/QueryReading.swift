package import KeyfobFiles
package import KeyfobModel
package import KeyfobRecords

/// Runs the queries of a lookup on a vault's database: through SQLite, or on the pages of the file.
package protocol QueryReading: AnyObject {
    /// Whether a transaction is open, so that all reading sees one state.
    var isInsideTransaction: Bool { get }

    /// How many rows it has given so far, nodes of lookup trees aside.
    var rowCount: Int { get }

    /// Runs a query with its parameters, and calls `row` at each row until it returns false.
    func run(
        _ query: ReadQuery, _ parameters: [QueryValue], row: (AnyQueryRow) throws(StorageFailure) -> Bool
    ) throws(StorageFailure)
}

/// A value that a query looks for.
package enum QueryValue: Hashable, Sendable {
    /// What equals nothing.
    case null
    case integer(Int64)
    case bytes([UInt8])

    package init(_ value: BlindValue?) { self.init(value?.bytes) }
    package init(_ bytes: [UInt8]?) { self = bytes.map { .bytes($0) } ?? .null }
}

/// The row that a query stands at; columns count from 0.
package protocol QueryRow {
    /// The integer in a column, nil where something else is.
    func integer(_ column: Int) -> Int64?

    /// The bytes of a column, nil where it is NULL.
    func optionalBytes(_ column: Int) -> [UInt8]?
}

// Embedded Swift has no values of a protocol's type; the front reads pages alone.
#if hasFeature(Embedded)
package typealias AnyQueryReading = PageConnection
package typealias AnyQueryRow = PageRow
#else
package typealias AnyQueryReading = any QueryReading
package typealias AnyQueryRow = any QueryRow
#endif

extension QueryRow {
    /// The bytes of a column, empty where it is NULL.
    package func bytes(_ column: Int) -> [UInt8] { optionalBytes(column) ?? [] }

    /// The text in a column, nil where it is NULL.
    package func text(_ column: Int) -> String? {
        optionalBytes(column).map { String(validating: $0, as: UTF8.self) ?? "\u{FFFD}" }
    }

    /// The row of `sqlite_schema` that ``ReadQuery/schema`` gives.
    var schemaObject: SchemaObject {
        SchemaObject(
            kind: text(0).flatMap(SchemaObject.Kind.init), name: text(1) ?? "", table: text(2) ?? "", sql: text(4))
    }
}

extension QueryReading {
    /// The first row of a query, as `row` reads it; nil when there is none.
    func first<Value>(
        _ query: ReadQuery, _ parameters: [QueryValue] = [], row: (AnyQueryRow) throws(StorageFailure) -> Value
    ) throws(StorageFailure) -> Value? {
        var value: Value?
        try run(query, parameters) { found throws(StorageFailure) in
            value = try row(found)
            return false
        }
        return value
    }

    /// Runs a statement that has no rows.
    func run(_ query: ReadQuery) throws(StorageFailure) { try run(query, []) { _ in true } }

    /// The id of this copy of the vault, part of every record's stamp; a new one where damaged headers have lost it.
    package func device() throws(StorageFailure) -> UInt64 {
        for query in [ReadQuery.device, .secondDevice] {
            do {
                if let stored = try first(query, row: { $0.integer(0) }), let stored {
                    return UInt64(bitPattern: stored)
                }
            } catch StoreError.busy {
                throw StoreError.busy
            } catch {
                // The table is gone, or its page is damaged.
            }
        }
        return UInt64.random(in: .min ... .max)
    }

    /// How the schema differs from `wanted`; nil where it does not.
    package func difference(from wanted: [SchemaObject]) throws(StorageFailure) -> SchemaDifference? {
        var found: [SchemaObject] = []
        try run(.schema, []) {
            found.append($0.schemaObject)
            return true
        }
        return SchemaDifference(found: found, wanted: wanted)
    }

    /// The header: of the database's two the first that is sound, or the one in the file beside it.
    ///
    /// The second is of the same transaction as the first; the file may lag behind.
    ///
    /// - Parameter newest: Whether the later of the two counts, for whoever knows that the first is not the last one.
    /// - Throws: `damaged`, `busy`.
    package func storedHeader(
        _ directory: VaultDirectory, newest: Bool = false
    ) throws(StorageFailure) -> StoredHeader {
        var found: StoredHeader?
        for (query, origin) in [(ReadQuery.header, StoredHeader.Origin.first), (.secondHeader, .second)] {
            let bytes: [UInt8]?
            do {
                bytes = try first(query, row: { $0.bytes(0) })
            } catch StoreError.busy {
                throw StoreError.busy
            } catch {
                continue
            }
            guard let bytes, let sound = StoredHeader(sound: bytes, origin: origin) else { continue }
            guard newest else { return sound }
            if found.map({ $0.sequence < sound.sequence }) ?? true { found = sound }
        }
        if let found { return found }
        guard let bytes = try? VaultDatabaseReader.headerCopy(in: directory),
            let copy = StoredHeader(sound: bytes, origin: .file)
        else { throw StoreError.damaged(what: "the header of the vault (and its copies)") }
        return copy
    }
}
