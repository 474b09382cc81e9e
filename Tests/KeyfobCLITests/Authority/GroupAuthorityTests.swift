import Foundation
import KeyfobTestSupport
import Testing

@Suite("Somebody with the key of one group, by the command", .waitsForPrograms)
struct GroupAuthorityTests {
    /// `tools` is a group whose key file `ci` somebody else has.
    private func home() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.makeKey("ci")
        try place.run("keyfob group create tools -q && keyfob group create work -q").expectSuccess()
        try place.run("keyfob group grant -q tools key-file ci").expectSuccess()
        try place.add("alice@corp", token: "the-owners", "--group work")
        return place
    }

    @Test("an account that they plant under a name of another group is not taken for that one's")
    func planted() throws {
        let place = try home()
        try place.add("alice@corp", token: "planted", "--key-file ci")
        for command in [
            "token --account alice@corp", "account show alice@corp", "account label alice@corp x",
            "account move alice@corp --to default", "account remove alice@corp --force", "logout alice@corp",
            "bind --tool gh alice@corp",
        ] {
            try place.run("keyfob \(command)").expectError(11, "in several groups: tools, work", "--group")
        }
        try place.run("keyfob token").expectError(11, "--group")
        #expect(try place.run("keyfob token --account alice@corp --group work").text == "the-owners\n")
        #expect(try place.run("KEYFOB_GROUP=work keyfob token --account alice@corp").text == "the-owners\n")
        #expect(try place.run("keyfob token --account alice@corp --key-file ci").text == "planted\n")
        try place.run("keyfob bind -q --tool gh alice@corp --group work").expectSuccess()
        #expect(try place.run("keyfob token --tool gh").text == "the-owners\n")
    }

    @Test("what they decided is shown as theirs, and goes with their key")
    func revoked() throws {
        let place = try home()
        try place.add("eve", token: "theirs", "--key-file ci")
        try place.run("keyfob bind -q --tool gh eve --key-file ci && keyfob account default -q eve --key-file ci")
            .expectSuccess()
        #expect(try place.run("keyfob bindings").text.contains("keyring, by a key of the group"))
        #expect(try place.run("keyfob verify").text.contains("by a key of group 'tools': tool gh is bound to eve@"))
        let slot = "$(keyfob slot list | awk '/group tools/ { print $1 }')"
        let revoked = try place.run("keyfob group revoke tools \(slot) --keep 'default account' --json").expectSuccess()
        #expect(revoked.errors.contains("removed with it: tool gh is bound to eve@git.example (binding:tool:gh:"))
        #expect(revoked.errors.contains("kept: eve@git.example is the default account (default account)"))
        var documents = Documents()
        documents.add("group-revoked", revoked.text, from: "group revoke")
        documents.add("verification", try place.run("keyfob verify --json").text, from: "verify")
        try documents.validate(in: place)
        #expect(try place.run("keyfob bindings").text.contains("gh") == false)
    }

    @Test("on a terminal what goes is listed before it goes, and a no leaves all as it is")
    func asking() throws {
        let place = try home()
        try place.add("eve", token: "theirs", "--key-file ci")
        try place.run("keyfob bind -q --tool gh eve --key-file ci && keyfob bind -q --tool az eve --key-file ci")
            .expectSuccess()
        let id = "keyfob slot list | awk '/group tools/ { print $1 }'"
        let slot = try place.run(id).text.trimmingCharacters(in: .newlines)
        let line = "keyfob group revoke tools \(slot) --keep binding:tool:az:git.example"
        let question = "Remove slot \(slot) of group 'tools'? [y/N] "
        for answer in ["", "n", "x"] {
            let run = try place.onTerminal(line, [(question, answer + "\r")])
            #expect(run.status == 15 && run.screen.contains("goes with it: tool gh is bound to eve@"), "\(run)")
            #expect(run.screen.contains("stays: tool az is bound to eve@"), "\(run)")
            #expect(run.screen.contains("cancelled; nothing was changed"), "\(run)")
        }
        #expect(try place.run(id).text == slot + "\n")
        #expect(try place.run("keyfob bindings").text.contains("gh"))
        let run = try place.onTerminal(line, [(question, "y\r")])
        #expect(run.status == 0 && run.screen.contains("removed with it: tool gh is bound"), "\(run)")
        #expect(try place.run(id).text.isEmpty)
        try place.run("keyfob group grant -q tools key-file ci").expectSuccess()
        let again = try place.run(id).text.trimmingCharacters(in: .newlines)
        let forced = try place.onTerminal("keyfob group revoke tools \(again) --force --keep-all", [])
        #expect(forced.status == 0 && !forced.screen.contains("[y/N]"), "\(forced)")
    }
}
