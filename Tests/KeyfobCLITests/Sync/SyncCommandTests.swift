import Foundation
import KeyfobTestSupport
import Testing

@Suite("Synchronising by the command", .waitsForPrograms)
struct SyncCommandTests {
    @Test(
        "three machines come to the same, over each kind of remote", arguments: SyncPlace.allCases)
    func spreading(place: SyncPlace) throws {
        let machines = try SyncMachines("one", "two", "three", at: place)
        for name in machines.names { try machines.add("of-\(name)", on: name) }
        try machines.settle()
        for name in machines.names {
            #expect(try machines.accounts(on: name) == ["of-one", "of-three", "of-two"])
        }
        try machines.on("two", "keyfob account remove -q of-one --force").expectSuccess()
        try machines.settle()
        for name in machines.names { #expect(try machines.accounts(on: name) == ["of-three", "of-two"]) }
        let quiet = try machines.on("one", "keyfob sync --json | jq -c '[.changed, .hasPublished, .bytes]'")
        #expect(quiet.expectSuccess().text == "[0,false,0]\n")
        guard place == .git else { return }
        // What was is gone: one commit, no parent, and no name of anybody.
        #expect(try machines.run("git -C remote.git log --all --format='%P%an%s'").text == "keyfobsync\n")
        try machines.run("git -C remote.git ls-tree -r --name-only keyfob-sync | grep -vE '^devices/[0-9a-f]{24}/'")
            .expectStatus(1)
    }

    @Test("machines that synchronise at once lose nothing", arguments: [SyncPlace.folder, .git, .etcd])
    func atOnce(place: SyncPlace) throws {
        let machines = try SyncMachines("one", "two", at: place)
        for round in 0..<3 {
            for name in machines.names { try machines.add("\(name)-\(round)", on: name) }
            // Each twice: two processes at one vault, and two vaults at one remote.
            let lines = machines.names.flatMap { name in
                (0..<2).map { _ in "(\(SyncMachines.home(name))keyfob sync -q || echo failed) &" }
            }
            let outcome = try machines.run(lines.joined(separator: "\n") + "\nwait")
            #expect(outcome.text.isEmpty && outcome.errors.isEmpty, "\(outcome)")
        }
        try machines.settle()
        #expect(try machines.accounts(on: "one").count == 6)
        #expect(try machines.accounts(on: "one") == machines.accounts(on: "two"))
        #expect(try machines.on("one", "keyfob sync status").expectSuccess().text.contains("warning") == false)
    }

    @Test("a synchronisation that is killed at any moment loses nothing, and the next one goes on")
    func killed() throws {
        let machines = try SyncMachines("one", "two")
        var killed = 0
        for round in 0..<TestLength.rounds(6, full: 200) {
            try machines.add("account-\(round)", on: round.isMultiple(of: 2) ? "one" : "two")
            for name in machines.names {
                let after = Double(round % 12) * 0.006
                let outcome = try machines.on(name, "timeout --signal=KILL \(after + 0.002) keyfob sync -q")
                if outcome.status == 137 { killed += 1 }
            }
        }
        try machines.settle()
        #expect(killed > 0)
        let accounts = try machines.accounts(on: "one")
        #expect(accounts.count == TestLength.rounds(6, full: 200))
        #expect(try machines.accounts(on: "two") == accounts)
        for name in machines.names {
            let status = try machines.on(name, "keyfob sync status").expectSuccess().text
            #expect(!status.contains("warning"), "\(status)")
            try machines.on(name, "keyfob verify").expectSuccess()
        }
    }

    @Test("an old state that is put back is told of with status 65, the others go on, and the owner may accept it")
    func rollback() throws {
        let machines = try SyncMachines("one", "two", "three")
        try machines.run("cp -a remote/devices old").expectSuccess()
        for name in ["two", "three"] { try machines.add("of-\(name)", on: name) }
        try machines.settle()
        // The folder of the second machine alone.
        let words = try machines.on("two", "keyfob sync status --json | jq -r .device.words").text
        let folder = try machines.run(
            """
            for folder in old/*; do
                cmp -s $folder/head.age remote/devices/$(basename $folder)/head.age || basename $folder
            done
            """
        ).text.split(separator: "\n").map(String.init)
        #expect(folder.count >= 2 && !words.isEmpty)
        for name in folder {
            try machines.run("rm -r remote/devices/\(name) && cp -a old/\(name) remote/devices/").expectSuccess()
        }
        let outcome = try machines.on("one", "keyfob sync")
        #expect(
            outcome.status == 65 && outcome.errors.contains("somebody has put an old one in its place"), "\(outcome)")
        #expect(try machines.accounts(on: "one") == ["of-three", "of-two"])
        #expect(try machines.on("one", "keyfob sync status").text.contains("keyfob sync accept"))
        // The machines write their states again, and say why.
        _ = try machines.on("two", "keyfob sync")
        _ = try machines.on("three", "keyfob sync")
        for name in machines.names { try machines.on("one", "keyfob sync accept -q \(name)").expectSuccess() }
        try machines.on("one", "keyfob sync -q").expectSuccess()
    }

    @Test("who leaves is named where others synchronise, and knows of no sync", arguments: SyncPlace.allCases)
    func leaving(place: SyncPlace) throws {
        let machines = try SyncMachines("one", "two", at: place)
        try machines.add("of-two", on: "two")
        try machines.settle()
        #expect(try machines.on("one", "keyfob sync repair").errors.contains("told everything anew"))
        #expect(try machines.on("two", "keyfob sync").errors.contains("nothing new from others"))
        #expect(try machines.on("two", "keyfob sync leave").errors.hasPrefix("left the sync"))
        try machines.on("two", "keyfob sync status").expectError(78, "the vault is not in a sync")
        try machines.on("two", "ls $XDG_STATE_HOME/keyfob | grep sync-").expectStatus(1)
        #expect(try machines.accounts(on: "two") == ["of-two"])
        #expect(try machines.on("one", "keyfob sync --json | jq -c .left").expectSuccess().text == "[\"two\"]\n")
        #expect(try machines.on("one", "keyfob sync status").expectSuccess().text.contains(" left "))
        try machines.on("one", "keyfob sync leave --here-only --json | jq -e '.isTold == false'").expectSuccess()
    }

    @Test("who has made new keys leaves by the line that is printed")
    func leavingRekeyed() throws {
        let machines = try SyncMachines("one", "two")
        try machines.settle()
        try machines.on("one", "keyfob rekey -q --recovery-file new --force").expectSuccess()
        let refused = try machines.on("one", "keyfob sync leave")
        #expect(refused.status == 78 && refused.errors.contains("'keyfob sync leave --here-only'"), "\(refused)")
        try machines.on("one", "keyfob sync leave -q --here-only").expectSuccess()
        try machines.on("one", "keyfob sync status").expectError(78, "the vault is not in a sync")
    }

    @Test("the document of a revocation names who is out with it")
    func revocation() throws {
        let machines = try SyncMachines("one", "two")
        try machines.run("mkdir -p -m 700 three/run && head -c 32 /dev/urandom > three/key && chmod 600 three/key")
            .expectSuccess()
        let line = """
            keyfob init --quiet --recovery-file three/recovery
            keyfob sync join -q remote $(cat two/words) --name three > three/words
            """
        try machines.on("three", line).expectSuccess()
        try machines.on("two", "keyfob sync approve -q $(cat three/words)").expectSuccess()
        for name in ["three", "one"] { try machines.on(name, "keyfob sync -q").expectSuccess() }
        let text = try machines.on("one", "keyfob sync revoke two --json | jq -c '.revoked.alsoOut'").expectSuccess()
            .text
        #expect(text.contains("three ("), "\(text)")
    }

    @Test("what the timer runs asks nothing and says nothing where all is well")
    func timer() throws {
        let service = try String(
            contentsOf: ProjectFolder.root.appending(path: "Packaging/keyfob-sync.service"), encoding: .utf8)
        let command = try #require(service.firstMatch(of: /ExecStart="@BIN@\/keyfob"(.*)/)).output.1
        let machines = try SyncMachines("one", "two")
        let outcome = try machines.on("one", "keyfob\(command)").expectSuccess()
        #expect(outcome.text.isEmpty && outcome.errors.isEmpty)
        try machines.on("one", "unset KEYFOB_KEY_FILE\nkeyfob\(command)").expectError(12)
    }

    @Test("a place that is not there, or that git cannot reach, changes nothing")
    func missing() throws {
        let machines = try SyncMachines("one", "two")
        try machines.run("mv remote away").expectSuccess()
        try machines.on("one", "keyfob sync").expectError(66, "there is no folder", "'keyfob sync leave --here-only'")
        try machines.run("mv away remote").expectSuccess()
        try machines.on("one", "keyfob sync -q").expectSuccess()
        let alone = try Workplace.withVault()
        // What is printed makes the place, and then the sync begins there.
        for (remote, missing, way) in [
            ("a/b/c", "there is no folder \(alone.path)/a;", "mkdir -p \(alone.path)/a/b/c/"),
            ("nowhere.git", "there is no repository", "git init --bare \(alone.path)/nowhere.git"),
            ("git+nowhere", "there is no repository", "git init --bare \(alone.path)/nowhere"),
        ] {
            try alone.run("keyfob sync join \(remote)").expectError(66, "name the place as this machine sees")
            try alone.run("keyfob sync init \(remote)").expectError(66, missing, "make it with '\(way)'")
            try alone.run("keyfob sync").expectError(78)
            try alone.run("\(way); keyfob sync init -q \(remote) && keyfob sync leave -q").expectSuccess()
        }
    }
}

extension Outcome {
    /// Expects a status and nothing else.
    fileprivate func expectStatus(_ status: Int32) throws { #expect(self.status == status, "\(self)") }
}
