import Foundation
import KeyfobTestSupport
import Testing

@Suite("A backup that somebody else made, by the command", .waitsForPrograms)
struct BackupCommandTests {
    /// A vault with a backup, and a newer one among its backups that is forged with nothing but a public key: that of an
    /// identity beside the recovery key, since the age program here knows no post-quantum keys.
    private func home() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.add("ada", token: "ada's")
        try place.run("keyfob bind -q --tool gh ada").expectSuccess()
        try place.run(
            """
            set -e; umask 077; age-keygen 2> /dev/null >> recovery
            keyfob backup -q --recipient $(tail -n 1 recovery | age-keygen -y) --to true.age
            """
        ).expectSuccess()
        try place.run("mkdir -m 700 data/keyfob/backups").expectSuccess()
        try place.run(
            """
            tail -n 1 recovery > plain; age -d -i plain true.age | sed 's/"gh"/"az"/; s/:gh:/:az:/g' > lines
            # Under another name its place among the records is another one.
            for place in 1 2 3 4 5 6 7 8; do
                python3 -c '
            import hashlib, json, sys
            *lines, end, _ = open("lines", "rb").read().split(b"\\n")
            changed = next(line for line in lines if b":az:" in line)
            lines.remove(changed)
            lines.insert(int(sys.argv[1]), changed)
            digest = bytes(32)
            for line in lines:
                digest = hashlib.blake2b(digest + hashlib.blake2b(line, digest_size=32).digest(), digest_size=32).digest()
            end = json.loads(end)
            end["end"]["digest"] = digest.hex()
            open("forged", "wb").write(b"\\n".join(lines + [json.dumps(end).encode(), b""]))' $place
                age -r $(age-keygen -y plain) -o forged.age forged; chmod 600 forged.age
                keyfob backup --verify forged.age --bundle-identity plain 2>&1 | grep -q 'belongs before' || break
            done
            mv forged.age data/keyfob/backups/keyfob-20991231T235959Z.age
            """
        ).expectSuccess()
        return place
    }

    private let forged = "data/keyfob/backups/keyfob-20991231T235959Z.age"

    @Test("it is told from the owner's, and refused unless it is taken without what decides")
    func forgedBackup() throws {
        let place = try home()
        let owners = try place.run("keyfob backup --verify true.age --bundle-identity recovery").expectSuccess()
        #expect(owners.text.contains("made by its owner"), "\(owners)")
        let verified = try place.run("keyfob backup --verify \(forged) --bundle-identity recovery")
        #expect(verified.status == 65 && verified.text.contains("nothing shows who made it"), "\(verified)")
        #expect(!verified.text.contains("all is well"), "\(verified)")
        let before = try place.contents(of: "data")
        for options in ["--force", "", "--vault other --recovery-file new"] {
            let line = "keyfob restore \(forged) --bundle-identity recovery \(options)"
            try place.run(line).expectError(65, "nothing shows who made it", "--from-stranger")
        }
        #expect(try place.contents(of: "data") == before)
        let taken = try place.run("keyfob restore \(forged) --bundle-identity recovery --force --from-stranger")
        taken.expectSuccess()
        #expect(taken.errors.contains("left out: ") && taken.errors.contains("a stranger's backup"), "\(taken)")
        let bindings = try place.run("keyfob bindings").expectSuccess().text
        #expect(bindings.contains("gh") && !bindings.contains("az "), "\(bindings)")
    }

    @Test("the list and the doctor say so, where the recovery key is given")
    func listed() throws {
        let place = try home()
        let list = try place.run("keyfob backup -q > /dev/null; keyfob backup --list --bundle-identity recovery")
        list.expectSuccess()
        #expect(list.text.contains("nothing shows who  ") && list.text.contains("its owner  "), "\(list)")
        let doctor = try place.run("env -u KEYFOB_KEY_FILE keyfob doctor --identity recovery").text
        #expect(doctor.components(separatedBy: "nothing shows who made").count == 2, "\(doctor)")
        var documents = Documents()
        documents.add(
            "backup-list", try place.run("keyfob backup --list --json --bundle-identity recovery").text, from: "list")
        documents.add(
            "backup-verification",
            try place.run("keyfob backup --verify \(forged) --json --bundle-identity recovery").text, from: "verify")
        documents.add(
            "restore",
            try place.run("keyfob restore \(forged) --json --force --from-stranger --bundle-identity recovery").text,
            from: "restore")
        try documents.validate(in: place)
    }
}
