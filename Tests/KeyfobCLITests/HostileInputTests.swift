import Foundation
import KeyfobTestSupport
import Testing

@Suite("Input that is made to cost memory and time", .waitsForPrograms)
struct HostileInputTests {
    /// What a command may take of this debug build, which is several times slower than the real one: seconds of a processor.
    private static let (seconds, mebibytes) = (20, 256)

    /// Runs a command with what it may take, and expects it to end as said.
    private func run(_ place: Workplace, _ line: String, _ status: Int32, _ words: String) throws {
        let measured = "\(PythonScript.interpreter) \(PythonScript.path("measured")) keyfob \(line)"
        let outcome = try place.run(measured, deadline: 300)
        if status == 0 {
            outcome.expectSuccess()
            #expect(words.isEmpty || outcome.errors.contains(words), "\(outcome)")
        } else {
            outcome.expectError(status, words)
        }
        let figures = try String(decoding: place.read("measured"), as: UTF8.self).split { $0.isWhitespace }.map {
            Int($0)
        }
        #expect(try #require(figures[1]) < Self.seconds, "\(line): \(figures)")
        #expect(try #require(figures[2]) < Self.mebibytes, "\(line): \(figures)")
    }

    @Test("ends with an error, or does not count, in bounded memory and time, and changes nothing")
    func bounded() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        _ = try place.python("hostile_files")
        let before = try place.read("data/keyfob/keyring.db")
        let cases: [(String, Int32, String)] = [
            ("import deep.json", 65, "more than 64 levels"), ("import entries.json", 65, "more than 400000 entries"),
            ("import values.json", 65, "larger than"), ("import text.json", 65, "a text of more than"),
            ("import endless.json", 65, "holds more than"),
            ("import line.age --bundle-identity recovery", 65, "longer than 131072 bytes"),
            ("import recipients.age --bundle-identity recovery", 65, "more than 64 recipients"),
            ("import work.age --bundle-passphrase-fd 3 3< words", 65, "work.age"),
            ("import endless.age --bundle-identity recovery", 65, "holds more than"),
            ("restore endless.age --bundle-identity recovery --vault other", 65, "longer than"),
            ("restore line.age --bundle-identity recovery --vault other", 65, "longer than"),
            ("provider add endless.json", 65, "holds more than"), ("provider add deep.json", 65, "holds more than"),
            ("verify --key-file endless.key", 65, "holds more than"),
            ("verify --identity endless.key", 65, "holds more than"),
            ("add --account eve --host git.example < /dev/zero", 65, "holds more than"),
            ("verify --passphrase-fd 3 3< /dev/zero", 65, "holds more than"),
        ]
        for (line, status, words) in cases { try run(place, line, status, words) }
        try place.run("mv endless.toml .keyfob.toml").expectSuccess()
        try run(place, "token", 0, "larger than 65536 bytes")
        try run(place, "allow", 65, "larger than 65536 bytes")
        #expect(try place.read("data/keyfob/keyring.db") == before)
        #expect(try place.run("ls -d other 2>/dev/null").text.isEmpty)
    }

    @Test("a file of the vault, or of what is remembered of it, that has no end keeps nobody from a token")
    func endlessFiles() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        try place.run("cp -a data saved && cp -a state kept").expectSuccess()
        for file in [
            "data/keyfob/header.copy", "data/keyfob/usage.db", "data/keyfob/keyring.db", "state/keyfob/*.mark",
        ] {
            try place.run("truncate -s 20G \(file)").expectSuccess()
            try run(place, "token", 0, "")
            try place.run("rm -r data state && cp -a saved data && cp -a kept state").expectSuccess()
        }
    }
}
