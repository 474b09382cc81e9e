import Foundation
import KeyfobFiles
import KeyfobSQLiteTestSupport
import KeyfobStore
import KeyfobStoreTestSupport
import KeyfobTestSupport
import Testing

@testable import KeyfobSQLite

@Suite("A database that is read without SQLite")
struct PageConnectionTests {
    @Test(
        "gives the rows that SQLite gives, whatever the size of its pages",
        arguments: [512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536])
    func rows(pageSize: Int) throws {
        var generator = SeededGenerator(seed: UInt64(pageSize))
        for rows in [0, 1, 7, 90, TestLength.rounds(300, full: 20_000)] {
            let database = try GeneratedDatabase(pageSize: pageSize, rows: rows, &generator)
            let (wanted, found) = (
                try SQLiteConnection(path: database.directory.database, .reading),
                try PageConnection(database.directory)
            )
            let before = found.rowCount
            var given = 0
            for _ in 0..<300 {
                let (query, parameters) = database.question(&generator)
                let answer = try found.answer(query, parameters)
                #expect(try answer == wanted.answer(query, parameters), "\(query), \(rows) rows")
                given += answer.count
            }
            #expect(given >= rows, "there was something to find")
            #expect(found.rowCount - before == wanted.rowCount)
        }
    }

    /// Changes one place of a file.
    ///
    /// - Returns: What it changed.
    private static func damage(_ bytes: inout Data, _ generator: inout SeededGenerator, pageSize: Int) -> String {
        let pages = bytes.count / pageSize
        let page = Int.random(in: 0..<pages, using: &generator)
        let place = page * pageSize..<(page + 1) * pageSize
        func flip(_ range: Range<Int>) -> String {
            let (offset, bit) = (Int.random(in: range, using: &generator), Int.random(in: 0..<8, using: &generator))
            bytes[offset] ^= 1 << bit
            return "bit \(bit) of byte \(offset % pageSize) of page \(offset / pageSize + 1)"
        }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return flip(0..<100)
        case 1, 2: return flip(page * pageSize..<page * pageSize + 32)
        case 3:
            let other = Int.random(in: 0..<pages, using: &generator)
            bytes.replaceSubrange(place, with: Data(bytes[other * pageSize..<(other + 1) * pageSize]))
            return "page \(other + 1) in the place of page \(page + 1)"
        case 4:
            bytes.replaceSubrange(place, with: Data(count: pageSize))
            return "zeros for page \(page + 1)"
        case 5:
            bytes.removeLast(Int.random(in: 1...min(bytes.count, 3 * pageSize), using: &generator))
            return "\(bytes.count) bytes of it"
        default: return flip(0..<bytes.count)
        }
    }

    @Test("gives the rows that SQLite gives, or an error, where its bytes are others", arguments: [512, 1_024, 8_192])
    func damage(pageSize: Int) throws {
        var generator = SeededGenerator(seed: UInt64(pageSize) + 1)
        let database = try GeneratedDatabase(pageSize: pageSize, rows: 60, &generator)
        let url = URL(filePath: database.directory.database)
        let sound = try Data(contentsOf: url)
        var (answers, refusals) = (0, 0)
        for round in 0..<TestLength.rounds(350, full: 20_000) {
            var bytes = sound
            let damage = Self.damage(&bytes, &generator, pageSize: pageSize)
            try bytes.write(to: url)
            let questions = (0..<6).map { _ in database.question(&generator) }
            let found = questions.map { question in
                // One that has met damage is not asked again.
                try? PageConnection(database.directory).answer(question.query, question.parameters)
            }
            refusals += found.count { $0 == nil }
            guard found.contains(where: { $0 != nil }) else { continue }
            let wanted = try? SQLiteConnection(path: database.directory.database, .reading)
            for (question, answer) in zip(questions, found) {
                guard let answer else { continue }
                answers += 1
                let same = try? wanted?.answer(question.query, question.parameters)
                #expect(
                    same.map { question.query.withoutIndexed($0) } == question.query.withoutIndexed(answer),
                    "\(damage), round \(round): \(question.query)")
            }
        }
        #expect(answers > 100 && refusals > 100, "\(answers) and \(refusals)")
    }

    @Test("is not begun where somebody writes, where a journal is left, in WAL mode, or of another program")
    func others() throws {
        let home = try StoreHome()
        let database = try RawDatabase(path: home.directory.database)
        func error() -> StoreError? { storeError { _ = try PageConnection(home.directory) } }
        #expect(error() == nil)
        try database.run("BEGIN EXCLUSIVE")
        #expect(error() == .busy)
        try database.run("ROLLBACK")
        #expect(error() == nil)
        for suffix in ["-journal", "-wal"] {
            let path = home.directory.database + suffix
            #expect(FileManager.default.createFile(atPath: path, contents: Data([1])))
            #expect(error() == .busy)
            try FileManager.default.removeItem(atPath: path)
        }
        try database.run("PRAGMA user_version = 2")
        #expect(error() == .newerSchema(found: 2, supported: 1))
        try database.run("PRAGMA user_version = 1; PRAGMA application_id = 7")
        #expect(error() == .notAVault(path: home.directory.database))
        try database.run("PRAGMA journal_mode = WAL")
        #expect(error() == .busy)
    }

    @Test("gives what was before a change that is being made, and nothing while that is written")
    func writing() throws {
        let home = try StoreHome()
        let database = try RawDatabase(path: home.directory.database)
        let before = try PageConnection(home.directory).answer(.device, [])
        try database.run("BEGIN IMMEDIATE; UPDATE header SET device = device + 1")
        #expect(FileManager.default.fileExists(atPath: home.directory.database + "-journal"))
        #expect(try PageConnection(home.directory).answer(.device, []) == before)
        // Pages that do not fit into the cache are written before the end.
        try database.run("PRAGMA cache_spill = 1; PRAGMA cache_size = 1; CREATE TABLE large (bytes BLOB)")
        try database.run("INSERT INTO large VALUES (zeroblob(4000000))")
        #expect(storeError { _ = try PageConnection(home.directory) } == .busy)
        try database.run("ROLLBACK")
        #expect(try PageConnection(home.directory).answer(.device, []) == before)
    }

    @Test("keeps writers out until it ends, and reads nothing after")
    func transaction() throws {
        let home = try StoreHome()
        let pages = try PageConnection(home.directory)
        let database = try RawDatabase(path: home.directory.database)
        let write = "UPDATE header SET sequence = sequence"
        #expect(storeError { try database.run(write) } == .busy)
        #expect(try pages.answer(.header, []).count == 1)
        try pages.run(.commit)
        try database.run(write)
        #expect(storeError { _ = try pages.answer(.header, []) } == .busy)
    }
}
