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

    @Test(
        "with --vault, what is printed acts on that vault by its whole path, and of another one its own list is named")
    func named() throws {
        let place = try Workplace.withVault()
        try place.run(
            """
            keyfob init -q --vault other --recovery-file rest
            echo t | keyfob add -q --vault other --account ada --host git.example
            """
        ).expectSuccess()
        let lines = try place.run("keyfob uninstall --dry-run --vault other").expectSuccess().text
            .split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("  sudo") }.map { $0.dropFirst(2) }
        #expect(
            lines.filter { !$0.hasPrefix("rm \(place.path)/key") } == [
                "keyfob logout --all --forever --vault \(place.path)/other", "keyfob uninstall --vault \(place.vault)",
                "rm -r \(place.path)/other",
            ], "\(lines)")
        let hint = try place.run("keyfob uninstall --dry-run --vault other").errors
        #expect(!hint.contains("'keyfob uninstall --force'"), "\(hint)")
    }

    @Test("where something else lies in the folder, only the vault's own files are named to be removed")
    func shared() throws {
        let place = try Workplace.withVault()
        try place.run("cd \(place.vault) && echo x > mine && mkdir sub && echo y > sub/theirs").expectSuccess()
        let outcome = try place.run(
            "keyfob uninstall --dry-run --json | tee told.json | jq -r '.traces[] | select(.kind == \"vault\").note'")
        #expect(outcome.text.contains("2 other files"), "\(outcome)")
        try place.run("$(jq -r '.traces[] | select(.kind == \"vault\").command' told.json)").expectSuccess()
        let left = try place.run("cd \(place.vault) && find . -type f | sort").text
        #expect(left == "./mine\n./sub/theirs\n", "\(left)")
    }

    @Test("each entry of a tool that has to be named is taken out by its name")
    func entries() throws {
        let place = try Workplace.withVault()
        try place.write(".msmtprc", "account work\nhost smtp.example\nfrom a@example\n")
        try place.run(
            """
            chmod 600 .msmtprc && keyfob setup mail msmtp work --account ada --force -q
            keyfob setup kubectl 'a b' --scope s --force -q && keyfob setup kubectl other --scope s --force -q
            keyfob setup aws reader --role-arn arn:aws:iam::123456789012:role/reader --force -q
            """
        ).expectSuccess()
        let outcome = try place.run(
            "keyfob uninstall --force --json | jq -r '.traces[] | select(.kind == \"setup\") | .state, .command' | sort -u"
        )
        #expect(
            outcome.text == """
                keyfob setup aws --undo reader
                keyfob setup kubectl --undo 'a b'
                keyfob setup kubectl --undo other
                keyfob setup mail msmtp --undo work
                undone

                """, "\(outcome)")
        #expect(try place.run("cat .msmtprc").text == "account work\nhost smtp.example\nfrom a@example\n")
        #expect(try place.run("keyfob setup --json | jq '[.tools[] | select(.asksKeyfob)] | length'").text == "0\n")
    }

    @Test("of units those are ended that Keyfob comes with and are enabled, without systemd too")
    func units() throws {
        let place = try Workplace.withVault()
        try place.run(
            """
            unset XDG_CONFIG_HOME
            mkdir -p .config/systemd/user && cd .config/systemd/user
            mkdir default.target.wants timers.target.wants keyfob-agent.service.d
            touch keyfob-agent.service.d/mine.conf keyfob-sync-watch.service keyfob-mine.service
            ln -s $PWD/keyfob-mine.service default.target.wants/
            ln -s /usr/lib/systemd/user/keyfob-sync.timer timers.target.wants/
            ln -s /usr/lib/systemd/user/keyfob-backup@.timer timers.target.wants/keyfob-backup@daily.timer
            """
        ).expectSuccess()
        let units = "jq -r '.traces[] | select(.kind == \"unit\").what'"
        let found = try place.run("unset XDG_CONFIG_HOME; keyfob uninstall --dry-run --json | \(units)").text
        #expect(found == "keyfob-backup@daily.timer\nkeyfob-sync.timer\n")
        // Without a session bus systemctl fails, and the links go all the same.
        let end = "unset XDG_CONFIG_HOME DBUS_SESSION_BUS_ADDRESS; keyfob uninstall --force --quiet > out"
        try place.run("\(end); ! ls .config/systemd/user/timers.target.wants/*").expectSuccess()
        try place.run("ls .config/systemd/user/default.target.wants/keyfob-mine.service").expectSuccess()
    }

    @Test(
        "what fails is told with --quiet too",
        .enabled(if: !Privileges.isRoot, "the superuser may write into every folder"))
    func failing() throws {
        let place = try Workplace.withVault()
        try place.run(
            """
            unset XDG_CONFIG_HOME
            mkdir -p .config/systemd/user/timers.target.wants && cd .config/systemd/user/timers.target.wants
            ln -s /usr/lib/systemd/user/keyfob-sync.timer . && chmod 500 .
            """
        ).expectSuccess()
        let outcome = try place.run(
            """
            unset XDG_CONFIG_HOME DBUS_SESSION_BUS_ADDRESS; keyfob uninstall --force --quiet > out; s=$?
            chmod 700 .config/systemd/user/timers.target.wants; exit $s
            """)
        #expect(outcome.status == 74 && outcome.errors.contains("keyfob: keyfob-sync.timer: "), "\(outcome)")
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
