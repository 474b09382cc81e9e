import Foundation
import KeyfobTestSupport
import Testing

/// Real git with the helpers that people have, before and after setup.
@Suite("git's other helpers", .waitsForPrograms)
struct GitSetupConfigurationTests {
    private let server: GuestServer
    private let home: SignInPlace

    init() throws {
        (server, home) = try SignInPlace.atGitServer(of: "alice")
        // A helper that keeps all that it is told, and answers; and gh, which comes with lines of its own.
        try home.run(
            """
            ln -s keyfob bin/git-credential-keyfob && keyfob bind --quiet --host \(server.host) alice
            cat > bin/git-credential-libsecret <<'END'
            #!/bin/sh
            cat >> "$HOME/told"
            END
            cat > bin/gh <<'END'
            #!/bin/sh
            cat >> "$HOME/told"
            if [ "$3" = get ]; then printf 'username=x\\npassword=of-gh\\n'; fi
            END
            chmod 755 bin/gh bin/git-credential-libsecret
            """
        ).expectSuccess()
    }

    private static let gh = #"printf '[credential "%s"]\n\thelper =\n\thelper = !gh auth git-credential\n' $URL"#

    /// How a home is made, and what is done after setup.
    private static let configurations: [(name: String, before: String, after: String)] = [
        ("none", "true", "true"),
        ("a file without helpers", "printf '[user]\\n\\tname = Ada' > .gitconfig", "true"),
        ("store", "printf '[credential]\\n\\thelper = store\\n' > .gitconfig", "true"),
        ("store, elsewhere", "git config --global credential.helper 'store --file=kept'", "true"),
        ("cache", "git config --global credential.helper cache", "true"),
        ("libsecret", "printf '[credential]\\r\\n\\thelper = libsecret' > .gitconfig", "true"),
        ("for all users", "printf '[credential]\\nhelper = store' > system", "true"),
        ("gh before", "\(gh) > .gitconfig", "true"),
        ("gh after", "true", "\(gh) >> .gitconfig; keyfob setup git --force --quiet"),
        (
            "an included file",
            "git config --global include.path other; printf '[credential]\\nhelper = store' > other", "true"
        ),
        (
            "a file that counts in repositories",
            "git config --global 'includeIf.gitdir:**.path' other; printf '[credential]\\nhelper = store' > other",
            "true"
        ),
        (
            "helpers taken back, and others",
            "printf '[credential]\\n\\thelper = store\\n\\thelper =\\n\\thelper = libsecret\\n\\thelper = cache' > .gitconfig",
            "true"
        ),
        ("for a part of the host", "git config --global credential.$URL/alice.helper store", "true"),
        ("by the host alone", "git config --global credential.${URL#http://}.helper store", "true"),
    ]

    /// A home with a configuration, and what a line does there.
    private func run(_ before: String, _ line: String) throws -> Outcome {
        try home.run(
            """
            token=$(keyfob token); rm -rf one; mkdir one; cd one; touch system
            export HOME=$PWD GIT_CONFIG_SYSTEM=$PWD/system; unset XDG_CONFIG_HOME
            leaks() {
                grep -rlF "$token" . || true; printf "protocol=http\\nhost=${URL#http://}\\n" | git credential-cache get
                git credential-cache exit 2> /dev/null
            }
            work() {
                git clone -q $URL/alice/app.git app && cd app && git commit -q --allow-empty -m more && git push -q; cd ..
            }
            \(before)
            \(line)
            """)
    }

    @Test("after setup clone and push leave no token with anybody else, and undoing leaves all as it was")
    func configurations() throws {
        for (name, before, after) in Self.configurations {
            let outcome = try run(
                before,
                """
                cp -a . ../before; keyfob setup git --force > said 2>&1 || cat said
                \(after); grep -q 'git now asks Keyfob (tested at https*://' said || cat said
                work; leaks; rm -rf app said told; rm -rf .cache
                keyfob setup git --undo --force --quiet
                \(after == "true" ? "" : "\(Self.gh) | cmp - .gitconfig && rm .gitconfig")
                diff -r ../before . ; rm -rf ../before
                """)
            #expect(outcome.status == 0 && outcome.text.isEmpty, "\(name): \(outcome)")
        }
        let pushed = try server.requests().filter { $0.hasPrefix("200 Basic alice /alice/app.git/git-receive-pack") }
        #expect(pushed.count >= Self.configurations.count, "\(pushed)")
    }

    @Test("of an account that comes later at another host, it is said who else is told its tokens, and setup mends it")
    func later() throws {
        let store = "git config --global credential.helper store; keyfob setup git -q --force"
        let add = "echo later | keyfob add --account late --host late.example"
        let outcome = try run(store, "\(add) && keyfob setup git -q --force && \(add)")
        let warnings = outcome.errors.split(separator: "\n").filter { $0.contains("warning: at https://late.example ") }
        #expect(warnings.count == 1, "\(outcome)")
        #expect(
            warnings.first?.contains("writes them into ~/.git-credentials") ?? false
                && warnings.first?.contains("'keyfob setup git'") ?? false, "\(outcome)")
        // Where git does not ask Keyfob, it is nobody's concern.
        #expect(try !run("git config --global credential.helper store", add).errors.contains("warning"))
    }

    @Test("helpers that are left are told tokens, which is said")
    func left() throws {
        let isNewer = try home.run("(echo 2.46; git --version | cut -d ' ' -f 3) | sort -CV").status == 0
        for (helper, what, isTold) in [
            ("store", "writes them into ~/.git-credentials as they are", !isNewer),
            ("cache", "while the vault is locked too", !isNewer), ("libsecret", "the desktop's keyring", true),
        ] {
            let outcome = try run(
                "git config --global credential.helper \(helper)",
                "keyfob setup git --force --keep-helpers; work; leaks | wc -l")
            #expect((outcome.text != "0\n") == isTold && outcome.errors.contains(what), "\(outcome)")
            #expect(outcome.errors.contains("without --keep-helpers"), "\(outcome)")
        }
        // gh's lines, which come later, leave Keyfob out.
        let outcome = try run("\(Self.gh) > .gitconfig", "keyfob setup git --force --keep-helpers; echo $?")
        #expect(outcome.text == "78\n" && outcome.errors.contains("git does not take Keyfob's token at http://"))
        #expect(outcome.errors.contains("'!gh auth git-credential'"), "\(outcome)")
    }

    @Test(
        "a repository's own helper is found by doctor, which says what to type",
        arguments: ["git config", "git config extensions.worktreeConfig true; git config --worktree"])
    func repository(command: String) throws {
        let outcome = try run(
            "keyfob setup git --force --quiet",
            """
            work; cd app; \(command) credential.helper store
            keyfob doctor --json > ../found; cd ..; grep -o "git config [-a-z ]*--add [^\\"]* keyfob" found > line; wc -l < line
            cd app; sh ../line; keyfob doctor | grep '^warning git'; git fetch -q; cd ..; rm line found; leaks
            """)
        #expect(outcome.text == "1\n", "\(outcome)")
    }

    @Test("of a helper that variables name, which no file takes out of the way, it is said where it is")
    func variables() throws {
        let outcome = try run(
            "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=credential.helper GIT_CONFIG_VALUE_0=store",
            "keyfob setup git --force; keyfob doctor >&2")
        let told = outcome.errors.components(separatedBy: "GIT_CONFIG_COUNT or git's own options name it").count - 1
        #expect(told == 2 && !outcome.errors.contains("take it out of the way"), "\(outcome)")
    }

    @Test("where the vault is locked, nothing is said to work, and what is not known is told")
    func locked() throws {
        let outcome = try run(
            "git config --global credential.helper store; unset KEYFOB_KEY_FILE",
            "keyfob setup git --force; keyfob setup git --force --host ${URL#http://}; keyfob setup git --undo --force")
        #expect(!outcome.errors.contains("git now asks Keyfob"), "\(outcome)")
        #expect(outcome.errors.contains("name them with --host"), "\(outcome)")
        #expect(outcome.errors.contains("nothing was tried"), "\(outcome)")
    }
}
