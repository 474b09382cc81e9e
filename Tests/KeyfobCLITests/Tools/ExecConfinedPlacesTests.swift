import Foundation
import KeyfobTestSupport
import Testing

@testable import Keyfob
@testable import KeyfobCLI

/// What `keyfob exec --proxy --confine` finds by itself: keys that nobody names, what lies elsewhere, and programs.
@Suite(
    "Places of a confined program", .waitsForPrograms, .enabled(if: Privileges.canConfine, Privileges.whyNotConfined))
struct ExecConfinedPlacesTests {
    private let place: Workplace

    init() throws {
        place = try .withVault()
        try place.add("ada", token: "TOKEN-OF-ADA")
        try place.run("umask 077; mkdir -p work elsewhere .config .cache/tools && touch .bashrc").expectSuccess()
    }

    /// Runs a script of the shell behind the wall, in the folder `work`, after lines of a shell.
    private func behind(
        _ script: String, after lines: String = "", _ options: String = "", program: String = "sh ~/script"
    ) throws -> Outcome {
        try place.write("script", script)
        return try place.run(
            "\(lines)\ncd work && keyfob exec --proxy --confine --account ada \(options) -- \(program)")
    }

    @Test("keys and recovery files are empty that this call does not name")
    func keys() throws {
        let outcome = try behind(
            "cat ~/recovery ~/key ~/.config/keyfob.key ~/.config/other ~/keyfob-recovery.txt ~/other/keyring.db; cat ~/elsewhere/text ~/.config/text",
            after: """
                umask 077; mv key elsewhere/mine; cp elsewhere/mine key; cp elsewhere/mine .config/other; mkdir other
                for file in .config/keyfob.key keyfob-recovery.txt other/keyring.db; do echo MARKED > $file; done
                echo '# AGE-SECRET-KEY-' > elsewhere/text; printf %s 01234567890123456789012345678901 > .config/text
                export KEYFOB_KEY_FILE=$HOME/elsewhere/mine KEYFOB_VAULT=$HOME/other
                """, "--vault ~/data/keyfob")
        #expect(outcome.text == "# AGE-SECRET-KEY-\n01234567890123456789012345678901", "\(outcome)")
    }

    @Test("a key file that is given as a descriptor is empty by its name", arguments: ["/dev/fd/9", "/dev/stdin"])
    func descriptor(name: String) throws {
        try place.write("script", "wc -c < ~/elsewhere/mine")
        let outcome = try place.run(
            """
            mv key elsewhere/mine; unset KEYFOB_KEY_FILE; cd work
            keyfob exec --proxy --confine --account ada --key-file \(name) -- sh ~/script < ~/elsewhere/mine 9< ~/elsewhere/mine
            """)
        #expect(outcome.text == "0\n", "\(outcome)")
    }

    @Test("a key that comes while the vault is opened is empty too")
    func later() throws {
        try place.write("script", "cat ~/keyfob-recovery.txt")
        let outcome = try place.run(
            """
            unset KEYFOB_KEY_FILE; cd work; (sleep 2; echo MARKED > ~/keyfob-recovery.txt; cat ~/key) |
                keyfob exec --proxy --confine --account ada --key-file /dev/stdin -- sh ~/script
            """
        ).expectSuccess()
        #expect(outcome.text.isEmpty, "\(outcome)")
    }

    @Test("a file as standard input is not written, and output goes on")
    func standard() throws {
        try place.write(
            "script",
            """
            for file in /proc/self/fd/0 /dev/stdin; do (echo x >> $file) 2> /dev/null || echo kept; done
            (: > /proc/self/fd/0) 2> /dev/null || echo kept; echo error >> /dev/stderr
            mkdir a b; echo x > a/x; mv a/x b/x; ln b/x a/y; cat a/y; mkfifo pipe; cat pipe & echo piped > pipe; wait; echo out >> /dev/stdout
            """)
        let outcome = try place.run(
            "cd work; keyfob exec --proxy --confine --account ada -- sh ~/script < ~/.bashrc; test -s ~/.bashrc && echo written"
        )
        #expect(outcome.text == "kept\nkept\nkept\nx\npiped\nout\n", "\(outcome)")
        #expect(outcome.errors.contains("error\n"), "\(outcome)")
    }

    @Test("a pipe elsewhere is not written, though a mount that is read-only lets everybody")
    func pipe() throws {
        // Tests have their homes below folders that the program has empty ones of; a pipe is to lie elsewhere.
        try place.write(
            "line",
            """
            mount -t tmpfs none /mnt; mkfifo /mnt/pipe; cd work
            keyfob exec --proxy --confine --account ada -- sh -c '(echo x 1<> /mnt/pipe) 2> /dev/null || echo kept; ls /mnt'
            """)
        let outcome = try place.run("unshare -Urm sh line")
        let version = try place.run("$PYTHON -c 'import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))'")
            .text
        let hasLandlock = (Int(version.trimmingCharacters(in: .newlines)) ?? 0) >= 2
        #expect(outcome.text == (hasLandlock ? "kept\npipe\n" : "pipe\n"), "\(outcome)")
    }

    @Test("credentials in a folder of the program's are empty too")
    func credentials() throws {
        let outcome = try behind(
            "cat kube; (echo y > kube) && cat kube; mv kube kube2 2> /dev/null || echo kept",
            after: "echo MARKED > work/kube; export KUBECONFIG=$HOME/work/kube")
        #expect(outcome.text == "kept\n", "\(outcome)")
        #expect(try place.run("cat work/kube").text == "MARKED\n")
    }

    @Test("a folder of PATH in the program's folder works, and stays as it is")
    func environment() throws {
        let outcome = try behind(
            """
            mine; cat .venv/cfg; echo x > .venv/new && cat .venv/new
            (echo x > .venv/bin/mine) 2> /dev/null || echo kept
            for name in .venv .venv/bin; do mv $name there 2> /dev/null || echo kept; done
            """,
            after: """
                mkdir -p work/.venv/bin; echo cfg > work/.venv/cfg; printf '#!/bin/sh\necho ran\n' > work/.venv/bin/mine
                chmod +x work/.venv/bin/mine; export PATH=$HOME/work/.venv/bin:$PATH
                """)
        #expect(outcome.text == "ran\ncfg\nx\nkept\nkept\nkept\n", "\(outcome)")
    }

    @Test(
        "a program starts that lies where the program has an empty folder",
        arguments: ["~/.cache/tool", "~/.cache/tools/tool", "linked", "$TEMPORARY", "$TEMPORARY-link"])
    func program(name: String) throws {
        let outcome = try behind(
            "",
            after: """
                export TEMPORARY=$(mktemp /tmp/keyfob-confined-XXXXXX); trap 'rm -f $TEMPORARY*' EXIT
                printf '#!/bin/sh\necho ran\n' > $TEMPORARY; chmod +x $TEMPORARY; cp $TEMPORARY .cache/tool
                cp $TEMPORARY .cache/tools/tool; ln -s ~/.cache/tool bin/linked; ln -s $TEMPORARY $TEMPORARY-link
                """, program: name)
        #expect(outcome.text == "ran\n", "\(outcome)")
    }

    @Test("what lies elsewhere under another mount counts there too")
    func mounts() throws {
        try place.run("mkdir -p home/.ssh home/.local/bin run; ln -s / host; touch home/.netrc").expectSuccess()
        let path = place.path
        // A link stands for the mount, so that the names are there.
        let table = MountTable("22 1 254:0 / / rw - ext4 /dev/vda rw\n23 22 254:0 / \(path)/host rw - ext4 /dev/vda rw")
        let home = path + "/home"
        let places = ConfinedPlaces(
            KeyringLocation(vault: path + "/data/keyfob", state: path + "/state/keyfob", runtime: nil), keys: [],
            registeredHome: nil, mounts: table,
            Environment(variables: ["HOME": home, "XDG_RUNTIME_DIR": path + "/run"]))
        for name in ["/data/keyfob", "/run", "/home/.ssh", "/home/.netrc"] {
            #expect(places.hidden.contains(path + "/host" + path + name), "\(name)")
        }
        for (name, reason) in [
            ("/home", "your home"), ("/home/.local", "has keys or tokens"), ("/home/.local/bin", "your programs start"),
            ("/home/.ssh", "credentials"),
            ("/run", "is not to see"),
        ] {
            let found = places.reason(against: path + "/host" + path + name)
            #expect(found?.contains(reason) == true, "\(name): \(found ?? "")")
        }
        #expect(places.reason(against: path + "/host" + path + "/home/project") == nil)
    }

    @Test("a slash is one whatever sign stands on it")
    func signs() throws {
        let place = try Workplace()
        try place.run("mkdir -p home/.ssh").expectSuccess()
        let home = place.path + "/home"
        let places = ConfinedPlaces(
            KeyringLocation(vault: place.path + "/vault", state: place.path + "/state", runtime: nil), keys: [],
            registeredHome: nil, mounts: MountTable("22 1 254:0 / / rw - ext4 /dev/vda rw"),
            Environment(variables: ["HOME": home]))
        #expect(places.reason(against: home + "/.ssh/\u{301}work")?.contains("credentials") == true)
        #expect(places.reason(against: place.path + "/vault/\u{301}work")?.contains("is not to see") == true)
        let host = MountTable("22 1 254:0 / / rw - ext4 /dev/vda rw\n23 22 254:0 / /host rw - ext4 /dev/vda rw")
        #expect(host.otherNames(of: "/a/\u{301}b") == ["/host/a/\u{301}b"])
    }
}
