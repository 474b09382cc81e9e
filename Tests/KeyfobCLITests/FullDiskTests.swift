import Foundation
import KeyfobTestSupport
import Testing

@Suite("A full disk", .waitsForPrograms, .enabled(if: Privileges.canMount, Privileges.whyNoMount))
struct FullDiskTests {
    /// Runs lines in which `disk` is a file system of a few hundred KiB with a vault on it, and `fill` fills it up.
    private func onSmallDisk(_ place: Workplace, kibibytes: Int, _ lines: String...) throws -> Outcome {
        let script = """
            set -e
            export KEYFOB_VAULT=disk/vault
            fill() { dd if=/dev/zero of=disk/filling bs=1k 2>/dev/null || true; }
            fails() { want=$1; shift; "$@" 2>message && status=0 || status=$?; test "$status" = "$want" || { cat message; echo "$* ended with $status"; exit 1; }; \
            test "$(wc -l < message)" = 1 || { cat message; echo "not one line"; exit 1; }; }
            mkdir -p disk && mount -t tmpfs -o size=\(kibibytes)k,mode=700 none disk
            keyfob init --quiet --recovery-file recovery-small
            printf 'first-token' | keyfob add --quiet --account first --host git.example
            \(lines.joined(separator: "\n"))
            rm -f disk/filling
            keyfob verify
            test "$(keyfob token --account first)" = 'first-token'
            """
        try place.write("script", script)
        return try place.run("unshare --mount sh script")
    }

    private func home() throws -> Workplace {
        let place = try Workplace(["KEYFOB_KEY_FILE": "key"])
        try place.makeKey("key")
        return place
    }

    @Test("adding until it is full leaves what was stored")
    func adding() throws {
        let place = try home()
        try place.write("token", String(repeating: "t", count: 3_000))
        try onSmallDisk(
            place, kibibytes: 300,
            "i=0; while keyfob add --quiet --account more$i --host git.example < token 2>message; do i=$((i + 1)); test $i -lt 500; done",
            "grep -q 'the disk of .*/vault is full; the vault is as it was before' message",
            "test $(wc -l < message) = 1",
            "fails 74 keyfob add --account another --host git.example < token", "test $i -gt 3", "keyfob verify",
            "test $(keyfob account list --format x | wc -l) = $((i + 1))"
        ).expectSuccess()
    }

    @Test("an import that does not fit imports nothing")
    func importing() throws {
        let place = try home()
        try place.write("cache.json", SampleCache(people: 200).json())
        try onSmallDisk(
            place, kibibytes: 300, "fails 74 keyfob import cache.json", "keyfob verify",
            "test $(keyfob account list --format x | wc -l) = 1"
        ).expectSuccess()
    }

    @Test("what is printed leads from a disk without room, and from one that can only be read, to a vault that works")
    func drill() throws {
        let place = try home()
        try place.write("token", "another")
        try onSmallDisk(
            place, kibibytes: 2_000, "fill", "fails 74 keyfob add --account second --host git.example < token",
            "grep -q 'the vault is as it was before; make room and try again' message",
            "test \"$(keyfob token --account first)\" = 'first-token'",
            "rm disk/filling", "printf second | keyfob add --account second --host git.example",
            "mount -o remount,ro disk", "fails 74 keyfob add --account third --host git.example < token",
            "grep -q '/vault cannot be written: Read-only file system; the vault is as it was before; mount its disk' message",
            "keyfob doctor | grep -q 'warning vault: it can only be read: .*/vault: Read-only file system'",
            "keyfob doctor | grep -q \"tokens that last are answered, and 'keyfob backup --to FOLDER' backs it up\"",
            "test \"$(keyfob token --account second)\" = second",
            "fails 74 keyfob backup",
            "grep -q \"and no backup was made; 'keyfob backup --to FOLDER' writes one elsewhere\" message",
            "mkdir elsewhere", "keyfob backup --to elsewhere", "mount -o remount,rw disk",
            "printf third | keyfob add --account third --host git.example", "keyfob backup"
        ).expectSuccess()
    }

    @Test("every change of the vault fails as a whole")
    func changes() throws {
        let place = try home()
        try place.makeKey("other")
        try onSmallDisk(
            place, kibibytes: 400, "keyfob group create work -q", "fill", "cp disk/vault/keyring.db before",
            "fails 74 keyfob account move first --to work", "fails 74 keyfob group create more",
            "fails 74 keyfob group rotate default",
            "fails 74 keyfob rekey --keep-key-file key --recovery-file rekeyed -q",
            "grep -q 'the new recovery key in rekeyed opens nothing' message",
            "fails 74 keyfob slot add key-file other",
            "fails 74 keyfob account remove first --force", "fails 74 keyfob logout first",
            "fails 74 keyfob init --key-file key --vault disk/second",
            "fails 74 keyfob export --format msal disk/out.json", "test ! -e disk/out.json",
            "grep -q 'the disk of .*/disk is full: disk/out.json was not made' message",
            "cmp before disk/vault/keyring.db",
            "test ! -e disk/second/keyring.db", "keyfob token --account first", "keyfob doctor"
        ).expectSuccess()
    }

    @Test("another program's configuration is as it was, and is written when there is room")
    func setup() throws {
        try onSmallDisk(
            try home(), kibibytes: 400, "export GIT_CONFIG_GLOBAL=$PWD/disk/git", "git config --global user.name ada",
            "cp disk/git before", "fill", "fails 74 keyfob setup git --quiet --force",
            "grep -q 'the disk of .*/disk is full: .*/disk/git is as it was; make room and try again' message",
            "cmp before disk/git", "rm disk/filling", "keyfob setup git --quiet --force",
            "git config --global credential.helper | grep -q keyfob"
        ).expectSuccess()
    }

    @Test("on one that can only be read tokens are read, and a backup goes elsewhere")
    func readOnly() throws {
        try onSmallDisk(
            try home(), kibibytes: 400, "echo 'correct horse battery staple' > words",
            "keyfob slot add passphrase --quiet --kdf-memory 64 --new-passphrase-fd 3 3< words",
            "mount -o remount,ro disk", "fails 74 keyfob account label first Ada",
            "grep -q 'the vault is as it was before' message",
            "test \"$(KEYFOB_KEY_FILE= keyfob token --account first --passphrase-fd 3 3< words)\" = 'first-token'",
            "test \"$(keyfob token --account first)\" = 'first-token'", "fails 74 keyfob backup",
            "keyfob backup --quiet --to beside.age", "keyfob backup --quiet --to - > out.age",
            "for file in beside.age out.age; do keyfob backup --verify $file --bundle-identity recovery-small; done",
            "mount -o remount,rw disk"
        ).expectSuccess()
    }

    @Test("a bundle that does not fit is not there, and a restore that does not fit restores nothing")
    func bundles() throws {
        let place = try home()
        try place.write("cache.json", SampleCache(people: 200).json())
        try onSmallDisk(
            place, kibibytes: 400, "age-keygen -o id.txt 2>/dev/null", "chmod 600 id.txt", "to=$(age-keygen -y id.txt)",
            "keyfob init --quiet --vault large --recovery-file recovery-large",
            "keyfob import --quiet --vault large cache.json > /dev/null",
            "keyfob export --quiet --vault large --to $to large.age", "keyfob backup --quiet --to small-backup.age",
            "keyfob backup --quiet --vault large --to large-backup.age", "cp disk/vault/keyring.db before",
            "fails 74 keyfob import large.age --bundle-identity id.txt",
            "fails 74 keyfob restore large-backup.age --bundle-identity recovery-large --vault disk/second",
            "test ! -e disk/second/keyring.db", "rm -rf disk/second disk/vault/backups", "fill",
            "fails 74 keyfob restore small-backup.age --bundle-identity recovery-small --force",
            "fails 74 keyfob restore small-backup.age --bundle-identity recovery-small --vault disk/second",
            "fails 74 keyfob import large.age --bundle-identity id.txt --replace --force",
            "fails 74 keyfob backup", "grep -q 'the disk of .*/vault/backups is full' message",
            "fails 74 keyfob backup --to disk", "grep -q 'the disk of .*/disk is full: no backup was made' message",
            "fails 74 keyfob export --to $to disk/out.age",
            // The vault has room, and the place of the file has none.
            "fails 74 keyfob backup --vault large --to disk/b.age",
            "grep -q 'the disk of .*/disk is full: no backup was made' message",
            "fails 74 keyfob export --vault large --to $to disk/e.age",
            "grep -q 'the disk of .*/disk is full: disk/e.age was not made' message",
            "fails 74 keyfob restore --vault other small-backup.age --bundle-identity recovery-small --recovery-file disk/r",
            "grep -q 'the disk of .*/disk is full: disk/r was not made' message",
            "test ! -e disk/out.age", "test ! -e disk/second/keyring.db", "test $(ls disk/*.age | wc -l) = 0",
            "cmp before disk/vault/keyring.db"
        ).expectSuccess()
    }
}
