import Foundation
import KeyfobTestSupport
import Testing

@Suite("A key for one group", .waitsForPrograms)
struct GroupKeyTests {
    private func home() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.makeKey("ci")
        try place.run("keyfob group create work -q").expectSuccess()
        try place.add("ada", token: "private-token")
        try place.add("robot", token: "work-token", "--group work")
        try place.run("keyfob group grant -q work key-file ci").expectSuccess()
        return place
    }

    @Test("it opens its group, and nothing of the others is seen")
    func reading() throws {
        let place = try home()
        #expect(
            try place.run("keyfob account list --key-file ci --format '{id} {group}'").text
                == "robot@git.example work\n")
        #expect(try place.run("keyfob token --key-file ci").text == "work-token\n")
        #expect(try place.run("keyfob group list --key-file ci").text.contains("default") == false)
        let export = try place.run("keyfob export --key-file ci --format msal -").expectSuccess()
        #expect(export.text.contains("work-token") && !export.text.contains("private"), "\(export)")
        try place.run("keyfob verify --key-file ci").expectSuccess()
        try place.run("keyfob doctor --key-file ci").expectSuccess()
        try place.run("keyfob token --key-file ci --account ada").expectError(13)
    }

    @Test(
        "another group is refused, and not called missing",
        arguments: [
            "token --group default", "account list --group default",
            "add --account x --host git.example --group default",
            "account move robot --to default", "export --format msal - --group default",
            "import cache.json --group default",
            "account list --group work --group default",
        ])
    func otherGroup(_ command: String) throws {
        let place = try home()
        try place.write("cache.json", SampleCache(people: 1).json())
        let before = try place.contents(of: "data")
        try place.run("keyfob \(command) --key-file ci", text: "x").expectError(77, "does not open group 'default'")
        #expect(try place.contents(of: "data") == before)
    }

    @Test(
        "what concerns the vault is refused",
        arguments: [
            "group create more", "group rename work play", "group rotate work", "group remove work --force",
            "slot add key-file ci",
            "slot remove \"$(keyfob slot list | awk '/recovery-key/ { print $1 }')\"", "group grant work key-file key",
        ])
    func wholeVault(_ command: String) throws {
        let place = try home()
        let before = try place.contents(of: "data")
        let outcome = try place.run("keyfob \(command) --key-file ci")
        outcome.expectError(77)
        #expect(try place.contents(of: "data") == before)
        try place.run("keyfob verify").expectSuccess()
    }

    @Test("new items go to its group")
    func writing() throws {
        let place = try home()
        try place.run("keyfob add -q --account eve --host git.example --key-file ci", text: "x").expectSuccess()
        #expect(try place.run("keyfob account list --group work --format '{username}'").text == "eve\nrobot\n")
    }

    @Test("it keeps working when the group gets a new key, and ends when it is revoked")
    func rotation() throws {
        let place = try home()
        try place.run("keyfob group rotate work -q").expectSuccess()
        #expect(try place.run("keyfob token --key-file ci").text == "work-token\n")
        try place.run("keyfob group revoke work -q \"$(keyfob slot list | awk '/group work/ { print $1 }')\"")
            .expectSuccess()
        try place.run("keyfob token --key-file ci").expectError(77, "does not open the vault")
        #expect(try place.run("keyfob token --account robot").text == "work-token\n")
    }

    @Test("the vault's passphrase opens no group slot, and a group's passphrase only its group")
    func passphrases() throws {
        let place = try home()
        try place.write("words", "for work only\n")
        try place.run("keyfob group grant work passphrase --kdf-memory 64 --new-passphrase-fd 3 3<words")
            .expectSuccess()
        #expect(try place.run("keyfob token --passphrase-fd 3 3<words").text == "work-token\n")
        try place.run("keyfob token --group default --passphrase-fd 3 3<words").expectError(77)
    }
}
