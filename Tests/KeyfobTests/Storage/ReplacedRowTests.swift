import Foundation
import Keyfob
import KeyfobLookup
import KeyfobSQLite
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

/// What somebody comes to who has older copies of a vault's file, can write it, and has no key.
@Suite("Rows that are replaced, exchanged, removed and brought back")
struct ReplacedRowTests {
    private static let tables = [
        "header": "id", "second_header": "id", "records": "id", "secrets": "id", "nodes": "id",
        "manifests": "group_id", "record_counts": "group_id",
    ]

    private let home: KeyringHome
    private let path: String
    /// The database after each step, the present one last.
    private let states: [Data]
    private let mark: (path: String, content: Data)

    private let requests: [TokenRequest] = [
        TokenRequest(account: "ada@contoso.example"), TokenRequest(account: "bob@contoso.example"),
        TokenRequest(account: "eve@contoso.example"), TokenRequest(scopes: ["mail.read"]),
        TokenRequest(context: RequestContext(tool: "ci")),
    ]

    init() throws {
        home = try KeyringHome()
        let keyring = home.keyring
        let database = URL(filePath: home.location.vault + "/keyring.db")
        let (ada, bob, eve) = (try Account.contoso("ada"), try Account.contoso("bob"), try Account.contoso("eve"))
        _ = try home.sharedGroup("work")
        let steps: [() throws -> Void] = [
            {
                for account in [ada, bob, eve] {
                    try keyring.store(.access(account), "first of \(account.username)", for: account)
                }
                try keyring.store(.refresh(eve), "refresh of eve", for: eve)
            },
            { try keyring.bindings.set(.tool("ci"), to: .account(ada.id), in: .default) },
            { try keyring.accounts.setDefault(ada.id, in: .default) },
            { try keyring.bindings.set(.tool("ci"), to: .account(bob.id), in: .default) },
            { try keyring.store(.access(ada, expires: 7_200), "second of ada", for: ada) },
            { try keyring.accounts.setDefault(bob.id, in: .default) },
            { _ = try keyring.accounts.remove(eve.id, from: .default) },
            { _ = try keyring.slots.grant(.default, to: .keyFile(keyFile(3))) },
        ]
        var states: [Data] = []
        for step in steps {
            try step()
            states.append(try Data(contentsOf: database))
        }
        self.states = states
        path = database.path
        let file = home.location.state + "/\(keyring.vaultID).mark"
        mark = (file, try Data(contentsOf: URL(filePath: file)))
        for (index, state) in states.enumerated() { try state.write(to: URL(filePath: older(index))) }
    }

    private func older(_ index: Int) -> String { home.folder.path + "/state\(index)" }

    /// A statement, or some, that change rows.
    private struct Attack {
        let name: String
        let sql: String
    }

    private func keys(_ table: String, _ path: String) throws -> [QueryValue] {
        try RawDatabase(path: path).values("SELECT \(Self.tables[table] ?? "id") FROM \(table)")
    }

    private func literal(_ value: QueryValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let integer): "\(integer)"
        case .bytes(let bytes): "x'\(hexadecimal(bytes))'"
        }
    }

    /// Each row by itself, and rows that belong together.
    private func attacks() throws -> [Attack] {
        var attacks: [Attack] = []
        for (table, key) in Self.tables.sorted(by: { $0.key < $1.key }) {
            let present = try keys(table, path)
            for (index, value) in present.map(literal).enumerated() {
                attacks.append(Attack(name: "remove", sql: "DELETE FROM \(table) WHERE \(key) = \(value)"))
                for other in present.map(literal)[(index + 1)...] {
                    let spare = key == "id" ? "-1" : "x'00'"
                    let moves = [(value, spare), (other, value), (spare, other)].map { from, to in
                        "UPDATE \(table) SET \(key) = \(to) WHERE \(key) = \(from)"
                    }
                    attacks.append(Attack(name: "exchange", sql: moves.joined(separator: ";")))
                }
            }
            for index in 0..<states.count - 1 {
                for value in try keys(table, older(index)).map(literal) {
                    let row =
                        "INSERT OR REPLACE INTO main.\(table) SELECT * FROM s\(index).\(table) WHERE \(key) = \(value)"
                    attacks.append(Attack(name: "put back", sql: row))
                    guard table == "records" else { continue }
                    let secret = "INSERT INTO main.secrets SELECT * FROM s\(index).secrets WHERE id = \(value)"
                    let both = "\(row); DELETE FROM main.secrets WHERE id = \(value); \(secret)"
                    attacks.append(Attack(name: "put back with its secret", sql: both))
                }
                for together in [["records", "secrets"], ["records", "secrets", "nodes"], ["nodes"], ["manifests"]] {
                    let sql: [String] = together.map {
                        "DELETE FROM main.\($0); INSERT INTO main.\($0) SELECT * FROM s\(index).\($0)"
                    }
                    attacks.append(Attack(name: "put back all", sql: sql.joined(separator: ";")))
                }
            }
        }
        return attacks
    }

    private func run(_ attack: Attack) throws {
        let database = try RawDatabase(path: path, pragmas: "PRAGMA foreign_keys = OFF")
        for index in 0..<states.count - 1 where attack.sql.contains(" s\(index).") {
            try database.run("ATTACH '\(older(index))' AS s\(index)")
        }
        try database.run(attack.sql)
        database.close()
    }

    private func restore() throws {
        if let state = states.last { try state.write(to: URL(filePath: path)) }
        try? FileManager.default.removeItem(atPath: path + "-journal")
        try mark.content.write(to: URL(filePath: mark.path))
    }

    /// Tokens, or why there are none.
    private func answers(_ opened: Keyring?) -> [String] {
        requests.map { request in
            guard let opened else { return "not opened" }
            if let token = try? opened.tokenText(request) { return token }
            return opened.refusal(request).map { "\($0)" } ?? "none"
        }
    }

    /// What a program gets that links nothing but the lookup; nil where it asks the library.
    private func cached() -> [String?] {
        requests.map { request in
            let answer = CachedToken.answer(
                request, vault: home.location.vault, state: home.location.state, key: .keyFile(keyFile(1)),
                now: noon, projectFiles: ProjectFileAccess(paths: { _ in [] }, problem: { _, _ in nil }))
            guard case .token(let secret, _) = consume answer else { return nil }
            return secret.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
        }
    }

    @Test("none gives a wrong token: each gives the right one, or damage", .embeddedAlone)
    func tokens() throws {
        let right = answers(try home.opened())
        let bob = "first of bob@contoso.example"
        #expect(right == ["second of ada", bob, "noSuchAccount", bob, bob])
        #expect(cached().prefix(2) == ["second of ada", bob])
        var generator = SeededGenerator(seed: UInt64.random(in: 0..<1_000_000))
        let all = try attacks()
        #expect(all.count > 400)
        let some = TestLength.isFull ? all : Array(all.shuffled(using: &generator).prefix(50))
        var damaged = 0
        for attack in some {
            do { try run(attack) } catch { continue }
            for (index, found) in cached().enumerated() {
                #expect(found == nil || found == right[index], "the front's lookup: \(attack.name): \(attack.sql)")
            }
            let found = answers(try? home.opened())
            for index in found.indices where found[index] != right[index] {
                damaged += 1
                #expect(
                    ["damaged", "rolledBack", "not opened"].contains(found[index]),
                    "\(requests[index]): \(attack.name): \(attack.sql)")
            }
            try restore()
        }
        #expect(damaged > some.count / 4)
    }
}
