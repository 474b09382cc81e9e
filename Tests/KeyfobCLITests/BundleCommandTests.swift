import Foundation
import KeyfobTestSupport
import Testing

@Suite("Bundles and backups from the command line", .waitsForPrograms)
struct BundleCommandTests {
    private func place() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: 2).json())
        try place.run("umask 077; keyfob import --quiet cache.json > /dev/null; age-keygen -o id.txt 2>/dev/null")
            .expectSuccess()
        return place
    }

    @Test("the manual's way to read a backup with age and jq works as it stands there")
    func manual() throws {
        let place = try place()
        // The age program here knows no post-quantum keys.
        try place.run(
            "keyfob backup --quiet --recipient $(age-keygen -y id.txt) --to kept.age > /dev/null; mv id.txt recovery.txt"
        ).expectSuccess()
        let page = try place.run("keyfob man").expectSuccess().text
        let section = try #require(
            page.firstMatch(of: /\.SH READING A BACKUP WITHOUT KEYFOB\n([^\x{1}]*?)\.SH ENVIRONMENT/))
        let verbatim = try #require(section.output.1.firstMatch(of: /\.nf\n([^\x{1}]*?)\.fi/)).output.1
        let script = String(verbatim).replacing("\\-", with: "-").replacing("\\e", with: "\\")
        #expect(script.matches(of: /\| jq/).count == 3, "\(script)")
        let outcome = try place.run(script.replacing("keyfob-20261121T101500Z.age", with: "kept.age")).expectSuccess()
        let text = outcome.text
        #expect(text.contains("\"purpose\": \"backup\"") && text.contains("\"default\""), "\(outcome)")
        let tail = text.split(separator: "\n").map(String.init).suffix(4)
        #expect(Set(tail.prefix(2)) == ["person0@tenant-one.example", "person1@tenant-two.example"], "\(outcome)")
        let tokens = tail.suffix(2).map { $0.split(separator: "\t").map(String.init) }.sorted { $0[1] < $1[1] }
        try #require(tokens.map(\.count) == [3, 3] && tokens.allSatisfy { $0[0] == "default" }, "\(outcome)")
        #expect(tokens[0][1] == "uid0.tenant-one@login.microsoftonline.com", "\(outcome)")
        #expect(tokens[0][2].hasPrefix("token-rt-0-"), "\(outcome)")
    }

    @Test("on a terminal a passphrase is asked for twice and not shown, and asked for again to open")
    func typed() throws {
        let place = try place()
        let written = try place.onTerminal(
            "keyfob export typed.age",
            [("New passphrase for the bundle: ", "horse\n"), ("The same again: ", "horse\n")])
        #expect(
            written.status == 0 && written.echoes == [false, false] && !written.screen.contains("horse"), "\(written)")
        let wrong = [("New passphrase for the bundle: ", "horse\n"), ("The same again: ", "house\n")]
        let differing = try place.onTerminal("keyfob export other.age", wrong + wrong + wrong)
        #expect(differing.status == 64, "\(differing)")
        let read = try place.onTerminal(
            "keyfob import typed.age --dry-run", [("Passphrase of typed.age: ", "horse\n")])
        #expect(read.status == 0 && read.echoes == [false] && read.screen.contains("dry run of typed.age"), "\(read)")
        #expect(!FileManager.default.fileExists(atPath: place.path + "/other.age"))
    }

    @Test("a bundle is not written to a terminal, armored or not", arguments: ["", "--armor"])
    func terminal(option: String) throws {
        let run = try place().onTerminal("keyfob export \(option) -", [])
        #expect(run.status == 64 && run.screen.contains("not written to a terminal"), "\(run)")
    }

    @Test("where the backup before a new key cannot be made, the message names the way without, and that works")
    func withoutBackup() throws {
        let place = try place()
        try place.run(#"v=$(keyfob status | sed -n 's/^vault *//p'); rm -rf "$v/backups"; : > "$v/backups""#)
            .expectSuccess()
        let before = try place.run("keyfob group list").expectSuccess().text
        try place.run("keyfob group rotate default").expectError(74, "no backup could be made", "--no-backup")
        #expect(try place.run("keyfob group list").expectSuccess().text == before)
        try place.run("keyfob group rotate default --no-backup").expectSuccess()
        #expect(try place.run("keyfob group list").expectSuccess().text != before)
        try place.run("keyfob verify").expectSuccess()
    }

    @Test(
        "backups, exports, imports and restores take no more memory where there is more of it",
        .enabled(if: TestLength.isFull))
    func memory() throws {
        let place = try place()
        // Each line prints its command's peak in KiB.
        let peaks = try [2_000, 10_000].map { people in
            let text = try place.run(
                """
                set -e; umask 077; rm -rf of && mkdir of && cd of; head -c 64 /dev/urandom > key
                k() { python3 -c 'import resource, subprocess, sys
                subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
                print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' keyfob "$@" 2>/dev/null; }
                for v in a b; do keyfob init -q --vault $v --key-file key --recovery-file r$v >/dev/null; done
                python3 -c 'import json, sys
                id = lambda n: {"home_account_id": f"u{n}.t", "environment": "login.microsoftonline.com"}
                n = range(int(sys.argv[1]))
                print(json.dumps({"Account": {str(i): {**id(i), "realm": "t", "local_account_id": f"u{i}",
                    "username": f"u{i}@contoso.example", "authority_type": "MSSTS"} for i in n},
                  "RefreshToken": {str(i): {**id(i), "credential_type": "RefreshToken", "client_id": "tool",
                    "secret": "s" * 900 + str(i)} for i in n}}))' \(people) > cache.json
                keyfob import -q --vault a --key-file key cache.json > /dev/null
                k export --vault a --key-file key --to $(age-keygen -y rb) out.age
                k backup --vault a --key-file key --to kept.age
                k backup --vault a --key-file key --verify kept.age --bundle-identity ra
                k import --vault b --key-file key out.age --bundle-identity rb
                k import --vault b --key-file key out.age --bundle-identity rb --dry-run
                k import --vault b --key-file key out.age --bundle-identity rb --replace --force
                k restore --vault c --key-file key --recovery-file rc kept.age --bundle-identity ra
                k restore --vault a --key-file key kept.age --bundle-identity ra --force
                """
            ).expectSuccess().text
            return text.split(separator: "\n").compactMap { Int($0) }
        }
        #expect(peaks.allSatisfy { $0.count == 8 }, "\(peaks)")
        for (some, many) in zip(peaks[0], peaks[1]) { #expect(many < some + 24 << 10, "\(peaks)") }
    }

    @Test("before something is replaced a person is asked", arguments: ["replace", "restore"])
    func confirmation(word: String) throws {
        let place = try place()
        try place.run(
            """
            keyfob export --quiet --to $(age-keygen -y id.txt) good.age; keyfob backup --quiet --to kept.age > /dev/null
            printf token | keyfob add --quiet --account more --host git.example
            """
        ).expectSuccess()
        let line =
            word == "replace"
            ? "keyfob import good.age --replace --bundle-identity id.txt"
            : "keyfob restore kept.age --bundle-identity recovery"
        let before = try place.contents(of: "data")
        let refused = try place.onTerminal(line, [("Type '\(word)'", "yes\n")])
        #expect(refused.status == 15 && refused.screen.contains("nothing was changed"), "\(refused)")
        #expect(try place.contents(of: "data") == before)
        let agreed = try place.onTerminal(line, [("Type '\(word)'", "\(word)\n")])
        #expect(agreed.status == 0 && agreed.screen.contains("backed up what was there"), "\(agreed)")
        try place.run("keyfob token --account more").expectError(13)
        try place.run("keyfob backup --list").expectSuccess()
    }

    @Test("a vault that was lost comes back with everything but access tokens")
    func lost() throws {
        let place = try place()
        try place.run(
            """
            keyfob account label person0 Lab; keyfob backup --quiet --to kept.age; rm -r data state
            keyfob restore kept.age --bundle-identity recovery > recovery-new; chmod 600 recovery-new
            """
        ).expectSuccess()
        #expect(try place.run("cat recovery-new").text.wholeMatch(of: /AGE-SECRET-KEY-PQ-1[A-Z0-9]{58}\n/) != nil)
        try place.run("keyfob verify --identity recovery-new").expectSuccess()
        #expect(
            try place.run("keyfob account list --format '{username} {label}'").expectSuccess().text.contains(
                "person0@tenant-one.example Lab"))
        try place.run("keyfob token --offline --account person1 --tenant tenant-one").expectError(10)
        let grants = try place.document("keyfob status --json")["restoredGrants"] as? [[String: Any]]
        #expect(grants?.compactMap { $0["clientID"] as? String } == ["sample-client", "sample-client"])
    }

    @Test("of many at once the newest five and the first are kept, and the list has the newest first")
    func kept() throws {
        let place = try place()
        var made: [String] = []
        for _ in 0..<8 { made.append(try place.run("keyfob backup --quiet").expectSuccess().text) }
        let listed = try place.document("keyfob backup --list --json")["backups"] as? [[String: Any]]
        #expect(
            listed?.compactMap { $0["path"] as? String }
                == (made.suffix(5).reversed() + made.prefix(1)).map { $0.trimmingCharacters(in: .newlines) })
        let status = try place.document("keyfob status --json")["backups"] as? [String: Any]
        #expect(status?["count"] as? Int == 6 && status?["warning"] == nil)
    }

    @Test("the list needs neither key nor vault, and waits for no pipe that lies among the backups")
    func listWithoutVault() throws {
        let place = try place()
        try place.run("keyfob backup -q > /dev/null; keyfob group rotate -q default").expectSuccess()
        try place.run(
            "mkfifo data/keyfob/backups/keyfob-20991231T235959Z.age; ln -s ../../../id.txt data/keyfob/backups/x.age"
        )
        .expectSuccess()
        for damage in [
            "true", "printf x > data/keyfob/keyring.db", "rm data/keyfob/keyring.db data/keyfob/header.copy",
        ] {
            let list = try place.run("\(damage); env -u KEYFOB_KEY_FILE keyfob backup --list --no-input")
                .expectSuccess()
            let lines = list.text.split(separator: "\n")
            #expect(lines.count == 4, "\(list)")
            #expect(lines[1].contains(" -  ") && lines[2].contains("before a new key"), "\(list)")
            #expect(lines[3].contains("asked for"), "\(list)")
        }
        try place.run("rm -r data/keyfob/backups; keyfob backup --list").expectError(66)
    }

    @Test("what is left of a vault is not written over, but put aside whole")
    func leftovers() throws {
        let place = try place()
        try place.run("keyfob backup --quiet --to kept.age > /dev/null; rm data/keyfob/keyring.db").expectSuccess()
        try place.write("data/keyfob/keyring.db-journal", "what was to be rolled back")
        let before = try place.contents(of: "data")
        let line = "keyfob restore kept.age --bundle-identity recovery --recovery-file new"
        // The existing recovery key of another new vault is not written over either.
        try place.run(line.replacing("--recovery-file new", with: "--recovery-file recovery")).expectError(
            73, "recovery")
        // Neither is anything touched by a restore that comes to nothing.
        try place.run(line.replacing("kept.age", with: "key")).expectError(65)
        try place.run(line.replacing("--bundle-identity recovery", with: "--bundle-identity key")).expectError(65)
        #expect(
            try place.contents(of: "data").filter { $0.key != "keyfob/vault.lock" }
                == before.filter { $0.key != "keyfob/vault.lock" })
        #expect(!FileManager.default.fileExists(atPath: place.path + "/new"))
        try place.run(line).expectSuccess()
        try place.run("keyfob verify --identity new").expectSuccess()
        let aside = try #require(
            try place.contents(of: "data/keyfob").keys.first { $0.hasPrefix("put-aside-") }?.split(separator: "/").first
        )
        for name in ["header.copy", "keyring.db-journal"] {
            #expect(try place.read("data/keyfob/\(aside)/\(name)") == before["keyfob/" + name])
        }
    }

    @Test("a vault that opens is put aside only when that is asked for, and can be put back")
    func putAside() throws {
        let place = try place()
        try place.run("keyfob backup --quiet --to kept.age > /dev/null").expectSuccess()
        try place.add("later", token: "later")
        let line = "keyfob restore kept.age --bundle-identity recovery"
        let asked = try place.run(line)
        #expect(
            asked.status == 64 && asked.errors.contains("1 account would go, and there is nobody to ask"), "\(asked)")
        try place.run("\(line) --put-aside --recovery-file new").expectSuccess()
        try place.run("keyfob token --account later").expectError(13)
        let folder = "data/keyfob/put-aside-*"
        try place.run("rm data/keyfob/keyring.db data/keyfob/header.copy && mv \(folder)/* data/keyfob").expectSuccess()
        #expect(try place.run("keyfob doctor --accept-vault").status == 0)
        #expect(try place.run("keyfob token --account later").expectSuccess().text == "later\n")
    }

    @Test("another program's database is put aside only when that is asked for")
    func foreignDatabase() throws {
        let place = try place()
        try place.run("keyfob backup --quiet --to kept.age > /dev/null").expectSuccess()
        try place.python("vault_bytes", place.vault, "other-database")
        let line = "keyfob restore kept.age --bundle-identity recovery --recovery-file new"
        try place.run(line).expectError(65, "not Keyfob's", "--vault")
        try place.run("\(line) --put-aside").expectSuccess()
        try place.run("keyfob verify --identity new").expectSuccess()
    }
}
