import Foundation
import KeyfobTestSupport
import Testing

/// Real git on a pseudo-terminal, with an account that only a person can tell.
@Suite("git that asks a person whose token it takes", .waitsForPrograms)
struct GitQuestionTests {
    private let server: GuestServer
    private let home: SignInPlace

    init() throws {
        let provider = try ProviderServer.shared()
        server = try .git(provider, owners: "private", "alice", "bob")
        home = try SignInPlace(
            provider, options: "--api-host \(server.host)",
            variables: [
                "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@x",
                "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@x", "CI": "", "URL": "http://\(server.host)",
                "TERM": "xterm",
            ])
        for user in ["alice", "bob"] { try home.signIn(user) }
        try home.run(
            """
            ln -s keyfob bin/git-credential-keyfob
            git config --global credential.helper '!git-credential-keyfob' && git config --global credential.useHttpPath true
            """
        ).expectSuccess()
    }

    /// What is on the screen once the picker is there.
    private static let picker = "2/2"

    private func people() throws -> Set<String> {
        Set(
            try server.requests().filter { $0.hasPrefix("200 ") }.map { String($0.split(separator: " ")[2]) })
    }

    /// The rows of `keyfob bindings`.
    private func bindings() throws -> String {
        try home.run("keyfob bindings | tail -n +2").expectSuccess().text
    }

    /// Runs a line on a terminal, where nobody may be asked, and expects that git stops and says what to type.
    private func expectUnasked(_ line: String, location: SourceLocation = #_sourceLocation) throws {
        let run = try home.place.onTerminal("sh -c '\(line)'", [])
        #expect(!run.screen.contains("Choose an account"), "\(run)", sourceLocation: location)
        #expect(!run.screen.contains("Username"), "\(run)", sourceLocation: location)
        #expect(
            run.screen.contains("'keyfob bind --url \("http://\(server.host)")/private alice"), "\(run)",
            sourceLocation: location)
        #expect(run.screen.contains("told us to quit"), "\(run)", sourceLocation: location)
        #expect(try people().isEmpty, sourceLocation: location)
    }

    @Test("a clone asks once, on the terminal alone, goes on, and what was chosen is not asked again")
    func clone() throws {
        let run = try home.place.onTerminal(
            "sh -c 'git clone -q $URL/private/app.git < /dev/null > out 2> err'", [(Self.picker, "bob\r")])
        #expect(run.status == 0, "\(run) \((try? home.run("cat err").text) ?? "")")
        #expect(run.screen.contains("Choose an account for \(server.host)/private/app"), "\(run)")
        #expect(try people() == ["bob"])
        #expect(try home.run("cat out err").expectSuccess().text.isEmpty)
        try home.run("git -C app fetch -q && git -C app push -q origin main:two").expectSuccess()
        #expect(try people() == ["bob"])
        #expect(try bindings().isEmpty)
    }

    @Test("whoever answers by Ctrl-R binds the owner's address")
    func remembered() throws {
        let run = try home.place.onTerminal(
            "sh -c 'git clone -q $URL/private/app.git 2> err'", [(Self.picker, "bob\u{12}")])
        #expect(run.status == 0, "\(run)")
        #expect(run.screen.contains("Ctrl-R always for \(server.host)/private"), "\(run)")
        let told = try home.run("cat err").text
        #expect(told == "keyfob: url \(server.host)/private uses bob of group 'default' from now on\n")
        #expect(try bindings().contains("\(server.host)/private"))
        try home.run("keyfob history clear -q && git clone -q $URL/private/app.git two").expectSuccess()
        #expect(try people() == ["bob"])
    }

    /// The command that an error names.
    private func advised(by outcome: Outcome) throws -> String {
        String(try #require(outcome.errors.split(separator: "'").first { $0.hasPrefix("keyfob bind ") }))
    }

    @Test("where a binding to nobody is in the way of the owner's address, the directory is bound, and is advised")
    func blocked() throws {
        try home.run("keyfob bind -q --url $URL/private/app none").expectSuccess()
        let run = try home.place.onTerminal(
            "sh -c 'git clone -q $URL/private/app.git 2> err'", [(Self.picker, "bob\u{12}")])
        let told = try home.run("cat err").text
        #expect(run.status == 0 && told.hasPrefix("keyfob: directory /") && told.contains("/app uses bob"), "\(told)")
        try home.run("keyfob history clear -q && git -C app fetch -q && keyfob history clear -q").expectSuccess()
        #expect(try people() == ["bob"])
        let unmade = try home.run("git clone -q $URL/private/app.git fresh")
        let line = try #require(unmade.errors.split(separator: "'").first { $0.hasPrefix("mkdir -p /") })
        #expect(line.contains("/fresh && keyfob bind --directory /"), "\(unmade)")
        try home.run("\(line) && git clone -q $URL/private/app.git fresh").expectSuccess()
        try home.run("keyfob unbind -q --directory fresh").expectSuccess()
        let words = try advised(
            by: home.run("git init -q other && cd other && git remote add origin $URL/private/app.git && git fetch -q"))
        #expect(words.hasPrefix("keyfob bind --directory /") && words.contains("/other alice"), "\(words)")
        try home.run("\(words) && git -C other fetch -q").expectSuccess()
        #expect(try people() == ["alice", "bob"])
    }

    @Test("a question goes when its git is killed, and the terminal is as before")
    func killed() throws {
        try home.place.write(
            "script",
            """
            git clone -q $URL/private/app.git 2> err &
            wait $! ; sleep 1
            pgrep -s 0 git-credential > left; echo over
            """)
        // Only the git that was typed is killed: its helper is not told.
        let run = try home.place.onTerminal(
            "bash -c 'set +m; . ./script'",
            steps: [[Self.picker, "", "kill -KILL $(pgrep -n -f \"^git clone -q http://\(server.host)\")"]])
        #expect(run.screen.contains("over") && !run.screen.hasSuffix("2/2"), "\(run)")
        #expect(try home.run("cat left").text.isEmpty)
    }

    @Test(
        "a binding that cannot be written is told, and the token comes all the same",
        .enabled(if: Privileges.canMount, Privileges.whyNoMount))
    func unwritable() throws {
        try home.place.write(
            "script",
            """
            mount --bind data/keyfob data/keyfob && mount -o remount,bind,ro data/keyfob || exit
            git clone -q $URL/private/app.git 2> err
            """)
        let run = try home.place.onTerminal("unshare --mount sh script", [(Self.picker, "bob\u{12}")])
        let told = try home.run("cat err").text
        #expect(run.status == 0, "\(run) \(told)")
        #expect(told.hasPrefix("keyfob: warning: url \(server.host)/private is not bound: "), "\(told)")
        #expect(try people() == ["bob"] && bindings().isEmpty)
    }

    @Test("a terminal that cannot be drawn on is asked for a number")
    func plain() throws {
        let run = try home.place.onTerminal(
            "sh -c 'TERM=dumb git clone -q $URL/private/app.git'", [("always for \(server.host)/private: ", "1!\n")])
        #expect(run.status == 0, "\(run)")
        #expect(try people() == ["alice"] && bindings().contains("\(server.host)/private"))
    }

    @Test("whoever leaves the question ends git, which asks for no password")
    func left() throws {
        let run = try home.place.onTerminal("git clone -q $URL/private/app.git", [(Self.picker, "\u{1B}")])
        #expect(run.status == 128 && run.screen.contains("told us to quit"), "\(run)")
        #expect(run.screen.contains("no account was chosen") && !run.screen.contains("Username"), "\(run)")
    }

    @Test("an alias of the person's asks too")
    func alias() throws {
        try home.run("git config --global alias.get '!git clone -q $URL/private/app.git'").expectSuccess()
        let run = try home.place.onTerminal("git get", [(Self.picker, "bob\r")])
        #expect(run.status == 0, "\(run)")
        #expect(try people() == ["bob"])
    }

    @Test("submodules that are fetched at once ask one after the other, and a choice does for the next")
    func together() throws {
        try home.run(
            """
            git init -q -b main super && cd super && for name in a b c; do
                git config -f .gitmodules submodule.$name.path $name
                git config -f .gitmodules submodule.$name.url $URL/private/app.git
                git update-index --add --cacheinfo 160000,$(git -C \(server.folder)/repos/private/app.git rev-parse main),$name
            done; git add .gitmodules && git commit -q -m x
            """
        ).expectSuccess()
        let run = try home.place.onTerminal(
            "sh -c 'cd super && git submodule update -q --init --jobs 3'", [(Self.picker, "bob\r")])
        #expect(run.status == 0, "\(run)")
        #expect(try people() == ["bob"])
    }

    @Test(
        "nobody is asked where nobody is there: git stops, and names the command",
        arguments: [
            "CI=true git clone $URL/private/app.git", "GIT_TERMINAL_PROMPT=0 git clone $URL/private/app.git",
            "git -c credential.helper= -c credential.helper=\"keyfob --no-input\" clone $URL/private/app.git",
            "git -c credential.interactive=false clone $URL/private/app.git",
            "setsid -w git clone $URL/private/app.git", "set -m; git clone $URL/private/app.git & wait",
            // A program that draws on the whole terminal has it take keys.
            "stty -icanon; git clone $URL/private/app.git; stty icanon; false",
        ])
    func unattended(line: String) throws { try expectUnasked(line) }

    @Test(
        "nobody is asked in hooks and in git's maintenance", arguments: ["pre-commit", "post-checkout", "maintenance"])
    func apart(kind: String) throws {
        try home.run(
            """
            git init -q -b main app && git -C app remote add origin $URL/private/app.git
            git -C app commit -q --allow-empty -m first
            for name in pre-commit post-checkout; do
                printf '#!/bin/sh\\ngit fetch origin\\n' > app/.git/hooks/$name && chmod 755 app/.git/hooks/$name
            done
            """
        ).expectSuccess()
        let line =
            switch kind {
            case "pre-commit": "git -C app commit --allow-empty -m second"
            case "post-checkout": "git -C app checkout -b two"
            default: "git -C app maintenance run --task=prefetch"
            }
        try expectUnasked(line)
    }

    @Test("without a terminal the agent asks by its window, once")
    func window() throws {
        try home.place.write(
            "bin/zenity", "#!/bin/sh\necho x >> '\(home.place.path)/shown'\ncase $1 in --list) echo 1 ;; esac\n")
        let outcome = try home.run(
            """
            chmod 755 bin/zenity; : > shown
            \(Workplace.agent(variables: "DISPLAY=:99"))
            set -e
            DISPLAY=:99 git clone -q $URL/private/app.git && test -s shown && mv shown before && : > shown
            DISPLAY=:99 git -C app fetch -q && test ! -s shown
            """)
        let told = try home.run("cat told").text
        #expect(outcome.status == 0, "\(outcome) \(told)")
        #expect(try people().count == 1)
    }

    @Test("without a terminal git stops, and the command that it names is what decides")
    func typed() throws {
        let outcome = try home.run("git clone -q $URL/private/app.git")
        #expect(outcome.status == 128 && outcome.errors.contains("told us to quit"), "\(outcome)")
        try home.run(advised(by: outcome)).expectSuccess()
        try home.run("git clone -q $URL/private/app.git").expectSuccess()
        #expect(try people() == ["alice"])
    }
}
