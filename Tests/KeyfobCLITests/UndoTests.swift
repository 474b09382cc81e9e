import Foundation
import KeyfobTestSupport
import Testing

@Suite("Undoing a removal by the command that is printed", .waitsForPrograms)
struct UndoTests {
    private func place() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.run("keyfob group create -q 'my work'").expectSuccess()
        try place.run("printf t | keyfob add -q --account ada --host git.example --group 'my work'").expectSuccess()
        return place
    }

    /// The command that a removal printed, as it is typed.
    private func printed(_ removed: Outcome) throws -> String {
        let command = try #require(removed.errors.firstMatch(of: /brings? it back: (keyfob .*)/))
        return String(command.output.1).replacing("RECOVERY-KEY-FILE", with: "recovery")
    }

    @Test("what is typed off the message brings an account or a group back", arguments: ["account", "group"])
    func undo(what: String) throws {
        let place = try place()
        let name = what == "account" ? "ada" : "'my work'"
        let removed = try place.run("keyfob \(what) remove \(name) --force").expectSuccess()
        try place.run("keyfob token --account ada").expectError(13)
        let command = try printed(removed)
        #expect(command.hasPrefix(what == "account" ? "keyfob undo " : "keyfob restore "), "\(removed)")
        try place.run(command).expectSuccess()
        #expect(try place.run("keyfob token --account ada").expectSuccess().text == "t\n")
        try place.run("keyfob verify").expectSuccess()
    }

    @Test("what meant an account that is gone comes back with its own undo, and the account with the next")
    func meanings() throws {
        let place = try place()
        try place.run("keyfob use -q ada && keyfob bind -q --url https://git.example/x ada").expectSuccess()
        let before = try place.run("keyfob bindings; keyfob account list").expectSuccess().text
        let removed = try place.run("keyfob account remove ada --force").expectSuccess()
        let advised = try #require(removed.errors.firstMatch(of: /'(keyfob account remove --unbind .*)' removes/))
        let unbound = try place.run("\(advised.output.1) --force").expectSuccess()
        #expect(unbound.errors.contains("removed what meant ada@git.example in group 'my work'"), "\(unbound)")
        _ = try printed(unbound)
        let first = try place.run("keyfob undo --yes").expectSuccess()
        #expect(first.errors.contains("1 binding ("), "\(first)")
        try place.run("keyfob undo --yes").expectSuccess()
        #expect(try place.run("keyfob bindings; keyfob account list").expectSuccess().text == before)
        // Of a name alone nothing is kept, and nothing is in the way of what brings the account back.
        try place.run(
            "keyfob unbind -q --url https://git.example/x && keyfob account default -q --none --group 'my work'"
        )
        .expectSuccess()
        try place.run("keyfob account remove -q ada --force && keyfob account remove -q --unbind ada --force")
            .expectSuccess()
        try place.run("keyfob undo --yes && keyfob token --account ada").expectSuccess()
    }

    @Test("the list says what a command chose, and by which command it was changed since, with what is typed")
    func changedSince() throws {
        let place = try place()
        try place.run(
            """
            set -e; printf t | keyfob add -q bob@git.example --group 'my work'
            keyfob use -q ada; keyfob use -q bob; keyfob account default -q ada
            """
        ).expectSuccess()
        let rows = try place.run("keyfob undo --list").expectSuccess().text.split(separator: "\n").dropFirst()
        let ids = rows.prefix(3).map { String($0.prefix { $0 != " " }) }
        #expect(rows.first?.contains("ada ") == true, "\(rows)")
        #expect(rows.first?.contains("sets back 1 setting (bob@git.example is the default account; now ada)") == true)
        let oldest = String(rows.dropFirst(2).first ?? "")
        let told = "the setting was changed since by 'use' (\(ids[1])); all the same: '"
        #expect(oldest.contains(told), "\(oldest)")
        let way = try #require(oldest.firstMatch(of: /all the same: '(keyfob undo .* --force)'/), "\(oldest)")
        try place.run("\(way.output.1)").expectSuccess()
        let listed = try place.run("keyfob account list").expectSuccess().text
        #expect(!listed.contains("*"), "\(listed)")
    }

    @Test(
        "where the account is not there the list and the undo say so, and what brings it back only where something does"
    )
    func gone() throws {
        let place = try place()
        try place.run("keyfob logout -q ada && keyfob account remove -q ada --force --forever").expectSuccess()
        #expect(!(try place.run("keyfob undo --list").expectSuccess().text.contains(" logout ")))
        try place.run("printf t | keyfob add -q --account ada --host git.example --group 'my work'").expectSuccess()
        try place.run("keyfob logout -q ada && keyfob account remove -q ada --force").expectSuccess()
        let listed = try place.run("keyfob undo --list").expectSuccess().text
        #expect(listed.contains("nothing: its account is not there") && !listed.contains("newer"), "\(listed)")
        let id = try #require(listed.split(separator: "\n").first { $0.contains(" logout ") }?.prefix { $0 != " " })
        let undone = try place.run("keyfob undo \(id) --dry-run").expectSuccess()
        #expect(undone.errors.contains("since the account is not in group 'my work'"), "\(undone)")
        #expect(undone.errors.contains("to see what brings that back: keyfob undo --list"), "\(undone)")
        try place.run("keyfob undo --yes && keyfob undo \(id) --yes").expectSuccess()
        #expect(try place.run("keyfob token --account ada").expectSuccess().text == "t\n")
    }

    @Test("without an id, an entry that cannot be undone is told with what can be typed, and no older one is taken")
    func newestAlone() throws {
        let place = try place()
        try place.run(
            """
            set -e; keyfob bind -q --tool t ada; keyfob account label -q ada x; keyfob account label -q ada y
            keyfob undo -q --list | awk '$4 == "account" && $5 == "label" { print $1 }' > ids
            """
        ).expectSuccess()
        let ids = try place.run("cat ids").expectSuccess().text.split(separator: "\n")
        #expect(ids.count == 2)
        // The older of the two was changed by the newer.
        let kept = try place.run("keyfob undo \(ids[1])")
        #expect(kept.status == 1 && kept.errors.contains("keyfob undo \(ids[1]) --force"), "\(kept)")
        let forced = try place.run("keyfob undo \(ids[1]) --force").expectSuccess()
        #expect(forced.errors.contains("keyfob: warning: lost by that"), "\(forced)")
        #expect(forced.errors.contains("lost by that: the account y"), "\(forced)")
        // What the newer one has changed is not what is there now.
        let none = try place.run("keyfob undo --yes")
        #expect(none.status == 1 && none.errors.contains("'account label' at"), "\(none)")
        #expect(none.errors.contains("--force") && none.errors.contains("to undo 'bind' before it"), "\(none)")
        try place.run("keyfob unbind -q --tool t").expectSuccess()
    }

    @Test("what is lost by --force is told with --quiet too, and with --json, and nothing where nothing is lost")
    func losses() throws {
        let place = try place()
        for options in ["--quiet", "--quiet --json"] {
            try place.run("keyfob account label -q ada x; keyfob account label -q ada y").expectSuccess()
            let ids = try place.run("keyfob undo --list | awk '$4 == \"account\" && $5 == \"label\" { print $1 }'")
            let older = try #require(ids.text.split(separator: "\n").dropFirst().first)
            let forced = try place.run("keyfob undo \(older) --force \(options)").expectSuccess()
            #expect(forced.errors == "keyfob: warning: lost by that: the account y as it is now\n", "\(forced)")
        }
        try place.run("printf t | keyfob add -q cleo@git.example").expectSuccess()
        #expect(try place.run("keyfob undo --quiet --force").expectSuccess().errors.isEmpty)
    }

    /// The id of the newest entry of a command.
    private func entry(_ command: String, _ place: Workplace) throws -> String {
        let listed = try place.run("keyfob undo --list").expectSuccess().text
        let line = try #require(listed.split(separator: "\n").first { $0.contains(" \(command) ") }, "\(listed)")
        return String(line.prefix { $0 != " " })
    }

    @Test("what is advised names the vault and how it is unlocked")
    func advisedOptions() throws {
        let (place, vault) = (try place(), "--vault data/keyfob --identity recovery")
        try place.run("keyfob account label -q ada x; keyfob account label -q ada y").expectSuccess()
        let added = try place.run("keyfob undo \(try entry("add", place)) --dry-run \(vault)").expectSuccess()
        #expect(added.errors.contains(" --force \(vault)\n"), "\(added)")
        let undone = try place.run("keyfob undo --yes \(vault)").expectSuccess()
        let typed = try #require(undone.errors.firstMatch(of: /to take that back: (keyfob .*)/), "\(undone)").output.1
        #expect(typed.hasSuffix(" \(vault)"), "\(undone)")
        let again = try place.run(String(typed)).expectSuccess()
        #expect(again.errors.contains("set back account y"), "\(again)")
    }

    @Test("--force is advised only where it puts something back")
    func forceHelps() throws {
        let place = try place()
        try place.run(
            "set -e; keyfob group create -q work; keyfob group rename -q work other; keyfob group create -q work"
        ).expectSuccess()
        let taken = try place.run("keyfob undo \(try entry("group rename", place))")
        #expect(taken.status == 1 && taken.errors.contains("another group is called 'work'"), "\(taken)")
        #expect(!taken.errors.contains("--force"), "\(taken)")
        try place.run("keyfob account label -q ada x; keyfob account label -q ada y").expectSuccess()
        let added = try place.run("keyfob undo \(try entry("add", place)) --dry-run").expectSuccess()
        #expect(added.errors.contains("--force"), "\(added)")
    }

    @Test("a label that comes back to an account which is there again is told as done")
    func label() throws {
        let place = try place()
        try place.run(
            """
            set -e; keyfob account label -q ada mine; keyfob account remove -q ada --force
            printf t2 | keyfob add -q --account ada --host git.example --group 'my work'
            """
        ).expectSuccess()
        let undone = try place.run("keyfob undo \(try entry("account remove", place))").expectSuccess()
        #expect(undone.errors.contains("1 label"), "\(undone)")
        #expect(try place.run("keyfob token --account mine").expectSuccess().text == "t2\n")
    }

    @Test("forgetting an entry of which nothing is kept says so, and that can still be undone")
    func forgetAddition() throws {
        let place = try place()
        let id = try entry("add", place)
        let told = try place.run("keyfob undo --clear \(id)").expectSuccess()
        #expect(told.errors.contains("it only added; to take that away: keyfob undo \(id)"), "\(told)")
        try place.run("keyfob undo \(id)").expectSuccess()
        try place.run("keyfob token --account ada").expectError(13)
    }

    @Test("the longest token that can be stored comes back too")
    func longest() throws {
        let place = try place()
        try place.run("head -c 1048576 /dev/zero | tr '\\0' a | keyfob add -q big@git.example").expectSuccess()
        let removed = try place.run("keyfob account remove big@git.example --force").expectSuccess()
        try place.run(try printed(removed)).expectSuccess()
        #expect(try place.run("keyfob token --account big@git.example | wc -c").expectSuccess().text == "1048577\n")
    }

    @Test("a vault that is named, and a recovery key that unlocked it, stand in the command too")
    func named() throws {
        let place = try place()
        let removed = try place.run(
            "keyfob account remove ada --force --vault data/keyfob --identity recovery"
        ).expectSuccess()
        #expect(removed.errors.contains("--vault data/keyfob --identity recovery\n"), "\(removed)")
        try place.run(try printed(removed)).expectSuccess()
        let group = try place.run("keyfob group remove 'my work' --force --vault data/keyfob --identity recovery")
        #expect(group.errors.contains("--vault data/keyfob --bundle-identity recovery\n"), "\(group)")
    }

    @Test(
        "without a backup, or for good, there is none, and nothing says that it can be undone",
        arguments: ["account remove ada --forever", "group remove 'my work' --no-backup"])
    func noBackup(command: String) throws {
        let place = try place()
        let removed = try place.run("keyfob \(command) --force").expectSuccess()
        #expect(!removed.errors.contains("bring it back"), "\(removed)")
        #expect(!FileManager.default.fileExists(atPath: place.path + "/data/keyfob/backups"))
        _ = try place.run("keyfob undo --yes")
        try place.run("keyfob token --account ada").expectError(13)
    }

    @Test("where the backup cannot be written nothing is removed, and the message says what to do")
    func unwritable() throws {
        let place = try place()
        try place.run("mkdir -p data/keyfob; printf x > data/keyfob/backups").expectSuccess()
        let refused = try place.run("keyfob group remove 'my work' --force")
        #expect(refused.status != 0 && refused.errors.contains("--no-backup"), "\(refused)")
        try place.run("keyfob token --account ada").expectSuccess()
        try place.run("keyfob group remove 'my work' --force --no-backup").expectSuccess()
    }

    @Test("an import that keeps everything out because it was removed says so, and how it comes in")
    func imported() throws {
        let place = try place()
        try place.run(
            """
            set -e; to=$(keyfob slot list --json | grep -o 'age1[0-9a-z]*' | head -1)
            keyfob export -q --to $to ada.age; keyfob account remove -q ada --force
            """
        ).expectSuccess()
        let kept = try place.run("keyfob import ada.age --bundle-identity recovery")
        #expect(kept.status == 65 && kept.errors.contains("removed here; the same with --bring-back"), "\(kept)")
        #expect(kept.errors.contains("nothing of ada.age was taken"), "\(kept)")
        let dry = try place.run("keyfob import ada.age --bundle-identity recovery --bring-back --dry-run")
            .expectSuccess()
        #expect(dry.text.contains("accounts  1 "), "\(dry)")
        #expect(!(try place.run("keyfob account list --wide").expectSuccess().text.contains("ada@")))
        try place.run("keyfob import ada.age --bundle-identity recovery --bring-back").expectSuccess()
        #expect(try place.run("keyfob account list --wide").expectSuccess().text.contains("ada@"))
    }

    @Test("a cache that others can read is warned of, and the advice ends that")
    func readable() throws {
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: 1).json())
        try place.run("chmod 644 cache.json").expectSuccess()
        let warned = try place.run("keyfob import cache.json").expectSuccess()
        #expect(warned.errors.contains("others can read the tokens in cache.json; 'chmod 600 cache.json'"), "\(warned)")
        let closed = try place.run("chmod 600 cache.json; keyfob import cache.json").expectSuccess()
        #expect(!closed.errors.contains("others can read"), "\(closed)")
    }

    @Test("a backup into a folder that is not there blames the folder, not the vault")
    func missingFolder() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob backup --to missing/x.age").expectError(
            66, "there is no folder missing/", "mkdir -p missing/")
        try place.run("keyfob backup --to missing").expectError(
            66, "there is no folder missing, and no backup was made; make it with 'mkdir -p missing'", "missing.age")
        #expect(try place.run("test -e missing").status == 1)
        try place.run("mkdir missing; keyfob backup --to missing/x.age").expectSuccess()
    }

    @Test("a cache of which every entry is left out is no success")
    func cache() throws {
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: 1).json())
        try place.run("keyfob import -q cache.json > out; keyfob account remove -q person0 --force").expectSuccess()
        let skipped = try place.run("keyfob import cache.json")
        #expect(skipped.errors.contains("--bring-back takes it in"), "\(skipped)")
        #expect(skipped.status == 65 || skipped.text.contains("other"), "\(skipped)")
        try place.write("broken.json", "{\"Account\": {\"x\": {\"home_account_id\": 5}}}")
        let broken = try place.run("keyfob import broken.json")
        #expect(broken.status == 65 && broken.errors.contains("nothing was imported"), "\(broken)")
    }
}
