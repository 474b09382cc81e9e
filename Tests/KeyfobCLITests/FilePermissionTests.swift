import Foundation
import KeyfobTestSupport
import Testing

@Suite("Files that cannot be trusted", .waitsForPrograms)
struct FilePermissionTests {
    @Test(
        "a vault that others can reach, or that is elsewhere, is refused",
        arguments: [
            ("chmod 755 data/keyfob", "chmod 0700 it"), ("chmod 770 data/keyfob", "chmod 0700 it"),
            ("chmod 644 data/keyfob/keyring.db", "chmod 0600 it"),
            ("chmod 620 data/keyfob/keyring.db", "chmod 0600 it"),
            ("mv data/keyfob real && ln -s ../real data/keyfob", "symbolic link"),
            ("mv data/keyfob/keyring.db . && ln -s ../../keyring.db data/keyfob/keyring.db", "symbolic link"),
            ("ln data/keyfob/keyring.db another", "hard link"),
            ("rm data/keyfob/keyring.db && mkfifo -m 600 data/keyfob/keyring.db", "keyring.db"),
            ("rm data/keyfob/keyring.db && mkdir -m 700 data/keyfob/keyring.db", "keyring.db"),
        ])
    func vault(line: String, words: String) throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        try place.run(line).expectSuccess()
        for command in ["status", "token", "add --account eve --host git.example", "slot list"] {
            try place.run("keyfob \(command)", text: "x").expectError(78, "cannot be trusted", words)
        }
    }

    @Test("a vault of another user is refused", .enabled(if: Privileges.isRoot, "only root can give files away"))
    func otherOwner() throws {
        let place = try Workplace.withVault()
        try place.run("chown 12345 data/keyfob").expectSuccess()
        try place.run("keyfob status").expectError(78, "belongs to another user")
    }

    @Test(
        "a key file that is no key file is refused",
        arguments: [
            ("cp key data/keyfob/key", "data/keyfob/key", 78, "is in the vault's folder"),
            ("cp key data/keyfob/key && ln -s data/keyfob/key link", "link", 78, "is in the vault's folder"),
            ("chmod 644 key", "key", 78, "chmod 600 it"), ("chmod 640 key", "key", 78, "chmod 600 it"),
            ("true", "nowhere", 66, "there is no file nowhere"),
            ("mkdir -m 700 folder", "folder", 78, "is a folder"),
            ("mkfifo -m 600 pipe", "pipe", 74, "nothing came through the pipe"),
            ("head -c 31 key > short; chmod 600 short", "short", 78, "32 bytes"),
            (": > none; chmod 600 none", "none", 78, "32 bytes"),
            ("head -c 70000 /dev/zero > long; chmod 600 long", "long", 65, "holds more than"),
            ("head -c 32 /dev/urandom > wrong; chmod 600 wrong", "wrong", 77, "does not open the vault"),
        ] as [(String, String, Int32, String)])
    func keyFile(line: String, file: String, status: Int32, words: String) throws {
        let place = try Workplace.withVault()
        try place.run(line).expectSuccess()
        try place.run("keyfob verify --key-file \(file)").expectError(status, words)
    }

    @Test("a wrong identity opens nothing")
    func identity() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob verify --identity recovery").expectSuccess()
        // Not the key file: one in 256 begins with a "#", and is a comment.
        try place.run("printf 'x%031d' 7 > words; chmod 600 words; keyfob verify --identity words")
            .expectError(65, "is not an age identity")
        try place.run("keyfob init --quiet --vault other --recovery-file other-recovery").expectSuccess()
        try place.run("keyfob verify --identity other-recovery").expectError(77)
        try place.run("chmod 644 recovery; keyfob verify --identity recovery").expectError(78, "chmod 600 it")
    }

    @Test("a systemd credential is a key file")
    func credential() throws {
        let place = try Workplace.withVault()
        try place.run("mkdir -m 700 credentials && mv key credentials/").expectSuccess()
        try place.run("CREDENTIALS_DIRECTORY=$PWD/credentials keyfob verify --key-file key").expectSuccess()
    }

    @Test("where pages cannot be locked it works, and the doctor warns")
    func memoryLock() throws {
        let place = try Workplace.withVault()
        let drop = Privileges.isRoot ? "setpriv --inh-caps=-ipc_lock --bounding-set=-ipc_lock" : ""
        let limited = "\(drop) prlimit --memlock=0 keyfob"
        try place.run("\(limited) add --quiet --account ada --host git.example", text: "token").expectSuccess()
        #expect(try place.run("\(limited) token").expectSuccess().text == "token\n")
        let doctor = try place.run("\(limited) doctor").expectSuccess()
        #expect(doctor.text.contains("warning memory: pages cannot be locked"), "\(doctor)")
        try place.run("\(limited) init --quiet --vault second").expectSuccess()
    }
}
