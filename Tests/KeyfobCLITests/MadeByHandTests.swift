import Foundation
import KeyfobTestSupport
import Testing

/// Tokens that a person puts beside the vault's items, with the program that every desktop has for that.
@Suite("Tokens put into the desktop's keyring by hand", .waitsForPrograms)
struct MadeByHandTests {
    private let desktop: DesktopPlace

    init() throws {
        desktop = try DesktopPlace.withRecords()
    }

    /// Puts a token there as the documentation says.
    private func put(_ token: String, _ attributes: String, kind: String = "AccessToken") throws {
        let item = "xdg:schema io.keyfob.\(kind) by hand \(attributes)"
        try desktop.run("printf '\(token)' | secret-tool store --label 'by hand' \(item)").expectSuccess()
    }

    private func token(_ account: String, _ options: String = "") throws -> Outcome {
        try desktop.run("keyfob token --no-input --account \(account) \(options)")
    }

    /// Moves the vault into Keyfob's own file, where `key` opens it.
    @discardableResult
    private func moveToFile() throws -> Outcome {
        try desktop.place.makeKey("key")
        return try desktop.run("keyfob migrate --to embedded --key-file key").expectSuccess()
    }

    private func doctor() throws -> String { try desktop.run("keyfob doctor").text }

    @Test("one is used at once, and told as such")
    func used() throws {
        try put("pasted\\n", "account ada@git.example")
        #expect(try token("ada@git.example").expectSuccess().text == "pasted\n")
        #expect(try token("ada").expectSuccess().text == "pasted\n")
        #expect(try desktop.run("keyfob token --no-input").expectSuccess().text == "pasted\n")
        let list = try desktop.run("keyfob account list").expectSuccess().text
        #expect(list.contains("tokens only, by hand"), "\(list)")
        let document = try desktop.run("keyfob account list --json").expectSuccess().text
        #expect(document.contains(/"hasTokenMadeByHand"\s*:\s*true/), "\(document)")
        let told = try doctor()
        #expect(told.contains("token of ada@git.example was put into the desktop's keyring by hand"), "\(told)")
        #expect(told.contains("nothing says when it ends") && told.contains("'keyfob add ada@git.example'"), "\(told)")
        try desktop.run("keyfob verify").expectSuccess()
    }

    @Test("one without scopes does not go before one of Keyfob's with some; which is meant is to be said")
    func beside() throws {
        try desktop.run("printf own | keyfob add -q ada@git.example --scope repo").expectSuccess()
        try put("pasted", "account ada@git.example")
        try token("ada@git.example").expectError(11, "for different scopes (no scope, repo)")
        #expect(try token("ada@git.example", "--scope repo").expectSuccess().text == "own\n")
        // What Keyfob itself has stored without scopes is what is meant by none.
        try desktop.run("printf plain | keyfob add -q ada@git.example").expectSuccess()
        #expect(try token("ada@git.example").expectSuccess().text == "plain\n")
    }

    @Test("what Keyfob has stored is found by the same attributes")
    func lookedUp() throws {
        try desktop.run("printf stored | keyfob add -q ada@git.example --scope repo").expectSuccess()
        let attributes = "xdg:schema io.keyfob.AccessToken account ada@git.example"
        #expect(try desktop.run("secret-tool lookup \(attributes)").expectSuccess().text == "stored")
        #expect(!(try doctor()).contains("by hand"))
    }

    @Test("one that has ended is not given, and one of which it can't be told when it ends is told")
    func expired() throws {
        try put("old", "account ada@git.example expires 2020-01-01T00:00:00Z")
        let refused = try token("ada@git.example")
        #expect(refused.status != 0 && refused.errors.contains(/expired \d{4} days ago/), "\(refused)")
        try put("new", "account bob@git.example expires 2100-01-01T00:00:00Z scope 'repo user'")
        #expect(try token("bob@git.example", "--scope user").expectSuccess().text == "new\n")
        #expect(try token("bob@git.example", "--scope gist").status != 0)
        try put("odd", "account eve@git.example expires soon")
        #expect(try token("eve@git.example").status != 0)
        let told = try doctor()
        #expect(told.contains("ends at 2100-01-01") && told.contains("and can't be used"), "\(told)")
    }

    @Test("one is for the group that it names, and else for 'default'")
    func groups() throws {
        try desktop.run("keyfob group create work").expectSuccess()
        try put("work", "account ada@git.example group work")
        try put("default", "account bob@git.example")
        try put("nobody", "account eve@git.example group nosuch")
        #expect(try token("ada@git.example", "--group work").expectSuccess().text == "work\n")
        #expect(try token("ada@git.example", "--group default").status != 0)
        #expect(try token("bob@git.example", "--group default").expectSuccess().text == "default\n")
        #expect(try token("eve@git.example").status != 0)
        #expect(try doctor().contains("and can't be used"))
    }

    @Test("'add' takes its place, and 'account remove' removes it")
    func replaced() throws {
        try put("pasted", "account ada@git.example")
        try desktop.run("printf stored | keyfob add -q ada@git.example").expectSuccess()
        #expect(try token("ada@git.example").expectSuccess().text == "stored\n")
        #expect(!(try doctor()).contains("by hand"))
        let attributes = "xdg:schema io.keyfob.AccessToken account ada@git.example"
        let items = try desktop.run("secret-tool search --all \(attributes) 2>/dev/null | grep -c '^secret = '")
        #expect(items.text == "1\n")
        try desktop.run("keyfob verify").expectSuccess()
        try put("pasted", "account bob@git.example")
        try desktop.run("keyfob account remove --force bob@git.example").expectSuccess()
        #expect(try token("bob@git.example").status != 0)
        #expect(!(try doctor()).contains("by hand"))
    }

    @Test("what another program stores in the place of a token of Keyfob's is the account's token, and told")
    func overwritten() throws {
        let attributes = "xdg:schema io.keyfob.AccessToken account ada@git.example"
        let items = "secret-tool search --all \(attributes) 2>/dev/null | grep -c '^secret = '"
        try desktop.run("printf stored | keyfob add -q ada@git.example --scope repo").expectSuccess()
        try desktop.run("printf bobs | keyfob add -q bob@git.example").expectSuccess()
        try desktop.run("printf typed | secret-tool store --label mine \(attributes)").expectSuccess()
        #expect(try desktop.run(items).text == "1\n")
        for line in ["--account ada@git.example", "--url https://git.example/x --account ada@git.example"] {
            #expect(try desktop.run("keyfob token --no-input \(line)").expectSuccess().text == "typed\n")
        }
        let list = try desktop.run("keyfob account list").expectSuccess().text
        #expect(list.contains("tokens only, by hand"), "\(list)")
        #expect(try doctor().contains("token of ada@git.example was put into the desktop's keyring by hand"))
        try desktop.run("keyfob verify").expectSuccess()
        try desktop.run("printf again | keyfob add -q ada@git.example").expectSuccess()
        #expect(try token("ada@git.example").expectSuccess().text == "again\n")
        #expect(try desktop.run(items).text == "1\n")
        #expect(!(try doctor()).contains("by hand"))
        try desktop.run("printf typed | secret-tool store --label mine \(attributes)").expectSuccess()
        try desktop.run("keyfob account remove --force ada@git.example").expectSuccess()
        #expect(try desktop.run(items).text == "0\n")
        #expect(try token("bob@git.example").expectSuccess().text == "bobs\n")
    }

    @Test("a label makes its account one of Keyfob's, and leaves the token")
    func labelled() throws {
        try put("pasted", "account ada@git.example")
        try desktop.run("keyfob account label ada@git.example boss").expectSuccess()
        #expect(try token("boss").expectSuccess().text == "pasted\n")
        #expect(try desktop.run("keyfob account list --format '{label}'").text == "boss\n")
        try desktop.run("keyfob verify").expectSuccess()
    }

    @Test("it takes no name from an account that Keyfob knows, and is nothing but an access token")
    func authority() throws {
        let known = "--account 42 --host idp.example --username ada@git.example"
        try desktop.run("printf known | keyfob add -q \(known)").expectSuccess()
        try put("pasted", "account ada@git.example username boss label boss client mailer realm contoso")
        #expect(try token("ada@git.example").expectSuccess().text == "known\n")
        #expect(try token("boss").status != 0)
        try put("refresh", "account bob@git.example", kind: "RefreshToken")
        try put("id", "account bob@git.example", kind: "IDToken")
        #expect(try token("bob@git.example").status != 0)
        try put("setting", "name 'default account'", kind: "Setting")
        #expect(try desktop.run("keyfob account list --format '{username}'").text == "ada\nada@git.example\n")
        try desktop.run("keyfob verify").expectSuccess()
    }

    @Test("of those for one account and purpose the one that was stored last is given, whoever stored it")
    func newest() throws {
        try desktop.run("printf early | keyfob add -q ada@git.example --scope repo").expectSuccess()
        // The service knows of whole seconds.
        try desktop.run("sleep 1.1").expectSuccess()
        try put("pasted", "account ada@git.example scope repo")
        #expect(try token("ada@git.example").expectSuccess().text == "pasted\n")
        // So it is what a backup has.
        let made = "--vault restored --new-key-file k2 --recovery-file r2"
        try desktop.run("keyfob backup -q --to b.age; keyfob restore -q b.age --bundle-identity recovery \(made)")
            .expectSuccess()
        let restored = try desktop.run("keyfob token --vault restored --key-file k2 --account ada")
        #expect(restored.text == "pasted\n", "\(restored)")
        // Storing it writes into either.
        try desktop.run("sleep 1.1; printf late | keyfob add -q ada@git.example --scope repo").expectSuccess()
        #expect(try token("ada@git.example").expectSuccess().text == "late\n")
        try desktop.run("keyfob verify").expectSuccess()
    }

    @Test("the doctor's command stores one in its place, scopes and group included")
    func commandOfTheDoctor() throws {
        try desktop.run("keyfob group create -q work").expectSuccess()
        try put("pasted", "account ada@git.example group work scope 'repo user'")
        let told = try doctor()
        let command = try #require(told.firstMatch(of: /'(keyfob add [^\n]*)' stores one in its place/)?.1)
        try desktop.run("printf stored | \(command)").expectSuccess()
        #expect(try token("ada@git.example", "--group work").expectSuccess().text == "stored\n")
        #expect(!(try doctor()).contains("by hand"))
    }

    @Test("one without a token in it is told, and keeps nothing else from being moved", arguments: ["", "a\\nb"])
    func unusable(text: String) throws {
        try put(text, "account ada@git.example")
        try desktop.run("printf bobs | keyfob add -q bob@git.example").expectSuccess()
        let told = try doctor()
        #expect(told.contains("can't be used: it") && told.contains("or delete the item"), "\(told)")
        #expect(try token("ada@git.example").status == 65)
        try moveToFile()
        let line = "keyfob token --no-input --key-file key --account bob@git.example"
        #expect(try desktop.run(line).expectSuccess().text == "bobs\n")
    }

    @Test("many that do not say that they were made by hand are found too")
    func many() throws {
        let attributes = "xdg:schema io.keyfob.AccessToken account user$i@git.example"
        let line = "printf token$i | secret-tool store --label x \(attributes)"
        try desktop.run("for i in $(seq 12); do \(line); done").expectSuccess()
        let list = try desktop.run("keyfob account list --format '{username}'").expectSuccess().text
        #expect(list.split(separator: "\n").count == 12, "\(list)")
        #expect(try token("user12").expectSuccess().text == "token12\n")
    }

    @Test("it moves into Keyfob's own file with all else, and back, where it is still one token")
    func movedBack() throws {
        try put("pasted", "account ada@git.example")
        let moved = try moveToFile()
        #expect(moved.errors.contains("1 token put into the desktop's keyring by hand stays there too"))
        try desktop.run("keyfob migrate -q --to secret-service --key-file key").expectSuccess()
        #expect(try desktop.run("keyfob account list --format '{username}'").expectSuccess().text == "ada\n")
        #expect(try token("ada@git.example").expectSuccess().text == "pasted\n")
        try desktop.run("keyfob verify").expectSuccess()
        let backup = try desktop.run("keyfob backup --to backup.age").expectSuccess()
        #expect(!backup.text.contains("skipped") && !backup.errors.contains("skipped"), "\(backup)")
        // What is pasted over it counts from then on, and one that Keyfob stores takes the place of both.
        try desktop.run("sleep 1.1").expectSuccess()
        try put("again", "account ada@git.example")
        #expect(try token("ada@git.example").expectSuccess().text == "again\n")
        try desktop.run("sleep 1.1; printf stored | keyfob add -q ada@git.example").expectSuccess()
        #expect(try token("ada@git.example").expectSuccess().text == "stored\n")
        try desktop.run("keyfob account remove -q --force ada@git.example").expectSuccess()
        #expect(try token("ada@git.example").status == 13)
        try desktop.run("keyfob verify").expectSuccess()
    }

    @Test("it moves into Keyfob's own file with all else")
    func migrated() throws {
        try desktop.run("printf stored | keyfob add -q ada@git.example").expectSuccess()
        try put("pasted", "account bob@git.example")
        try moveToFile()
        let line = "keyfob token --no-input --key-file key --account"
        #expect(try desktop.run("\(line) bob@git.example").expectSuccess().text == "pasted\n")
        #expect(try desktop.run("\(line) ada@git.example").expectSuccess().text == "stored\n")
    }
}
