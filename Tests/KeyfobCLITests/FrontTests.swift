import Foundation
import KeyfobTestSupport
import Testing

/// Each line runs through the front and through the full program: same bytes, same status.
@Suite("The front", .waitsForPrograms)
struct FrontTests {
    private let place: Workplace

    init() throws {
        place = try Workplace.withVault()
        try FrontProgram.install(in: place)
    }

    private func addPeople(_ count: Int) throws {
        try place.write("cache.json", SampleCache(people: count).json())
        try place.run("keyfob import --quiet cache.json; rm cache.json").expectSuccess()
    }

    @Test("a sole account, a name and a binding are answered without the full program")
    func answered() throws {
        try place.add("ada", token: "token")
        #expect(try place.isAnsweredByFront("keyfob token"))
        #expect(try place.isAnsweredByFront("keyfob token --header --quiet --no-input --offline"))
        try place.add("bob", token: "other")
        #expect(try !place.isAnsweredByFront("keyfob token"))
        #expect(try place.isAnsweredByFront("keyfob token --account bob"))
        #expect(try place.isAnsweredByFront("KEYFOB_ACCOUNT=bob keyfob token"))
        try place.run("keyfob bind bob && mkdir sub").expectSuccess()
        #expect(try place.isAnsweredByFront("keyfob token"))
        #expect(try place.isAnsweredByFront("cd sub && keyfob token"))
        try place.run("keyfob bind --directory sub ada").expectSuccess()
        #expect(try place.run("PATH=$PWD/alone/bin:$PATH; cd sub && keyfob token").text == "token\n")
        // A project file decides once it is allowed, and while it is what it was.
        try place.run("mkdir sub/deeper && echo 'account = \"bob\"' > sub/deeper/.keyfob.toml").expectSuccess()
        #expect(try !place.isAnsweredByFront("cd sub/deeper && keyfob token"))
        try place.run("cd sub/deeper && keyfob allow .keyfob.toml").expectSuccess()
        #expect(try place.isAnsweredByFront("cd sub/deeper && keyfob token"))
        try place.run("echo '#' >> sub/deeper/.keyfob.toml").expectSuccess()
        #expect(try !place.isAnsweredByFront("cd sub/deeper && keyfob token"))
    }

    @Test("what a repository says is answered as the full program answers it, however odd the repository is")
    func repository() throws {
        try place.run(
            """
            for folder in bin one/bin alone/bin; do ln -s keyfob $folder/git-credential-keyfob; done
            git init -q app && git -C app remote add origin https://git.example/x/app && mkdir home
            """
        ).expectSuccess()
        for name in ["ada@contoso.example", "bob@fabrikam.example", "team", "eve"] { try place.add(name, token: name) }
        let email = "git config user.email"
        let ada = "\(email) ada@contoso.example"
        let personal = """
            printf '[includeIf "gitdir:**"]\\npath=i\\n' > ../home/.gitconfig
            printf '[user]\\nemail=eve@users.noreply.git.example\\n' > ../home/i
            """
        let cases: [(change: String, answer: String?)] = [
            ("git remote remove origin", nil), ("true", nil), (ada, "ada@contoso.example"),
            ("git remote set-url origin https://git.example/team/app", "team"),
            ("git remote set-url origin https://git.example/team/app && \(ada)", nil),
            ("\(email) 7+eve@users.noreply.git.example", "eve"),
            ("\(email) mallory@fabrikam.example", "bob@fabrikam.example"), ("\(ada) && chmod 666 .git/config", nil),
            ("\(ada) && git config include.path x", nil),
            ("\(ada) && head -c 1048577 /dev/zero >> .git/config", nil),
            ("\(ada) && mv .git/config c && ln -s ../c .git/config", "ada@contoso.example"),
            ("printf '[user]\\nemail=ada@contoso.example\\0\\n' >> .git/config", nil),
            (
                "printf '[user]\\nemail=ada@contoso.example\\n' > ../home/h; export GIT_CONFIG_GLOBAL=$PWD/../home/h",
                nil
            ),
            ("\(personal)\nexport HOME=$(cd ../home; pwd)", "eve"),
            ("export GIT_CONFIG_GLOBAL=$PWD/../home/.gitconfig HOME=", "eve"), ("export GIT_CONFIG_GLOBAL=", nil),
            (
                "mkdir -p ../home/git; cp ../home/.gitconfig ../home/git/config; cp ../home/i ../home/git\n"
                    + "export XDG_CONFIG_HOME=$PWD/../home", "eve"
            ),
        ]
        let asking = "printf 'protocol=https\\nhost=git.example\\n\\n' | git-credential-keyfob get"
        for (change, answer) in cases {
            for line in ["keyfob token", asking] {
                let line = "rm -rf again; cp -a app again; cd again\n\(change)\n\(line)"
                #expect(try place.isAnsweredByFront(line) == (answer != nil), "\(line)")
                guard let answer else { continue }
                #expect(try place.run(line).text.contains(answer), "\(line)")
            }
        }
    }

    /// Prints what git asks about GitHub, with more lines.
    private func asking(_ lines: String..., end: String = "\\n") -> String {
        "printf '\((["protocol=https", "host=github.com"] + lines).map { $0 + "\\n" }.joined())\(end)'"
    }

    @Test("git's helper is answered, and finds what git asks where the front hands it on")
    func helper() throws {
        try place.run("keyfob add --quiet --account octo --host github.com", text: "token").expectSuccess()
        try place.run(
            "for folder in bin one/bin alone/bin; do ln -s keyfob $folder/git-credential-keyfob; done"
        ).expectSuccess()
        for asking in [
            asking(), asking("username=octo"), asking("username=git"), asking("path=a/b.git"),
            asking("capability[]=authtype", "wwwauth[]=bearer"), asking("capability[]=authtype", "wwwauth[]=Basic x"),
            // As git itself asks: up to the end of the pipe.
            asking(end: ""), asking("username=octo", end: ""), asking("path=a/b.git", end: "username=git"),
            "(\(asking(end: "")); sleep 0.2; printf path=a)", "(\(asking(end: "")); sleep 0.2; echo; sleep 1)",
        ] {
            #expect(try place.isAnsweredByFront("\(asking) | git-credential-keyfob get"), "\(asking)")
            #expect(try place.isAnsweredByFront("\(asking) | keyfob helper git --quiet get"), "\(asking)")
        }
        for line in [
            "(\(asking(end: "")); sleep 4) | keyfob helper git get",
            "\(asking("host")) | keyfob helper git get", "keyfob helper git get < /dev/null",
            "keyfob helper git get <&-", "\(asking()) > asked; keyfob helper git get < asked",
            "(\(asking(end: "")); head -c 70000 /dev/zero | tr '\\0' x; echo) | keyfob helper git get",
            "\(asking()) | keyfob helper git get --url x", "\(asking()) | keyfob helper git",
            "\(asking()) | KEYFOB_ACCOUNT=eve keyfob helper git get",
            "\(asking("password=token")) | keyfob helper git erase",
            "\(asking("password=token", "state[]=keyfob:octo.github.com")) | keyfob helper git erase",
            "\(asking("password=x")) | keyfob helper git erase --account ' '",
            "\(asking("password=x")) | keyfob helper git store --account ' '",
            "\(asking("password=x")) | keyfob helper git store --json", "keyfob helper git store < /dev/null",
            "keyfob helper git later", "keyfob helper git capability --json",
        ] {
            #expect(try !place.isAnsweredByFront(line), "\(line)")
        }
    }

    @Test("where nothing is to be done for git, or nobody is meant, the front says so")
    func nothingToDo() throws {
        try place.run("keyfob add --quiet --account octo --host github.com", text: "token").expectSuccess()
        try place.add("ada", token: "other")
        let lines = [
            "\(asking("password=token")) | keyfob helper git store",
            "\(asking("password=token", end: "")) | keyfob helper git store --account octo",
            "printf 'x' | keyfob helper git store", "keyfob helper git capability", "keyfob helper git capability <&-",
            "\(asking("password=x")) | keyfob helper git erase", "\(asking()) | keyfob helper git erase",
            "\(asking("password=x", "username=octo", end: "")) | keyfob helper git erase",
            "\(asking("password=x", "username=nobody")) | keyfob helper git erase",
            "\(asking("host=other.example", "password=token")) | keyfob helper git erase",
            "\(asking("host=other.example")) | keyfob helper git get",
            "\(asking("username=nobody")) | keyfob helper git get",
            "\(asking("wwwauth[]=Negotiate")) | keyfob helper git get",
            "\(asking("protocol=http")) | keyfob helper git get", "\(asking("protocol=ssh")) | keyfob helper git get",
            "\(asking(end: "host=git.exam")) | keyfob helper git get",
            "echo quay.io | keyfob helper docker get", "echo http://ghcr.io | keyfob helper docker get",
        ]
        for line in lines { #expect(try place.isAnsweredByFront(line), "\(line)") }
        // Whom a binding means that is gone is told, and so is what is wrong with the vault.
        try place.run("keyfob bind -q --host other.example ada && keyfob account remove --force -q ada").expectSuccess()
        #expect(try !place.isAnsweredByFront("\(asking("host=other.example")) | keyfob helper git get"))
        // An empty vault has nobody for anything.
        try place.run("keyfob unbind -q --host other.example && keyfob account remove --force -q octo").expectSuccess()
        #expect(try place.isAnsweredByFront("\(asking()) | keyfob helper git get"))
    }

    @Test("an added provider is for the full program where its description names the host, and only there")
    func addedProvider() throws {
        try place.run("keyfob add --quiet --account octo --host github.com", text: "token").expectSuccess()
        try place.run("keyfob add --quiet --account ada --host git.example", text: "own").expectSuccess()
        try place.write(
            "forge.json",
            Data(
                """
                {"formatVersion": 1, "name": "forge", "title": "Forge", "issuer": "https://git.example",
                 "environment": "git.example", "apiHosts": ["*.api.git.example", "packages.example"],
                 "flows": ["authorizationCode"]}
                """.utf8))
        try place.run("keyfob provider add forge.json").expectSuccess()
        func asked(_ host: String) -> String { "\(asking("host=\(host)")) | keyfob helper git get" }
        for host in ["github.com", "git.example", "api.git.example", "other.example"] {
            #expect(try place.isAnsweredByFront(asked(host)), "\(host)")
        }
        for host in ["packages.example", "eu.api.git.example"] {
            #expect(try !place.isAnsweredByFront(asked(host)), "\(host)")
            #expect(try place.run(asked(host)).text.contains("password=own\n"))
        }
    }

    @Test("docker is answered, and has all that it asks where the front hands it on")
    func docker() throws {
        try place.run("keyfob add --quiet --account octo --host github.com", text: "token").expectSuccess()
        try place.run("for folder in bin one/bin alone/bin; do ln -s keyfob $folder/docker-credential-keyfob; done")
            .expectSuccess()
        for asking in ["echo ghcr.io", "printf ghcr.io", "echo ' https://ghcr.io/v2/ '"] {
            #expect(try place.isAnsweredByFront("\(asking) | docker-credential-keyfob get"), "\(asking)")
            #expect(try place.isAnsweredByFront("\(asking) | keyfob helper docker --quiet get"), "\(asking)")
        }
        for line in [
            "docker-credential-keyfob get < /dev/null",
            "printf '' | docker-credential-keyfob get",
            "echo ghcr.io > asked; docker-credential-keyfob get < asked", "docker-credential-keyfob get <&-",
            "(printf gh; sleep 4; echo cr.io) | docker-credential-keyfob get",
            "(echo ghcr.io; head -c 70000 /dev/zero | tr '\\0' x) | docker-credential-keyfob get",
            "echo ghcr.io | docker-credential-keyfob list", "echo ghcr.io | docker-credential-keyfob",
            "echo ghcr.io | KEYFOB_ACCOUNT=eve docker-credential-keyfob get",
        ] {
            #expect(try !place.isAnsweredByFront(line), "\(line)")
        }
        // What JSON writes as another text.
        try place.run(
            "keyfob account remove --force -q octo && keyfob add -q --account octo --host github.com", text: #"a"b\c"#
        )
        .expectSuccess()
        #expect(try !place.isAnsweredByFront("echo ghcr.io | docker-credential-keyfob get"))
    }

    @Test("kubectl is answered, and not where it asks for the same again")
    func kubectl() throws {
        try place.add("ada", token: "token")
        try place.run(
            """
            keyfob bind --quiet --host c.example:6443 ada && mkdir -m 700 -p run
            for folder in bin one/bin alone/bin; do ln -s keyfob $folder/kubectl-keyfob; done
            """
        ).expectSuccess()
        func asking(_ cluster: String, _ version: String = "v1") -> String {
            let text =
                #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/\#(version)","spec":{"cluster":\#(cluster)}}"#
            return "export XDG_RUNTIME_DIR=$PWD/run KUBERNETES_EXEC_INFO='\(text)'; rm -rf run/*; kubectl-keyfob"
        }
        let server = #""server":"https://c.example:6443""#
        for line in [asking("{\(server)}"), asking("{\(server)}", "v1beta1"), asking("{\(server)}") + " --account ada"]
        {
            #expect(try place.isAnsweredByFront(line), "\(line)")
        }
        for line in [
            asking("{}"), asking("{\(server)}", "v2"), asking(#"{"server":"https://d.example"}"#),
            asking(#"{"server":"http://c.example:6443"}"#), asking("{\(server)}") + " get",
            asking("{\(server),\"insecure-skip-tls-verify\":true}"),
            asking("{\(server),\"proxy-url\":\"http://p.example\"}"),
            asking("{\(server),\"tls-server-name\":\"d.example\"}"), "KUBERNETES_EXEC_INFO=x kubectl-keyfob",
            "kubectl-keyfob",
            asking("{\(server)}") + " > first; kubectl-keyfob",
        ] {
            #expect(try !place.isAnsweredByFront(line), "\(line)")
        }
    }

    @Test("tenants, clients, scopes and groups are told apart as by the full program")
    func restricted() throws {
        try addPeople(2)
        let name = "--account person0@tenant-one.example"
        for options in [
            "", "--tenant tenant-one", "--tenant common --scope mail.read", "-s mail.read --client sample-client",
        ] {
            #expect(try place.isAnsweredByFront("keyfob token \(name) \(options)"), "\(options)")
        }
        for options in [
            "--tenant tenant-two --scope other", "--client another", "--min-validity 80000", "--group other",
            "--account nobody", "--scope ' '", "--min-validity 86401", "--account ''", "--url http://x",
            "--url https://graph.microsoft.com/v1.0/me", "--resource https://graph.microsoft.com", "--vault nowhere",
            "--key-file nowhere", "--json", "--force-refresh", "--help", "ada", "--account=person0", "-q -q",
            "--tool x",
        ] {
            try place.runBoth("keyfob token \(name) \(options)")
        }
        try place.runBoth("keyfob token")
        try place.runBoth("keyfob token --account person")
    }

    @Test("what the owner should know is told by the full program")
    func warned() throws {
        try place.add("ada", token: "token")
        try place.run("cp data/keyfob/keyring.db earlier").expectSuccess()
        try place.run("keyfob add --quiet --account eve --host git.example", text: "new").expectSuccess()
        try place.run("cp data/keyfob/keyring.db later; cat earlier > data/keyfob/keyring.db").expectSuccess()
        // The full program tells it once in a login; the front hands on each time, until the owner accepts it.
        for state in ["earlier", "later"] {
            try place.run("cat \(state) > data/keyfob/keyring.db").expectSuccess()
            let told = try place.run("PATH=$PWD/one/bin:$PATH; keyfob token --account ada").expectSuccess()
            #expect(told.errors.contains("taken back") == (state == "earlier"), "\(told)")
            try place.run("PATH=$PWD/alone/bin:$PATH; keyfob token --account ada").expectError(69)
        }
        try place.run("keyfob doctor --accept-rollback").expectSuccess()
        #expect(try place.isAnsweredByFront("keyfob token --account ada"))
    }

    @Test(
        "a vault that is not plain is for the full program",
        arguments: [
            "touch data/keyfob/keyring.db-journal", "touch data/keyfob/keyring.db-wal", "mv data/keyfob gone",
            "sqlite data/keyfob/keyring.db 'PRAGMA journal_mode = WAL'",
            "sqlite data/keyfob/keyring.db 'PRAGMA user_version = 2'",
            "sqlite data/keyfob/keyring.db 'CREATE TABLE more (id)'",
            "sqlite data/keyfob/keyring.db 'PRAGMA application_id = 1'", "truncate -s 4096 data/keyfob/keyring.db",
            "chmod 640 data/keyfob/keyring.db", "chmod 755 data/keyfob", "ln data/keyfob/keyring.db second",
            "rm -r state", "chmod 644 key", "mv key data/keyfob/key; export KEYFOB_KEY_FILE=$PWD/data/keyfob/key",
            "mv data/keyfob real; ln -s $PWD/real data/keyfob",
            "rm data/keyfob/keyring.db; mkfifo -m 600 data/keyfob/keyring.db",
            "rm key; mkdir key", "head -c 31 key > short; chmod 600 short; mv short key", "unset HOME XDG_STATE_HOME",
            "unset KEYFOB_KEY_FILE", "export LD_PRELOAD=", "export KEYFOB_GROUP=other",
            "export KEYFOB_VAULT=data/other",
        ])
    func notPlain(_ change: String) throws {
        try place.add("ada", token: "token")
        let sqlite = """
            sqlite() { '\(PythonScript.interpreter)' -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()' "$@"; }
            """
        // Both meet the same state: the full program mends some of it.
        let line =
            "\(sqlite)\n(rm -rf w && mkdir w && cp -a data state run w/ 2>/dev/null; cp -a key w/; cd w; "
            + "export XDG_DATA_HOME=$PWD/data XDG_STATE_HOME=$PWD/state KEYFOB_KEY_FILE=$PWD/key; \(change); "
            + "keyfob token --account ada)"
        _ = try place.isAnsweredByFront(line)
    }

    /// A line whose output is a terminal.
    private static func onTerminal(_ line: String, columns: Int) -> String {
        "script -qec 'stty rows 24 cols \(columns); \(line) 2>&3' /dev/null 3>&2"
    }

    @Test(
        "descriptors, pipes, names and large environments change nothing",
        arguments: [
            ("keyfob token >&-", false), ("keyfob token > /dev/full", false), ("keyfob token <&- 2>&-", true),
            ("keyfob token --key-file <(cat key)", false), ("ln -sf $(command -v keyfob) other; ./other token", true),
            ("BIG=$(head -c 100000 /dev/zero | tr '\\0' x) keyfob token", true),
            ("keyfob token $(seq 1000)", false), ("KEYFOB_KEY_FILE=key KEYFOB_VAULT=data/keyfob/ keyfob token", true),
            ("cd data && keyfob token", true), ("mkdir d; cd d; rmdir ../d; keyfob token", true),
            ("keyfob token --account $(printf '\\377')", false), ("XDG_RUNTIME_DIR=relative keyfob token", true),
            ("keyfob", true), ("keyfob -h", true), ("keyfob --help", true), ("keyfob help", true),
            ("keyfob --help >&-", false),
            ("COLUMNS=60 keyfob --help", false), (Self.onTerminal("keyfob --help", columns: 79), false),
            (Self.onTerminal("keyfob --help", columns: 80), true), (Self.onTerminal("keyfob", columns: 200), false),
            (Self.onTerminal("keyfob -h", columns: 0), true), ("keyfob help token", false), ("keyfob --version", true),
            ("keyfob --version >&-", false),
            ("keyfob --version > /dev/full", false), ("keyfob --version --json", false), ("keyfob account list", false),
        ])
    func surroundings(_ line: String, isAnswered: Bool) throws {
        try place.add("ada", token: "token")
        let line = line.contains("<(") ? "cat > s.sh <<'END'\n\(line)\nEND\nbash s.sh" : line
        #expect(try place.isAnsweredByFront(line) == isAnswered)
    }

    @Test("it needs neither the path nor its own name, and a program that is not one is told")
    func fullProgram() throws {
        try place.add("ada", token: "token")
        for line in [
            "env PATH= $PWD/one/bin/keyfob token --json | head -c 1",
            "(exec -a git $PWD/one/bin/keyfob status >/dev/null)",
        ] {
            try place.run("bash -c '\(line)'").expectSuccess()
        }
        // Less memory than the full program needs is enough for a token.
        #expect(try place.run("ulimit -v 120000; one/bin/keyfob token").text == "token\n")
        try place.run("ulimit -v 120000; one/bin/keyfob status").expectError(69, "may map 117 MB", "ulimit -v")
        try place.run("rm one/libexec/keyfob/keyfob; echo > one/libexec/keyfob/keyfob").expectSuccess()
        #expect(try place.run("one/bin/keyfob token").text == "token\n")
        try place.run("one/bin/keyfob status").expectError(69, "cannot be started", "install it again")
        // The front in the place of the full program would start itself for ever.
        try place.run("ln -f one/bin/keyfob one/libexec/keyfob/keyfob").expectSuccess()
        try place.run("one/bin/keyfob status").expectError(69, "install it again")
        // From a folder that is gone.
        try place.run("cp -r one two; cp two/bin/keyfob k; rm -r two").expectSuccess()
        try place.run("cd /; \(place.path)/k status").expectError(69)
    }

    @Test(
        "on a terminal its messages are broken between words, as those of the full program are", arguments: Screen.all)
    func wrapped(screen: Screen) throws {
        let line = "sh -c 'ulimit -n 12; exec \"$0\" status'"
        let said = try ["one/bin/keyfob", "bin/keyfob"].map { try place.onTerminal("\(line) \($0)", on: screen) }
        let rows = screen.expectKept(said[0])
        let text = rows.flatMap(Screen.words).joined(separator: " ")
        #expect(text.contains("may open 12 files and needs 16; raise the limit ('ulimit -n')"), "\(said)")
        #expect(said[0].screen == said[1].screen && said[0].status == 69 && said[1].status == 69)
        let alone = try place.onTerminal("alone/bin/keyfob status", on: screen)
        let words = screen.expectKept(alone).flatMap(Screen.words).joined(separator: " ")
        #expect(
            words.contains("keyfob: the rest of keyfob, ") && words.hasSuffix("cannot be started; install it again"))
    }

    @Test("a token that is taken in parts comes whole, and one that is cut off is an error")
    func parts() throws {
        let token = String(repeating: "t", count: 200_000)
        try place.add("ada", token: token)
        #expect(try place.run("PATH=$PWD/alone/bin:$PATH; keyfob token | (sleep 0.2; cat)").text == token + "\n")
        // The reader goes once it has had the first of more than a pipe holds.
        let line = "PATH=$PWD/alone/bin:$PATH; (keyfob token; echo $? > status) | head -c 10 > /dev/null; cat status"
        let outcome = try place.run(line)
        #expect(outcome.text == "74\n" && outcome.errors == "keyfob: standard output took only a part\n")
    }

    @Test(
        "a key file or a folder of somebody else is refused",
        .enabled(if: Privileges.isRoot, "only root gives files away"))
    func foreign() throws {
        try place.add("ada", token: "token")
        for line in [
            "chown 12345 key", "chown 0 key; chown 12345 data/keyfob",
            "chown 0 data/keyfob; chown 12345 data/keyfob/keyring.db",
        ] {
            try place.run(line).expectSuccess()
            #expect(try !place.isAnsweredByFront("keyfob token"), "\(line)")
        }
    }

    @Test("each option of the front is one of the full program's, of the same kind")
    func table() throws {
        struct Named: Decodable {
            let kind: String
            let name: String
        }
        struct Argument: Decodable {
            let kind: String
            let names: [Named]?
        }
        struct Command: Decodable {
            let commandName: String
            let subcommands: [Command]?
            let arguments: [Argument]?
        }
        struct Root: Decodable {
            let command: Command
        }
        let dump = try place.run("keyfob --experimental-dump-help")
        let root = try JSONDecoder().decode(Root.self, from: dump.output).command
        let token = try #require(root.subcommands?.first { $0.commandName == "token" })
        var kinds: [String: String] = [:]
        for argument in token.arguments ?? [] {
            for name in argument.names ?? [] { kinds[(name.kind == "long" ? "--" : "-") + name.name] = argument.kind }
        }
        for row in FrontTable.rows {
            for spelling in row.spellings {
                #expect(kinds[spelling] == (row.takesValue ? "option" : "flag"), "\(spelling)")
            }
        }
    }
}
