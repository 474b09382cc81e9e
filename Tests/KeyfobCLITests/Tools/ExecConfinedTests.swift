import Foundation
import KeyfobTestSupport
import Testing

/// `keyfob exec --proxy --confine` against a program that looks for a token by all ways there are.
@Suite(
    "A confined program", .waitsForPrograms,
    .enabled(if: Privileges.canConfine, Privileges.whyNotConfined))
struct ExecConfinedTests {
    private let place: Workplace
    private let session: SecretServiceSession

    init() throws {
        session = try SecretServiceSession()
        let bus = ["DBUS_SESSION_BUS_ADDRESS": session.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""]
        place = try .withVault(
            bus.merging(["WAYS": PythonScript.path("ways_to_a_token"), "SURROUNDED": PythonScript.path("surrounded")]) {
                $1
            })
        try place.add("ada", token: "TOKEN-OF-ADA")
        try place.run(
            """
            umask 077; mkdir -p work .ssh .config/gh .cache && touch .bashrc bin/mine .gitconfig .cache/mine
            for file in .git-credentials .ssh/id_ed25519 .config/gh/hosts.yml; do echo MARKED > $file; done
            printf MARKED | secret-tool store --label ways keyfob ways
            """
        ).expectSuccess()
    }

    /// Which ways lead to something, for a program that `keyfob exec` starts with these options.
    private func ways(_ options: String) throws -> [String: Bool?] {
        let outcome = try place.run(
            """
            \(Workplace.agent("--socket ~/agent.sock --for ways --account ada --host git.example"))
            cd work && AGENT=$HOME/agent.sock $PYTHON $SURROUNDED \\
                keyfob exec -q --proxy \(options) --account ada -- sh -c '$PYTHON $WAYS 8<&0 0< /dev/null'
            """, deadline: 300
        ).expectSuccess()
        return try JSONDecoder().decode([String: Bool?].self, from: outcome.output)
    }

    @Test("of all ways to a token, a key or another process, none works; without the wall each does")
    func ways() throws {
        let open = try ways("")
        #expect(
            open.count > 60 && open.filter { $0.value == false }.isEmpty, "\(open.filter { $0.value == false }.keys)")
        let confined = try ways("--confine")
        #expect(confined.keys == open.keys)
        #expect(confined.filter { $0.value == true }.isEmpty, "\(confined.filter { $0.value == true }.keys)")
    }

    /// Runs a script of the shell behind the wall, in the folder `work`.
    private func behind(_ script: String, _ options: String = "") throws -> Outcome {
        try place.write("script", script)
        return try place.run("cd work && keyfob exec --proxy --confine \(options) --account ada -- bash ~/script")
    }

    @Test("it changes its folder, those of --write, and folders of its own that go with it")
    func writing() throws {
        try place.run("mkdir more").expectSuccess()
        let outcome = try behind(
            """
            echo x > here && echo x > ../more/there && echo x > /tmp/x && echo x > /dev/shm/x && echo x > ~/.cache/x && ls ~/.cache
            for file in ~/x ~/.bashrc /var/lib/x ~/data/x; do (echo x > $file) 2> /dev/null || echo kept; done
            rm -f ~/.bashrc 2> /dev/null || echo kept; pwd | sed "s,$HOME,HOME,"
            """, "--write ../more")
        #expect(outcome.text == "x\nkept\nkept\nkept\nkept\nkept\nHOME/work\n", "\(outcome)")
        let left = try place.run("cat work/here more/there; ls .cache; ls /tmp/x /dev/shm/x 2> /dev/null")
        #expect(left.text == "x\nx\nmine\n", "\(left)")
    }

    @Test(
        "no program starts where what it changes starts others, or holds keys",
        arguments: [
            ("$HOME", "your home"), ("/", "it is everything"), ("/tmp", "all your programs"),
            ("bin", "your programs start from"),
            ("data/keyfob", "is not to see"), ("data", "has keys or tokens"), ("run", "is not to see"),
            (".ssh", "credentials"), (".config/systemd/user", "your programs start from"),
            (".config", "your programs start from"), (".local", "has keys or tokens"),
            ("dotfiles", "your programs start from"), ("dotfiles/fish", "your programs start from"),
            ("shells", "your programs start from"), ("tools", "by PATH"),
        ])
    func refused(folder: String, reason: String) throws {
        try place.run(
            """
            mkdir -p .local dotfiles/fish shells tools && rm .bashrc && ln -s shells/rc .bashrc
            touch shells/rc; ln -s ../dotfiles/fish .config/fish
            case \(folder) in .config/*) mkdir -p .config/systemd/user;; esac
            """
        ).expectSuccess()
        let line = "PATH=$PATH:$HOME/tools/new keyfob exec --proxy --confine --account ada"
        try place.run("cd \(folder) && \(line) -- touch ~/started").expectError(
            64, reason, "change to a folder that holds nothing but the program's work")
        try place.run("folder=$(realpath \(folder)); cd work && \(line) --write $folder -- touch ~/started")
            .expectError(
                64, reason, "name a folder with nothing else in it")
        #expect(!FileManager.default.fileExists(atPath: place.path + "/started"))
    }

    @Test("it ends as it ends, gets its signals, and what it has started ends with it and with keyfob")
    func ends() throws {
        #expect(try behind("exit 7").status == 7)
        let killed = try behind("kill -TERM $$")
        #expect(killed.status == 128 + SIGTERM || killed.status == SIGTERM, "\(killed)")
        try place.write(
            "line",
            """
            cd work; for signal in TERM KILL; do
                keyfob exec --proxy --confine --account ada -- bash -c '
                    trap "echo told; exit 9" TERM; sleep 1000 & echo $! > began; while :; do wait; done' & keyfob=$!
                until test -s began; do sleep 0.02; done; rm began
                kill -$signal $keyfob; wait $keyfob; echo $?
                for try in $(seq 500); do pgrep -s 0 -x sleep > /dev/null || break; sleep 0.02; done; pgrep -s 0 -x sleep
            done
            """)
        // Threads of tests hold signals back, and what they start has that from them.
        let unblock =
            "import os, signal; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execvp('bash', ['bash', 'line'])"
        let outcome = try place.run("$PYTHON -c \"\(unblock)\"", deadline: 60)
        #expect(outcome.text == "told\n9\n137\n", "\(outcome)")
    }

    @Test("on a terminal a shell has its jobs, Ctrl-C and the size, and the terminal is given back")
    func terminal() throws {
        // A shell that is stopped while it starts a program waits for that, which is stopped too: no program is started.
        try place.write("slow", "echo SLOW; exec sleep 100")
        try place.write(
            "line",
            "cd work; keyfob exec --proxy --confine --account ada -- env PS1='> ' bash --norc -i; echo ended $?; read x; echo got $x"
        )
        let run = try place.onTerminal(
            "bash line",
            [
                ("> ", "stty rows 33 cols 99; stty size; sh ../slow\n"), ("SLOW", "\u{1A}"),
                ("Stopped", "echo FG; fg\n"), ("FG\r\n", ""), ("sh ../slow\r\n", "\u{3}"), ("> ", "exit 5\n"),
                ("ended 5", "word\n"),
            ])
        #expect(run.screen.contains("33 99") && run.screen.contains("got word"), "\(run)")
    }

    @Test("its variables say nothing of Keyfob's, of sockets, displays and the bus")
    func variables() throws {
        let outcome = try place.run(
            """
            export KEYFOB_GROUP=default KEYFOB_X=y SSH_AUTH_SOCK=/x DISPLAY=:7 MINE=mine
            export GH_TOKEN=SECRET GITHUB_TOKEN=SECRET AWS_SECRET_ACCESS_KEY=SECRET AWS_SESSION_TOKEN=SECRET PGPASSWORD=SECRET \\
                ARM_CLIENT_SECRET=SECRET X_PASSWORD=SECRET X_API_KEY=SECRET X_CREDENTIALS=SECRET x_token=SECRET X_SECRETS=SECRET
            cd work && keyfob exec --proxy --confine --account ada --env API=git.example --env GITHUB_TOKEN=git.example -- env
            """)
        #expect(!outcome.text.contains("SECRET=") && !outcome.text.contains("=SECRET"), "\(outcome)")
        #expect(outcome.text.contains("\nGITHUB_TOKEN=http"), "\(outcome)")
        let names = Set(outcome.text.split(separator: "\n").map { String($0.prefix { $0 != "=" }) })
        #expect(names.isSuperset(of: ["KEYFOB_PROXY", "API", "MINE", "HOME", "PATH"]), "\(outcome)")
        #expect(names.filter { $0.hasPrefix("KEYFOB") } == ["KEYFOB_PROXY"], "\(outcome)")
        let others: Set = ["SSH_AUTH_SOCK", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"]
        #expect(names.isDisjoint(with: others), "\(outcome)")
    }

    @Test(
        "where the system gives no namespaces it says so, with what to do, and starts nothing",
        arguments: [
            ("unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_user_namespaces; LINE'", "user.max_user_namespaces"),
            ("unshare -Urm sh -c 'mount -t tmpfs none /proc/sys/kernel; LINE'", "a container or a service may forbid"),
        ])
    func forbidden(line: String, advice: String) throws {
        let command = "keyfob exec --proxy --confine --account ada -- touch started; echo $? > status"
        try place.run("cd work; " + line.replacing("LINE", with: command)).expectError(0, "was not started", advice)
        let left = try place.run("ls work; cat work/status")
        #expect(left.text == "status\n69\n", "\(left)")
    }
}
