import Foundation
import KeyfobTestSupport
import Testing

@Suite("The pager", .waitsForPrograms)
struct PagerTests {
    private static func home() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: 40).json())
        try place.run("keyfob import -q cache.json > out").expectSuccess()
        return place
    }

    /// The screen of a command, for lines that are typed on a terminal of 24 lines.
    private static func screen(_ line: String, _ place: Workplace) throws -> String {
        try place.write("line.sh", "stty cols 80 rows 24\nexport TERM=xterm-256color\n\(line)\n")
        let run = try place.onTerminal("sh line.sh", [])
        #expect(run.status == 0, "\(run)")
        return run.screen
    }

    private static let marking = "KEYFOB_PAGER='sed s/^/P:/'"

    @Test("a list that is longer than the screen goes through it, and a shorter one does not")
    func longer() throws {
        let place = try Self.home()
        let long = try Self.screen("\(Self.marking) keyfob account list", place)
        #expect(long.components(separatedBy: "P:").count == 42, "\(long)")
        for typed in ["group list", "slot list", "status"] {
            #expect(try !Self.screen("\(Self.marking) keyfob \(typed)", place).contains("P:"), "\(typed)")
        }
    }

    @Test(
        "it is the one that is named, and none where that is said",
        arguments: [
            ("KEYFOB_PAGER= keyfob account list", false), ("KEYFOB_PAGER=cat keyfob account list", false),
            ("\(marking) keyfob account list --no-pager", false), ("\(marking) keyfob --no-pager account list", false),
            ("\(marking) TERM=dumb keyfob account list", false), ("\(marking) keyfob account list --json", false),
            ("\(marking) keyfob account list | cat", false),
            ("unset KEYFOB_PAGER; PAGER='sed s/^/P:/' keyfob account list", true),
            ("KEYFOB_PAGER= PAGER='sed s/^/P:/' keyfob account list", false),
        ])
    func named(line: String, isPaged: Bool) throws {
        let screen = try Self.screen(line, Self.home())
        #expect(screen.contains("P:") == isPaged && screen.contains("person39"), "\(line)\n\(screen)")
    }

    @Test("one that cannot be run hides nothing, and who leaves it early ends the command")
    func broken() throws {
        let place = try Self.home()
        let missing = try Self.screen("KEYFOB_PAGER=/nowhere/pager keyfob account list", place)
        #expect(missing.contains("person39") && missing.contains("--no-pager shows all"), "\(missing)")
        let early = try Self.screen("KEYFOB_PAGER='head -n 1' keyfob account list", place)
        #expect(!early.contains("person39") && early.contains("ACCOUNT"), "\(early)")
    }

    @Test("less shows the beginning first, and goes on when a key is typed")
    func less() throws {
        let place = try Self.home()
        try place.write(
            "line.sh",
            "stty cols 80 rows 24\nexport TERM=xterm-256color\nunset KEYFOB_PAGER PAGER LESS\nkeyfob account list\n")
        let run = try place.onTerminal("sh line.sh", [("person15", "G"), ("person39", "q")])
        #expect(run.status == 0, "\(run)")
    }

    @Test("no token is ever given to it")
    func tokens() throws {
        let place = try Self.home()
        try place.add("ada", token: String(repeating: "long-token", count: 600))
        for typed in ["token --account ada@git.example", "request --help"] {
            #expect(try !Self.screen("\(Self.marking) keyfob \(typed)", place).contains("P:"), "\(typed)")
        }
    }
}
