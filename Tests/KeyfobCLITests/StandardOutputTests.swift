import Foundation
import KeyfobTestSupport
import Testing

@Suite("Standard output that cannot be written", .waitsForPrograms)
struct StandardOutputTests {
    private static let commands = [
        "token", "status", "account list", "account show ada", "group list", "slot list", "verify", "which", "doctor",
        "man",
        "completions bash", "--help", "token --help", "--version", "export --format msal -",
    ]

    @Test("a closed one is an error of one line", arguments: commands)
    func closed(_ command: String) throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        try place.run("keyfob \(command) >&-").expectError(74, "standard output")
        try place.run("keyfob \(command) > /dev/full").expectError(
            74, "the disk is full: standard output is incomplete")
    }

    @Test("a pipe whose reader has gone ends the command without a word")
    func pipe() throws {
        let place = try Workplace.withVault()
        var cache = SampleCache(people: 400)
        cache.tokenCount = 1_000
        try place.write("cache.json", cache.json())
        try place.run("keyfob import --quiet cache.json").expectSuccess()
        // The reader is gone before the first byte comes, or after the first few of more than a pipe holds.
        let gone = "until [ -e gone ]; do sleep 0.01; done"
        for (reader, wait, command) in [
            ("true", gone, "man"), ("head -c 1 >/dev/null", "true", "export --format msal -"),
        ] {
            let line = """
                mkfifo p; { (\(reader)) < p; touch gone; } & (\(wait); keyfob \(command)) > p
                echo $? > status; wait; rm p gone
                """
            let outcome = try place.run(line)
            #expect(try place.read("status") == Data("74\n".utf8), "\(outcome)")
            #expect(outcome.errors.isEmpty, "\(outcome)")
        }
    }

    @Test("what is stored stays stored when it cannot be told")
    func stored() throws {
        let place = try Workplace.withVault()
        try place.run("printf token | keyfob add --json --account ada --host git.example > /dev/full; test $? = 74")
            .expectSuccess()
        #expect(try place.run("keyfob token").text == "token\n")
    }

    @Test("no vault is made whose recovery key cannot be shown")
    func recoveryKey() throws {
        let place = try Workplace()
        try place.makeKey("key")
        try place.run("keyfob init --key-file key >&-").expectError(74, "standard output is closed")
        #expect(try place.run("test -e data").status == 1)
        let outcome = try place.run("keyfob init --quiet --key-file key > /dev/full")
        outcome.expectError(74, "no vault was made", "its recovery key could not be shown")
        #expect(try place.run("ls data/keyfob").text == "vault.lock\n")
    }

    @Test("nothing is written into the vault or a file in place of a closed descriptor")
    func closedDescriptors() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        for (number, closed) in [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"].enumerated() {
            _ = try place.run("keyfob token --account ada \(closed)")
            _ = try place.run("keyfob account list \(closed)")
            _ = try place.run("keyfob export --format msal --force out.json \(closed)")
            _ = try place.run("keyfob group create work \(closed); keyfob group remove work --force \(closed)")
            try place.run("keyfob init --vault vault\(number) --recovery-file r\(number) \(closed)").expectSuccess()
            try place.run("grep -qxE 'AGE-SECRET-KEY-PQ-1.{58}' r\(number) && test $(wc -l < r\(number)) = 2")
                .expectSuccess()
            let data = try place.read("out.json")
            #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
            try place.run("keyfob verify").expectSuccess()
        }
    }
}
