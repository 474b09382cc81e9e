import Foundation
import Testing

@Suite("A full disk", .enabled(if: Privileges.canMount, "needs root, to mount a small file system"))
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
            printf 'first token' | keyfob add --quiet --account first --host git.example
            \(lines.joined(separator: "\n"))
            rm -f disk/filling
            keyfob verify
            test "$(keyfob token --account first)" = 'first token'
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
            "grep -q 'the disk is full; the vault is as it was before' message", "test $(wc -l < message) = 1",
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

    @Test("every change of the vault fails as a whole")
    func changes() throws {
        let place = try home()
        try place.makeKey("other")
        try onSmallDisk(
            place, kibibytes: 400, "keyfob group create work -q", "fill", "cp disk/vault/keyring.db before",
            "fails 74 keyfob account move first --to work", "fails 74 keyfob group create more",
            "fails 74 keyfob group rotate default", "fails 74 keyfob slot add key-file other",
            "fails 74 keyfob account remove first --force", "fails 74 keyfob init --vault disk/second",
            "fails 74 keyfob export --format msal disk/out.json", "test ! -e disk/out.json",
            "cmp before disk/vault/keyring.db",
            "test ! -e disk/second/keyring.db", "keyfob token --account first", "keyfob doctor"
        ).expectSuccess()
    }
}
