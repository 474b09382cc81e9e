import Foundation
import KeyfobTestSupport
import Testing

@Suite("A machine that is cut off from its sync", .waitsForPrograms) struct SyncStateTests {
    /// The words of the first machine.
    private func words(_ machines: SyncMachines) throws -> String {
        try machines.on("one", "printf %s $(keyfob sync status --json | jq -r .device.words)").expectSuccess().text
    }

    @Test("and was revoked says so with status 65, and comes back by the command that it names") func revoked() throws {
        let machines = try SyncMachines("one", "two")
        try machines.add("of-two", on: "two")
        try machines.settle()
        let said = try machines.on("one", "keyfob sync revoke two").expectSuccess()
        #expect(said.text.contains("of-two") == false)
        let outcome = try machines.on("two", "keyfob sync")
        #expect(outcome.status == 65 && outcome.errors.contains("most likely revoked"), "\(outcome)")
        let status = try machines.on("two", "keyfob sync status")
        #expect(status.status == 65 && status.text.contains("'keyfob sync join REMOTE WORDS' asks anew"))
        try machines.on("two", "keyfob sync status --json | jq -e '.state == \"shutOut\"'").expectSuccess()
        let first = try words(machines)
        try machines.on("two", "keyfob sync join -q remote \(first) --name again > words").expectSuccess()
        try machines.on("one", "keyfob sync approve -q $(cat words)").expectSuccess()
        try machines.on("two", "keyfob sync").expectSuccess()
        try machines.on("two", "keyfob sync status").expectSuccess()
    }

    @Test("a second sync at one place is refused, and told where two began at once") func twice() throws {
        let machines = try SyncMachines("one", "two")
        let three = """
            mkdir -p -m 700 three/run && head -c 32 /dev/urandom > three/key && chmod 600 three/key
            """
        try machines.run(three).expectSuccess()
        try machines.on("three", "keyfob init --quiet --recovery-file three/recovery").expectSuccess()
        let refused = try machines.on("three", "keyfob sync init remote")
        #expect(refused.status == 73 && refused.errors.contains("'keyfob sync join REMOTE WORDS' joins it"))
        // At once: neither saw the other's files.
        try machines.run("mkdir other").expectSuccess()
        try machines.on("three", "keyfob sync init -q other").expectSuccess()
        try machines.run("cp -a remote/devices/* other/devices/").expectSuccess()
        let told = try machines.on("three", "keyfob sync")
        #expect(told.status == 65 && told.errors.contains("has begun another sync at this place"), "\(told)")
        // The way out that approve and join name.
        try machines.on("three", "keyfob sync join other $(cat two/words)").expectError(73, "'keyfob sync leave'")
        try machines.on("three", "keyfob sync leave -q").expectSuccess()
        let first = try words(machines)
        try machines.on("three", "keyfob sync join -q remote \(first)").expectSuccess()
    }

    @Test("a request to be let in that got lost is written again") func request() throws {
        let machines = try SyncMachines("one", "two")
        try machines.run("mkdir -p -m 700 three/run && head -c 32 /dev/urandom > three/key && chmod 600 three/key")
            .expectSuccess()
        try machines.on("three", "keyfob init --quiet --recovery-file three/recovery").expectSuccess()
        let first = try words(machines)
        try machines.on("three", "keyfob sync join -q remote \(first) > three/words").expectSuccess()
        try machines.run("rm remote/devices/*/request").expectSuccess()
        try machines.on("one", "keyfob sync approve -q $(cat three/words)").expectError(64)
        try machines.on("three", "keyfob sync -q").expectSuccess()
        try machines.on("one", "keyfob sync approve -q $(cat three/words)").expectSuccess()
    }

    @Test("after its record of the sync was set back, it goes on once that is accepted") func accepted() throws {
        let machines = try SyncMachines("one", "two")
        try machines.on("one", "cp $XDG_DATA_HOME/keyfob/sync one/old").expectSuccess()
        try machines.add("of-one", on: "one")
        try machines.settle()
        try machines.on("one", "cp one/old $XDG_DATA_HOME/keyfob/sync").expectSuccess()
        try machines.on("one", "keyfob sync").expectError(65, "keyfob doctor --accept-rollback")
        try machines.on("one", "keyfob doctor --accept-rollback").expectSuccess()
        try machines.on("one", "keyfob sync").expectSuccess()
        try machines.add("later", on: "one")
        try machines.settle()
        #expect(try machines.accounts(on: "two") == ["later", "of-one"])
        try machines.on("two", "keyfob sync").expectSuccess()
    }

    @Test("a restore says where it goes, and goes there") func restore() throws {
        let machines = try SyncMachines("one", "two")
        try machines.add("kept", on: "one")
        try machines.settle()
        try machines.on("one", "keyfob backup -q --to b.age").expectSuccess()
        try machines.on("one", "keyfob account remove -q kept --force").expectSuccess()
        try machines.settle()
        let line = "keyfob restore b.age --bundle-identity one/recovery --force"
        let said = try machines.on("one", line).expectSuccess()
        #expect(said.errors.contains("goes to the other machines of the sync too"), "\(said)")
        try machines.settle()
        #expect(try machines.accounts(on: "two") == ["kept"])
        try machines.on("one", "keyfob account label -q kept mine").expectSuccess()
        try machines.add("other", on: "two")
        try machines.settle()
        for name in machines.names { #expect(try machines.accounts(on: name) == ["kept", "other"]) }
    }
}
