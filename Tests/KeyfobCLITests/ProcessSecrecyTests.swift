import Foundation
import KeyfobTestSupport
import Testing

/// What other processes of the same user see of the command.
@Suite("What others see of a running command", .waitsForPrograms)
struct ProcessSecrecyTests {
    @Test("no option and no argument takes a secret: what is one comes from a file or a descriptor")
    func options() throws {
        struct Root: Decodable { let command: Command }
        struct Command: Decodable {
            let commandName: String
            let subcommands: [Command]?
            let arguments: [Argument]?

            /// All that takes a value, as `command --name value`.
            func values() -> [(command: String, name: String, value: String)] {
                let own = (arguments ?? []).filter { $0.kind != "flag" }.map { argument in
                    let names = (argument.names ?? []).map(\.name)
                    return (commandName, names.joined(separator: " "), argument.valueName ?? "")
                }
                return own + (subcommands ?? []).flatMap { $0.values() }
            }
        }
        struct Argument: Decodable {
            struct Name: Decodable { let name: String }
            let kind: String
            let names: [Name]?
            let valueName: String?
        }
        let place = try Workplace()
        let document = try place.run("keyfob --experimental-dump-help").output
        let values = try JSONDecoder().decode(Root.self, from: document).command.values()
        #expect(values.count > 100)
        let telling = /token|secret|pass|key|identity|recover|credential|assert|code|cookie|bearer|pin/
        for (command, name, value) in values where !name.isEmpty && name.contains(telling) {
            #expect(["n", "file"].contains(value), "keyfob \(command) --\(name) <\(value)>")
        }
        // What needs no name is an id, a name, a place, or which of several.
        let known: Set = [
            "account", "address", "client", "device", "entry", "file", "files", "id", "kind", "label", "machine",
            "name", "new-name",
            "operation", "path", "profile", "program", "provider", "remote", "scheme", "shell", "slot", "subcommands",
            "user", "user@host", "value", "words",
        ]
        // The desktop gives `redirect` an address with a code, as its arguments are all that a desktop file has: it is worth
        // nothing without the verifier, which the sign-in that waits keeps to itself.
        let unnamed = values.filter { $0.name.isEmpty && ($0.command, $0.value) != ("redirect", "url") }
        #expect(Set(unnamed.map(\.value)).isSubset(of: known))
    }

    @Test("no variable of the environment holds a secret")
    func variables() throws {
        let place = try Workplace.withVault()
        let sources = ProjectFolder.root.appending(path: "Sources").path
        let names = try place.run("grep -rhoE --include='*.swift' 'KEYFOB_[A-Z_]+' '\(sources)' | sort -u")
            .expectSuccess().text
        // Each is a name or a path, but for the address that programs of one's own have for as long as one of them runs.
        #expect(
            names.split(separator: "\n") == [
                "KEYFOB_ACCOUNT", "KEYFOB_AGENT", "KEYFOB_CA_FILE", "KEYFOB_ETCD_PASSWORD_FILE", "KEYFOB_GROUP",
                "KEYFOB_KEY_FILE", "KEYFOB_PAGER", "KEYFOB_PROXY", "KEYFOB_VAULT",
            ],
            "does the new one hold a secret, which every process of the user can read?")
    }

    @Test(
        "a secret that is typed as an argument is refused",
        arguments: [
            "add --account ada --host git.example hunter2", "slot add passphrase hunter2",
            "group grant default passphrase hunter2", "verify --passphrase hunter2", "token --token hunter2",
            "client add id --provider github --secret hunter2", "unlock hunter2",
            "request -H 'Authorization: Bearer hunter2' https://git.example/",
        ])
    func arguments(_ line: String) throws {
        let place = try Workplace.withVault()
        try place.add("bob", token: "token")
        let outcome = try place.run("keyfob \(line)").expectError(64)
        #expect(!(try place.run("keyfob account list").text.contains("ada")), "\(outcome)")
    }

    @Test("a running command's arguments, environment and working folder tell nothing of the secret that it reads")
    func lookedAt() throws {
        let place = try Workplace.withVault()
        // What it has read stands in its memory, while it waits for the end of its input.
        let outcome = try place.run(
            """
            mkfifo p; keyfob add -q --account ada --host git.example < p & pid=$!
            exec 9>p; printf SECRETTOKEN >&9
            # Until the program is in the shell's place, its arguments are this script.
            for try in $(seq 30000); do test "$(cat /proc/$pid/comm)" = keyfob && break; sleep 0.01; done
            sleep 0.2
            for process in $pid $(cat /proc/$pid/task/*/children); do
                tr '\\0' '\\n' < /proc/$process/cmdline; tr '\\0' '\\n' < /proc/$process/environ
            done > seen 2> refused
            exec 9>&-; wait $pid; grep -c KEYFOB_KEY_FILE seen; grep SECRET seen
            keyfob token
            """)
        // Nobody but root sees its environment.
        #expect(outcome.text == "\(Privileges.isRoot ? 1 : 0)\nSECRETTOKEN\n", "\(outcome)")
    }

    @Test("its own user looks into neither its memory nor its environment, and it leaves no core dump")
    func dumping() throws {
        let place = try Workplace.withVault()
        try place.write(
            "look",
            """
            ulimit -c unlimited 2>/dev/null || ulimit -c $(ulimit -H -c)
            mkfifo p; keyfob add -q --account ada --host git.example < p & pid=$!
            exec 9>p
            sleep 60 & other=$!
            # The program is in the shell's place, and has come so far.
            for try in $(seq 3000); do { true < /proc/$pid/mem; } 2>/dev/null || break; sleep 0.01; done
            for process in $other $pid; do
                for file in mem environ maps smaps auxv; do
                    { true < /proc/$process/$file; } 2>/dev/null && test $process = $pid && echo "$file can be read"
                    { true < /proc/$process/$file; } 2>/dev/null || test $process = $pid || echo "$file of any process?"
                done
            done
            grep 'Max core file size' /proc/$pid/limits | tr -s ' '
            kill -9 $pid $other; wait
            true
            """)
        // Whom the kernel lets look into everything is nobody to be kept out.
        let user = Privileges.isRoot ? "setpriv --inh-caps=-all --bounding-set=-all " : ""
        let outcome = try place.run("\(user)sh look 2>/dev/null")
        #expect(outcome.text == "Max core file size 0 0 bytes \n", "\(outcome)")
    }
}
