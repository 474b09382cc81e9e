import Foundation
import Keyfob
import KeyfobSQLite
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

/// What somebody learns who has copies of a vault's file and no key: SECURITY.md says the same in words.
@Suite("What lies in clear")
struct ClearFieldTests {
    /// All values of each column, as `table.column`, by the rows' numbers.
    private typealias Columns = [String: [QueryValue]]

    /// Columns that say the same of two vaults in which the same was done at the same time, whatever the words.
    private static let clear: Set = [
        "header.id", "header.sequence", "records.id", "records.kind", "records.flags", "records.epoch",
        "records.stamp", "records.change", "record_counts.records", "secrets.id", "second_header.id",
        "second_header.sequence", "manifests.tree", "nodes.id",
    ]
    /// Columns that say the same of no two vaults: random numbers, keyed hashes, and what is sealed.
    ///
    /// That two rows have the same value is to be seen, how long it is, and that it is missing.
    private static let opaque: Set = [
        "header.device", "header.bytes", "records.record", "records.group_id", "records.device",
        "records.account_index", "records.credential_index", "records.username_index", "records.label_index",
        "records.secret_commitment", "records.attributes", "secrets.bytes", "manifests.group_id",
        "manifests.sealed", "nodes.bytes", "record_counts.group_id", "second_header.device", "second_header.bytes",
    ]

    private func columns(of home: KeyringHome) throws -> Columns {
        let database = try home.database()
        var columns: Columns = [:]
        for table in try database.texts("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            let order = table == "manifests" || table == "record_counts" ? "group_id" : "id"
            for column in try database.texts("SELECT name FROM pragma_table_info('\(table)')") {
                columns["\(table).\(column)"] = try database.values(
                    "SELECT \"\(column)\" FROM \"\(table)\" ORDER BY \"\(order)\"")
            }
        }
        return columns
    }

    /// A vault with something of every kind in it, made of a word.
    private func vault(_ word: String) throws -> KeyringHome {
        let home = try KeyringHome()
        let accounts = try ["ada", "bob", "eve"].map { try Account.contoso(word + $0) }
        for account in accounts {
            let credential = Credential.access(account, scopes: [word], client: word, realm: word)
            try home.keyring.store(credential, "\(word) token", for: account)
            try home.keyring.store(.refresh(account, client: word), "\(word) refresh", for: account)
        }
        try home.keyring.accounts.setLabel(word, of: accounts[0].id, in: .default)
        try home.keyring.accounts.setDefault(accounts[0].id, in: .default)
        try home.keyring.bindings.set(.tool(word), to: .account(accounts[1].id), in: .default)
        try home.keyring.clients.add(
            ClientRegistration(id: word, authentication: .post), secret: secret(word), at: "google")
        let policy = UndoPolicy.keep(home.keyring.undo.command("account remove"))
        _ = try home.keyring.accounts.remove(accounts[2].id, from: .default, undo: policy)
        return home
    }

    /// The positions at which all of some texts of equal length have the same byte.
    private func constantPositions(_ blobs: [[UInt8]]) -> [Int] {
        guard let first = blobs.first else { return [] }
        return first.indices.filter { position in blobs.allSatisfy { $0[position] == first[position] } }
    }

    private func bytes(_ value: QueryValue) -> [UInt8]? { if case .bytes(let bytes) = value { bytes } else { nil } }

    @Test("of one copy: numbers, kinds, times and sizes, and which rows belong together; no word, and no other field")
    func oneCopy() throws {
        let copies = try ["amber", "amber", "ivory", "ivory"].map { try columns(of: try vault($0)) }
        #expect(Set(copies[0].keys) == Self.clear.union(Self.opaque))
        for name in Self.clear { #expect(Set(copies.map { $0[name] }).count == 1, "\(name)") }
        for name in Self.opaque {
            let values = try copies.map { try #require($0[name]) }
            // Which are missing, and which are the same.
            let shapes = values.map { column in
                column.map { value in value == .null ? -1 : column.firstIndex(of: value) ?? 0 }
            }
            #expect(Set(shapes).count == 1, "\(name)")
            for row in values[0].indices {
                let blobs = values.compactMap { bytes($0[row]) }
                guard blobs.count == copies.count else {
                    let numbers = values.map { $0[row] }
                    #expect(numbers[0] == .null || Set(numbers).count == copies.count, "\(name)")
                    continue
                }
                #expect(Set(blobs.map(\.count)).count == 1, "\(name)")
                // Of a node the kinds and the rows of the records are to be seen, as in the table of records.
                if !name.hasSuffix("header.bytes"), name != "nodes.bytes" {
                    #expect(constantPositions(blobs).isEmpty, "\(name)")
                }
            }
        }
        for name in ["records.attributes", "secrets.bytes"] {
            // A box adds its nonce, its commitment and its tag.
            let sizes = copies[0][name]?.compactMap { bytes($0).map { $0.count - 24 - 32 - 16 } } ?? []
            #expect(!sizes.isEmpty && sizes.allSatisfy { $0 % 512 == 0 }, "\(name): \(sizes)")
        }
    }

    @Test("of the header: versions, the sequence, each slot's kind and when it was made, each group's epoch")
    func header() throws {
        let headers = try (0..<5).map { _ in
            try #require(try columns(of: try KeyringHome())["header.bytes"]?.first.flatMap(bytes))
        }
        let first = try #require(headers.first)
        // Magic, version and suite; sequence; that no key came before; number of slots; kind, and time, of the slot of a key
        // file.
        var clear = [0..<12, 28..<36, 68..<71, 71..<72, 88..<96]
        // Kind and time of the recovery key's slot; then its public key, and an age file with its length.
        let publicKey = 257..<257 + 1_216
        clear += [232..<233, 249..<257, publicKey.upperBound..<publicKey.upperBound + 4]
        let start = publicKey.upperBound + 4
        let age = start..<start + Int(first[start - 4]) + Int(first[start - 3]) << 8
        // How long its proof is; how many groups; the epoch of the group, and how many slots it has.
        let group = age.upperBound + 4 + 32 + 2
        clear += [age.upperBound..<age.upperBound + 4, group - 2..<group, group + 16..<group + 20]
        clear.append(group + 20 + 104 + 584..<group + 20 + 104 + 584 + 2)
        #expect(constantPositions(headers).filter { !age.contains($0) } == clear.flatMap(Array.init))
    }

    @Test("of two copies: which records were added, replaced and removed in between, and when")
    func twoCopies() throws {
        let home = try vault("amber")
        func changes(_ change: () throws -> Void) throws -> Set<String> {
            let before = try columns(of: home)
            try change()
            let after = try columns(of: home)
            return Set(after.keys.filter { after[$0] != before[$0] })
        }
        let ada = try Account.contoso("amberada")
        let sealed: Set = ["records.stamp", "records.attributes", "manifests.sealed", "nodes.bytes"]
        let token: Set = ["records.secret_commitment", "secrets.bytes"]
        let newer = Credential.access(ada, scopes: ["amber"], client: "amber", realm: "amber", expires: 7_200)
        // What gives way is kept for an undo, in records of its own: rows are added.
        let rows = Set(try columns(of: home).keys.filter { $0.hasPrefix("records.") }).union(["record_counts.records"])
        let replaced = try changes { try home.keyring.store(newer, "newer", for: ada) }
        #expect(replaced == sealed.union(token).union(rows).union(["secrets.id"]), "\(replaced.sorted())")
        let labelled = try changes { try home.keyring.accounts.setLabel("other", of: ada.id, in: .default) }
        #expect(labelled == sealed.union(rows), "\(labelled.sorted())")
        #expect(
            try changes { try home.keyring.bindings.set(.tool("x"), to: .account(ada.id), in: .default) }
                .isSuperset(of: sealed.union(["records.id", "records.kind", "record_counts.records"])))
        // Who reads changes nothing.
        #expect(try changes { _ = try home.keyring.accounts.list() }.isEmpty)
    }
}
