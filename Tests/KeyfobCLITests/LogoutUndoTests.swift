import Foundation
import KeyfobTestSupport
import Testing

@Suite("Signing out, and undoing it", .waitsForPrograms)
struct LogoutUndoTests {
    private func place() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.run("printf ghp_onlycopy | keyfob add -q --account deploy --host github.com --scope repo")
            .expectSuccess()
        return place
    }

    @Test("the only copy of a token comes back by what each message says, without the recovery key")
    func onlyCopy() throws {
        let place = try place()
        let outcome = try place.run("keyfob logout deploy").expectSuccess()
        let stays =
            "its token for repo stays valid at github.com and never ends: revoke it at https://github.com/settings/tokens"
        #expect(outcome.errors.contains(stays), "\(outcome)")
        let command = try #require(outcome.errors.firstMatch(of: /: (keyfob undo [0-9a-f]{8})\n/)).output.1
        let refused = try place.run("keyfob token -a deploy")
        #expect(refused.status == 10 && refused.errors.contains("'\(command)'"), "\(refused)")
        #expect(!refused.errors.contains("keyfob login"), "\(refused)")
        try place.run("mv recovery elsewhere; \(command)").expectSuccess()
        #expect(try place.run("keyfob token -a deploy").expectSuccess().text == "ghp_onlycopy\n")
        #expect(try place.run("keyfob account list").expectSuccess().text.contains("tokens only"))
        try place.run("keyfob verify").expectSuccess()
    }

    @Test("on a terminal somebody is asked before the only copy of a token goes, and before the last thing is undone")
    func asking() throws {
        let place = try place()
        let no = try place.onTerminal("keyfob logout deploy", [("Sign deploy out? [y/N] ", "\n")])
        #expect(no.status == 15 && no.screen.contains("'keyfob undo' can bring it back for 30 days"), "\(no)")
        try place.run("keyfob token -a deploy").expectSuccess()
        let yes = try place.onTerminal("keyfob logout deploy", [("Sign deploy out? [y/N] ", "y\n")])
        #expect(yes.status == 0, "\(yes)")
        let undone = try place.onTerminal("keyfob undo", [("Undo it? [y/N] ", "y\n")])
        #expect(undone.status == 0 && undone.screen.contains("brings back 1 access token of deploy"), "\(undone)")
        let asked = try place.onTerminal("keyfob logout deploy --forever", [("Sign deploy out? [y/N] ", "n\n")])
        #expect(asked.status == 15 && asked.screen.contains("nothing brings it back"), "\(asked)")
        #expect(try place.onTerminal("keyfob logout deploy --yes", []).status == 0)
    }

    @Test("where nobody can be asked the newest entry is undone by its id, or with --force")
    func notAsking() throws {
        let place = try place()
        try place.run("keyfob logout -q deploy").expectSuccess()
        let refused = try place.run("keyfob undo")
        #expect(refused.status == 64 && refused.errors.contains("does it without asking"), "\(refused)")
        let dry = try place.run("keyfob undo --dry-run").expectSuccess()
        #expect(dry.errors.contains("would bring back 1 access token of deploy"), "\(dry)")
        try place.run("keyfob token -a deploy").expectError(10)
        try place.run("keyfob undo --yes").expectSuccess()
        let before = try place.run("keyfob undo --dry-run").expectSuccess()
        #expect(before.errors.contains("would take away 1 account, 1 access token of deploy"), "\(before)")
        try place.run("keyfob undo -q --yes").expectSuccess()
        try place.run("keyfob undo --yes").expectError(1, "'init' at", "made the vault, which cannot be undone")
        try place.run("keyfob undo 12345678").expectError(13, "'keyfob undo --list'")
    }

    @Test(
        "--forever leaves nothing in the vault, of earlier sign-outs neither",
        arguments: ["logout", "account remove --force"])
    func forever(command: String) throws {
        let place = try place()
        try place.run("keyfob logout -q deploy; printf another | keyfob add -q deploy@github.com").expectSuccess()
        let outcome = try place.run("keyfob \(command) deploy --forever").expectSuccess()
        #expect(!outcome.errors.contains("brings it back"), "\(outcome)")
        #expect(!(try place.run("keyfob undo --list --json").expectSuccess().text.contains("returns")))
        let token = try place.run("keyfob undo --yes; keyfob token -a deploy")
        #expect([10, 13].contains(token.status) && token.text.isEmpty, "\(token)")
    }

    @Test("--all signs everybody out after a question, and comes back as one")
    func all() throws {
        let place = try place()
        try place.run(
            """
            set -e; keyfob group create -q work
            printf t | keyfob add -q --account ada --host git.example --group work
            printf u | keyfob add -q --account bob --host git.example
            """
        ).expectSuccess()
        try place.run("keyfob logout --all").expectError(64, "nobody to ask", "--force")
        let no = try place.onTerminal("keyfob logout --all", [("Sign out of 3 accounts? [y/N] ", "n\n")])
        #expect(no.status == 15 && no.screen.contains("to be signed out: ada (group work)"), "\(no)")
        let outcome = try place.run("keyfob logout --all --force --offline").expectSuccess()
        #expect(outcome.errors.contains("signed out of 3 accounts"), "\(outcome)")
        #expect(outcome.errors.matches(of: /this brings it back/).count == 1, "\(outcome)")
        #expect(try place.run("keyfob account list --format '{state}' | sort -u").text == "signedOut\n")
        try place.run("keyfob undo --yes").expectSuccess()
        #expect(try place.run("keyfob account list --format '{state}' | sort -u").text == "tokensOnly\n")
        for (name, token) in [("ada", "t"), ("bob", "u"), ("deploy", "ghp_onlycopy")] {
            #expect(try place.run("keyfob token -a \(name)").text == token + "\n")
        }
        try place.run("keyfob logout --all deploy").expectError(64, "--all goes with neither")
    }

    @Test("the list names what comes back and until when, and --clear forgets it")
    func list() throws {
        let place = try place()
        try place.run("keyfob logout -q deploy").expectSuccess()
        let list = try place.run("keyfob undo --list").expectSuccess()
        #expect(list.text.contains("logout") && list.text.contains("deploy"), "\(list)")
        #expect(list.text.contains("1 access token"), "\(list)")
        try place.run("keyfob undo --clear").expectError(64, "nobody to ask", "--force")
        let cleared = try place.run("keyfob undo --clear --yes").expectSuccess()
        #expect(cleared.errors.contains("forgot 1 entry"), "\(cleared)")
        #expect(!(try place.run("keyfob undo --list").expectSuccess().text.contains("logout")))
        try place.run("keyfob verify").expectSuccess()
    }

    @Test("two processes that undo at once bring it back once")
    func atOnce() throws {
        let place = try place()
        let removed = try place.run("keyfob account remove deploy --force").expectSuccess()
        let id = try #require(removed.errors.firstMatch(of: /keyfob undo ([0-9a-f]{8})/)?.output.1)
        let outcome = try place.run(
            """
            for i in 1 2 3 4; do (keyfob undo -q --yes \(id) 2>/dev/null; echo $? > ended$i) & done; wait
            cat ended1 ended2 ended3 ended4 | sort -n | tr '\\n' ' '
            """
        ).expectSuccess()
        #expect(outcome.text == "0 13 13 13 ", "\(outcome)")
        try place.run("keyfob verify; keyfob token -a deploy").expectSuccess()
    }
}
