import Foundation
import KeyfobTestSupport
import Testing

@Suite("What is left on the machine", .waitsForPrograms)
struct UninstallTests {
    /// A home in which tools ask Keyfob.
    private func home() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        try place.run(
            """
            git config --global user.name Ada && keyfob setup git -q --force && keyfob setup direnv -q --force
            keyfob setup mcp cursor https://mcp.notes.example/mcp -q --force --name notes && keyfob use -q ada
            """
        ).expectSuccess()
        return place
    }

    private static let files =
        "find . -type f ! -path './io/*' ! -path './state/*' ! -path './run/*' ! -name out -exec sha256sum {} + | sort"

    @Test("telling changes nothing: with --dry-run, and where there is nobody to ask", arguments: ["--dry-run", ""])
    func telling(option: String) throws {
        let place = try home()
        let before = try place.run("keyfob verify -q > out; \(Self.files)").text
        let outcome = try place.run("keyfob uninstall \(option)").expectSuccess()
        #expect(outcome.errors.contains("nothing was changed; 'keyfob uninstall --force'"), "\(outcome)")
        #expect(outcome.text.contains("git asks Keyfob") && outcome.text.contains("keyfob logout --all --forever"))
        #expect(try place.run(Self.files).text == before)
    }

    @Test("it takes out what setup wrote, keeps what else is there, and a second time finds nothing to do")
    func undoing() throws {
        let place = try home()
        let outcome = try place.run(
            "keyfob uninstall --force --json | tee told.json | jq -r '.traces[].state' | sort -u")
        #expect(outcome.text == "stays\nundone\n", "\(outcome)")
        #expect(try place.run("git config --global --list").text == "user.name=Ada\n")
        let tools = try place.run("keyfob setup --json | jq '[.tools[] | select(.asksKeyfob)] | length'").text
        #expect(tools == "0\n")
        // The vault, the key and the accounts are as they were.
        try place.run("keyfob token --account ada && keyfob verify -q").expectSuccess()
        let again = try place.run("keyfob uninstall --force --json | jq -r '.traces[].state' | sort -u")
        #expect(again.text == "stays\n", "\(again)")
    }

    @Test("what it prints to be typed leaves nothing, in that order")
    func typed() throws {
        let place = try home()
        try place.run("keyfob uninstall --force -q > out").expectSuccess()
        let lines = try place.run("sed -n 's/^  //p' out").text.split(separator: "\n").filter { !$0.hasPrefix("sudo") }
        #expect(lines.first == "keyfob logout --all --forever", "\(lines)")
        for line in lines {
            try place.run(line.hasPrefix("keyfob logout") ? "\(line) --offline --yes" : String(line)).expectSuccess()
        }
        let left = try place.run("find data state key -type f").text
        #expect(left.isEmpty, "\(left)")
    }

    @Test("a folder that was a vault's once and holds something else is not named")
    func formerVault() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob init -q --vault old --recovery-file rest && rm -r old && mkdir old && echo x > old/mine")
            .expectSuccess()
        let outcome = try place.run("keyfob uninstall --dry-run").expectSuccess()
        #expect(!outcome.text.contains("\(place.path)/old"), "\(outcome)")
        #expect(outcome.text.contains("rm -r \(place.vault)"), "\(outcome)")
    }

    @Test("an agent that runs is ended, and locks first")
    func agent() throws {
        let place = try home()
        let outcome = try place.run(
            """
            keyfob agent > agent.out 2>&1 & agent=$!
            for i in $(seq 200); do keyfob status | grep -q '^agent' && break; sleep 0.05; done
            keyfob uninstall --force > out 2> err; echo $?; wait $agent; keyfob status | grep -c '^agent'
            """, deadline: 60)
        #expect(outcome.text == "0\n0\n", "\(outcome)")
        #expect(try place.run("cat err").text.contains("/agent"))
    }

    @Test("lines that a person wrote by hand stay, and are told of")
    func byHand() throws {
        let place = try Workplace.withVault()
        try place.run("git config --global credential.helper keyfob").expectSuccess()
        let outcome = try place.run("keyfob uninstall --force")
        let asks = try place.run("keyfob setup --json | jq '.tools[] | select(.tool == \"git\") | .asksKeyfob'").text
        #expect(outcome.status == (asks == "true\n" ? 74 : 0), "\(outcome)")
        #expect(try place.run("git config --global credential.helper").text == "keyfob\n")
    }
}
