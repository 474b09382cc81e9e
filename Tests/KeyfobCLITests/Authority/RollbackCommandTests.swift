import Foundation
import KeyfobTestSupport
import Testing

/// Plays somebody who may write in the vault's folder, and has kept an older copy of it.
@Suite("A vault that somebody has taken back, by the command", .waitsForPrograms)
struct RollbackCommandTests {
    private static let earlier = "keyfob: warning: group 'default' has been taken back to an earlier state: "

    /// A vault that is older than it was: Carol is gone from it.
    private func taken() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.add("alice", token: "alice's")
        try place.run("cp data/keyfob/keyring.db older.db").expectSuccess()
        try place.add("carol", token: "carol's")
        try place.run("cp data/keyfob/keyring.db newer.db; cp older.db data/keyfob/keyring.db").expectSuccess()
        return place
    }

    /// The warnings that a line of the shell leads to.
    private func warnings(_ place: Workplace, _ line: String) throws -> [Substring] {
        try place.run(line).errors.split(separator: "\n").filter { $0.hasPrefix("keyfob: warning: ") }
    }

    @Test("it is told once in a login, and by status, verify and doctor always, whatever is written")
    func staysTold() throws {
        let place = try taken()
        let first = try warnings(place, "keyfob account label alice a")
        #expect(first.count == 1 && first.allSatisfy { $0.hasPrefix(Self.earlier) })
        #expect(first.allSatisfy { $0.contains("keyfob doctor") })
        for line in ["keyfob account label alice b", "keyfob account list", "keyfob token --account alice"] {
            #expect(try warnings(place, line) == [])
        }
        for _ in 1...2 {
            #expect(try place.run("keyfob status").text.contains("\nwarning group 'default' has been taken back"))
            let verified = try place.run("keyfob verify")
            #expect(verified.status == 65 && verified.text.contains("1 problem"), "\(verified)")
            #expect(verified.text.hasPrefix("group 'default' has been taken back") && verified.errors.isEmpty)
            let doctor = try place.run("keyfob doctor")
            #expect(doctor.status == 65 && doctor.errors.isEmpty, "\(doctor)")
            #expect(doctor.text.contains("failure state: group 'default' has been taken back"), "\(doctor)")
            #expect(doctor.text.contains("--accept-rollback") && !doctor.text.contains("--repair"), "\(doctor)")
        }
        let accepted = try place.run("keyfob doctor --accept-rollback").expectSuccess()
        #expect(accepted.text.contains("ok      state: accepted: group 'default'"), "\(accepted)")
        #expect(try place.run("keyfob verify").expectSuccess().text.hasPrefix("all is well"))
        // A backup that is missing would be warned of, too.
        try place.run("keyfob backup -q --to kept.age").expectSuccess()
        #expect(try place.run("keyfob status").text.contains("warning") == false)
    }

    @Test(
        "the next login tells it again, a terminal does though a program had it, and without a login each command does")
    func audiences() throws {
        let place = try taken()
        for run in ["run-1", "run-2"] {
            try place.run("mkdir -m 700 \(run)").expectSuccess()
            let line = "env XDG_RUNTIME_DIR=$PWD/\(run) keyfob account list"
            #expect(try warnings(place, line).count == 1)
            #expect(try warnings(place, line).isEmpty)
            #expect(try place.onTerminal(line, []).screen.contains("taken back"))
            #expect(try place.onTerminal(line, []).screen.contains("taken back") == false)
        }
        for _ in 1...2 { #expect(try warnings(place, "env -u XDG_RUNTIME_DIR keyfob account list").count == 1) }
    }

    @Test("documents have it too, and a locked vault tells what was found")
    func documents() throws {
        let place = try taken()
        var documents = Documents()
        documents.add("status", try place.run("keyfob status --json").expectSuccess().text, from: "status")
        let verified = try place.run("keyfob verify --json")
        #expect(verified.status == 65 && verified.text.contains(#""kind" : "rolledBack""#), "\(verified)")
        documents.add("verification", verified.text, from: "verify")
        documents.add("doctor", try place.run("keyfob doctor --json").text, from: "doctor")
        let locked = try place.run("env -u KEYFOB_KEY_FILE keyfob status --json").expectSuccess()
        #expect(locked.text.contains("rolledBack") && locked.text.contains(#""state" : "locked""#), "\(locked)")
        documents.add("status", locked.text, from: "status, locked")
        try documents.validate(in: place)
    }

    @Test("the newest copy put back, or a backup brought back, and then accepted, ends it")
    func curing() throws {
        let place = try taken()
        try place.run("keyfob account list && cp newer.db data/keyfob/keyring.db").expectSuccess()
        #expect(try place.run("keyfob verify").status == 65)
        try place.run("keyfob doctor --accept-rollback && keyfob verify").expectSuccess()
        #expect(try place.run("keyfob token --account carol").expectSuccess().text == "carol's\n")
        try place.run("keyfob backup -q --to kept.age && cp older.db data/keyfob/keyring.db").expectSuccess()
        try place.run("keyfob restore kept.age --bundle-identity recovery --force").expectSuccess()
        #expect(try place.run("keyfob verify").status == 65)
        try place.run("keyfob doctor --accept-rollback && keyfob verify").expectSuccess()
    }

    @Test("damaged notes end nothing, are told, and are begun anew where the owner says so")
    func damagedNotes() throws {
        let place = try taken()
        try place.run("echo nonsense | tee -a state/keyfob/*.mark").expectSuccess()
        let told = try warnings(place, "keyfob token --account alice")
        #expect(told.contains { $0.contains("are damaged") } && told.contains { $0.hasPrefix(Self.earlier) })
        let doctor = try place.run("keyfob doctor")
        #expect(doctor.status == 65 && doctor.text.contains("failure state: the notes"), "\(doctor)")
        try place.run("keyfob doctor --accept-rollback && keyfob verify").expectSuccess()
        try place.run("mark=$(ls state/keyfob/*.mark) && rm $mark && mkdir $mark").expectSuccess()
        #expect(try place.run("keyfob verify").status == 65)
        try place.run("keyfob doctor --accept-rollback && keyfob verify").expectSuccess()
    }

    @Test("where nothing can be noted the command does its work, and says so")
    func nothingNoted() throws {
        let place = try taken()
        try place.run("rm -r state/keyfob && touch state/keyfob").expectSuccess()
        let outcome = try place.run("keyfob token --account alice").expectSuccess()
        #expect(outcome.text == "alice's\n" && outcome.errors.contains("could not be noted"), "\(outcome)")
        let accepting = try place.run("keyfob doctor --accept-rollback")
        #expect(accepting.status == 74 && accepting.errors.contains("/state/keyfob; what is there"), "\(accepting)")
    }
}
