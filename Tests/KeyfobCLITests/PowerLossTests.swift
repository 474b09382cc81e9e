import Foundation
import KeyfobTestSupport
import Testing

@Suite("A loss of power", .waitsForPrograms)
struct PowerLossTests {
    @Test(
        "what a command has said to be done is on the disk",
        .enabled(if: Privileges.canMountImage, Privileges.whyNoImage))
    func durability() throws {
        let place = try Workplace(keyFile: "key")
        for key in ["key", "other"] { try place.makeKey(key) }
        try place.write(
            "script",
            """
            set -e
            truncate -s 16M image; mkfs.ext4 -q image; mkdir disk after; mount -o loop image disk
            # What the kernel has not written yet is not in the image, as after a loss of power.
            cut() { umount after 2>/dev/null || true; cp image copy; mount -o loop copy after; }
            after() { KEYFOB_VAULT=$PWD/after/vault keyfob "$@"; }
            export KEYFOB_VAULT=$PWD/disk/vault
            keyfob init -q --recovery-file disk/recovery; cut; after verify; after verify --identity after/recovery
            printf one | keyfob add -q --account ada --host git.example; cut; test "$(after token)" = one
            printf two | keyfob add -q --account ada --host git.example; cut; test "$(after token)" = two
            keyfob group create -q work; cut; after group list | grep -q work
            keyfob slot add -q key-file other; cut; after verify --key-file other
            keyfob group rotate -q default; cut; after group list | grep -q '^default.*#2'
            test "$(after token)" = two
            keyfob bind -q --host api.example ada; cut; after bindings | grep -q api.example
            keyfob backup -q --to disk/backup.age; cut; keyfob backup --verify after/backup.age --bundle-identity after/recovery
            keyfob export -q --format msal disk/out.json; cut; grep -q two after/out.json
            keyfob account move -q ada --to work; cut; test "$(after token --group work)" = two
            keyfob account remove -q ada --group work --force; cut; after verify; ! after token 2>/dev/null
            # It does lose what nobody has waited for.
            echo lost > disk/lost; cut; test ! -s after/lost
            """)
        try place.run("unshare --mount sh script").expectSuccess()
    }

    @Test(
        "where the disk does not confirm, nothing is said to be done, and the vault is as it was",
        arguments: [
            "add --account bob --host git.example", "account remove ada --force", "account label ada x", "bind ada",
            "group create work", "group rotate default", "slot add key-file other", "backup", "backup --to out.age",
            "export --format msal out.json", "init --vault second --recovery-file second-recovery",
        ])
    func unconfirmed(_ command: String) throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        try place.makeKey("other")
        let before = try place.run("keyfob account list; keyfob group list; keyfob slot list; keyfob bindings").text
        // fsync and fdatasync.
        let failing = "\(PythonScript.interpreter) \(PythonScript.path("forbidding")) EIO 74,75 keyfob"
        try place.run("\(failing) \(command)", text: "token").expectError(74)
        let after = try place.run("keyfob account list; keyfob group list; keyfob slot list; keyfob bindings").text
        #expect(after == before)
        #expect(try place.run("keyfob verify && keyfob token").expectSuccess().text.hasSuffix("\ntoken\n"))
        let left = try place.run("ls -d out.age out.json second/keyring.db data/keyfob/backups/* 2>/dev/null")
        #expect(left.text.isEmpty, "\(left)")
    }
}
