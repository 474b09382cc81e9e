package import KeyfobFiles

/// A table, an index or a trigger, as SQLite keeps it in `sqlite_schema`.
///
/// The statements that make a schema are at the same time what an opened file must hold, byte for byte: a trigger from
/// elsewhere could undo a change or keep what was deleted, a view could stand in for a table, and an index or a
/// statistic could keep ciphertext.
package struct SchemaObject: Hashable, Sendable {
    /// What `sqlite_schema` knows.
    package enum Kind: String, Sendable {
        case table, index, trigger, view
    }

    /// As SQLite calls it; nil for what this Keyfob does not know.
    package let kind: Kind?
    /// Its name.
    package let name: String
    /// The table it belongs to.
    package let table: String
    /// The statement; nil for an index that SQLite makes for a constraint.
    package let sql: String?

    init(kind: Kind?, name: String, table: String, sql: String?) {
        (self.kind, self.name, self.table, self.sql) = (kind, name, table, sql)
    }

    /// Whether it is one of the two tables that hold the vault's header.
    package var isHeader: Bool { kind == .table && ["header", "second_header"].contains(name) }

    /// A table with the indices that SQLite makes for its constraints.
    static func table(_ name: String, _ sql: String, automaticIndices: Int = 0) -> [SchemaObject] {
        [SchemaObject(kind: .table, name: name, table: name, sql: sql)]
            + (0..<automaticIndices).map {
                SchemaObject(kind: .index, name: "sqlite_autoindex_\(name)_\($0 + 1)", table: name, sql: nil)
            }
    }

    static func index(_ name: String, on table: String, _ sql: String) -> [SchemaObject] {
        [SchemaObject(kind: .index, name: name, table: table, sql: sql)]
    }

    static func trigger(_ name: String, on table: String, _ sql: String) -> [SchemaObject] {
        [SchemaObject(kind: .trigger, name: name, table: table, sql: sql)]
    }
}

/// How the schema of a file differs from ours.
package struct SchemaDifference: Hashable, Sendable {
    /// What is there and is not ours, or not as it should be.
    package let foreign: [SchemaObject]
    /// What is ours and is not there as it should be.
    package let missing: [SchemaObject]

    /// Nil where nothing differs.
    init?(found: [SchemaObject], wanted: [SchemaObject]) {
        // Nearly always they stand in the order in which they were made.
        guard found != wanted, found.count != wanted.count || Set(found) != Set(wanted) else { return nil }
        foreign = found.filter { !wanted.contains($0) }
        missing = wanted.filter { !found.contains($0) }
    }

    /// Whether no row of ours is at stake: all our tables are there as they should be, but for those of which there are
    /// copies.
    package var isMendable: Bool {
        !missing.contains { object in
            object.kind == .table && (!object.isHeader || foreign.contains { $0.name == object.name })
        }
    }

    /// Whether nothing is missing but tables of headers.
    var lacksHeadersAlone: Bool { missing.allSatisfy { $0.isHeader } }

    /// The first that differs, for people: `a trigger 'x' that is not Keyfob's`.
    package var words: String {
        guard let object = foreign.first else {
            return missing.first.map { "no \($0.kind?.rawValue ?? "object") '\($0.name)'" } ?? "another schema"
        }
        // The name is from the file.
        let isName = object.name.utf8.count <= 64 && object.name.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        let kind = object.kind?.rawValue ?? "object"
        return "\(kind == "index" || kind == "object" ? "an" : "a") \(kind)\(isName ? " '\(object.name)'" : "")"
            + " that is not Keyfob's"
    }
}

extension SchemaDifference {
    /// The same as an error.
    package var error: StoreError { .foreignSchema(words: words, isMendable: isMendable) }
}
