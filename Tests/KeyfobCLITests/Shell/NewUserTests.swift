import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobCLI

@Suite("What new users do", .waitsForPrograms)
struct NewUserTests {
    let place: Workplace

    init() throws {
        place = try .withVault()
    }

    private func add(_ line: String, _ token: String = "token") throws -> Outcome {
        try place.run("keyfob add \(line)", text: token)
    }

    @Test(
        "no token has a space or a line end in it",
        arguments: ["a whole sentence", "ghp_abc\nghp_def", "tab\there", "tök", "a\u{7F}b"])
    func junk(token: String) throws {
        let run = try add("ada@git.example", token)
        #expect(run.status == 65 && run.errors.contains("paste the token alone"), "\(run)")
        #expect(run.errors.split(separator: "\n").count == 1)
        #expect((try place.document("keyfob account list --json")["accounts"] as? [Any])?.isEmpty == true)
    }

    @Test(
        "a host that a letter makes of a known one is asked about",
        arguments: ["githb.com", "gitlab.con", "githubb.com"])
    func nearHost(host: String) throws {
        let run = try add("bob@\(host)")
        #expect(run.status == 0 && run.errors.contains("did you mean git"), "\(run)")
        #expect(try !add("bob@git.example").errors.contains("did you mean"))
        #expect(try !add("bob@github.com").errors.contains("did you mean"))
    }

    @Test("a label that is another account's name is refused, one's own is not")
    func labels() throws {
        _ = try add("ada@git.example")
        _ = try add("bob@git.example")
        let run = try place.run("keyfob account label ada bob")
        #expect(run.status != 0 && run.errors.contains("'bob' is the name of another account"), "\(run)")
        #expect(try place.run("keyfob account label ada ada").status == 0)
        #expect(try place.run("keyfob account label ada work").errors.contains("ada is labelled 'work'"))
    }

    @Test("each advice for a token that lacks a scope, or has ended, ends in a token when it is followed")
    func advice() throws {
        _ = try add("ada@git.example --scope read")
        for line in ["keyfob token --account ada --scope admin:org", "keyfob token --account ada --scope read"] {
            var run = try place.run(line)
            if run.status != 0 {
                let words = try #require(run.errors.firstMatch(of: /'(keyfob add [^']*)'/)).1
                #expect(words.contains("--scope"), "\(run)")
                #expect(try place.run(String(words), text: "fresh").status == 0)
                run = try place.run(line)
            }
            #expect(run.status == 0, "\(run)")
        }
    }

    @Test("a stored token says when it ends, before that too")
    func ends() async throws {
        _ = try add("ada@git.example --expires-in 3600")
        #expect(try !place.run("keyfob account list").text.contains("ends in"))
        #expect(try place.run("keyfob account list --expiring 2h").text.contains("ends in"))
        _ = try add("bob@git.example --expires-in 1")
        try await eventually { try place.run("keyfob account list").text.contains("ended") }
    }

    @Test("a removed account that is named again names the undo that brings it back")
    func removed() throws {
        _ = try add("bob@git.example")
        #expect(try place.run("keyfob account remove bob --force").status == 0)
        let run = try place.run("keyfob token --account bob")
        let words = try #require(run.errors.firstMatch(of: /'(keyfob undo [0-9a-f]+)'/), "\(run)").1
        #expect(try place.run(String(words)).status == 0)
        #expect(try place.run("keyfob token --account bob").text == "token\n")
    }

    @Test("backups: none, several, and a folder each lead on")
    func backups() throws {
        #expect(try place.run("mkdir none; keyfob backup --list none").errors.contains("'keyfob backup --to none'"))
        let several = try place.run(
            "mkdir c; keyfob backup -q --to c/1.age && keyfob backup -q --to c/2.age; keyfob backup --verify c/*")
        #expect(
            several.status == 64 && several.errors.contains("--verify reads one backup, and 2 are named"), "\(several)")
        let folder = try place.run("keyfob backup --verify c")
        #expect(folder.status == 78 && folder.errors.contains("'keyfob backup --list c'"), "\(folder)")
    }

    @Test(
        "moments as people type them",
        arguments: ["today", "yesterday", "2026-11-23", "2026-11-23T10:00:00Z", "2d", "90s"])
    func since(text: String) throws {
        #expect(try place.run("keyfob log --since \(text)").status == 0)
        #expect(TimeText.begin(text) != nil && TimeText.begin("x" + text) == nil)
    }

    @Test("days begin at midnight")
    func midnight() throws {
        let now = WallClock.system.now
        let (today, yesterday) = (try #require(TimeText.begin("today")), try #require(TimeText.begin("yesterday")))
        #expect(LocalTime.seconds(today).hasSuffix("00:00:00") && LocalTime.seconds(yesterday).hasSuffix("00:00:00"))
        #expect(today <= now && (23 * 3_600...25 * 3_600).contains(today.seconds - yesterday.seconds))
        #expect(TimeText.begin(String(LocalTime.text(now).prefix(10))) == today)
    }

    @Test("each message of a command names the vault that the command line names")
    func vault() throws {
        let other = "\(place.path)/other"
        let new = "keyfob init --vault \(other) --new-key-file \(other).key --recovery-file \(other).txt"
        let made = try place.run(new)
        #expect(made.errors.contains("'keyfob --vault \(other) login PROVIDER'"), "\(made)")
        let again = try place.run(new)
        #expect(again.status != 0)
        for run in [made, again, try place.run("keyfob token --vault \(other) --key-file \(other).key")] {
            for match in run.errors.matches(of: /'keyfob ([^']*)'/) { #expect(match.1.contains("--vault"), "\(run)") }
        }
    }

    @Test("a lost machine of a vault that is in no sync is told of by pages")
    func lost() throws {
        _ = try add("ada@github.com")
        let run = try place.run("keyfob lost laptop --force")
        #expect(run.status == 78 && run.errors.contains("https://github.com/settings"), "\(run)")
    }
}
