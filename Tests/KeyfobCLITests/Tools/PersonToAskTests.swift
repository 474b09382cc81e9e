import Testing

@testable import KeyfobCLI

@Suite("Whom a helper can ask")
struct PersonToAskTests {
    private func program(_ words: String..., readsTerminal: Bool = false) -> CallingProgram {
        CallingProgram(words: words, readsTerminal: readsTerminal)
    }

    /// What git starts to speak http, the nearest first.
    private var remote: [CallingProgram] {
        [
            program("sh", "-c", "git credential-keyfob get"),
            program("/usr/lib/git-core/git-remote-http", "origin", "x"),
            program("/usr/lib/git-core/git", "remote-http", "origin", "x"),
        ]
    }

    private func isApart(_ programs: [CallingProgram]) -> Bool {
        PersonToAsk.isApart(programs, isForGit: true)
    }

    @Test("a person's own command, alias, submodules and large files are theirs")
    func own() {
        let shell = program("-bash", readsTerminal: true)
        #expect(!isApart(remote + [program("git", "clone", "x"), shell]))
        let alias = program("sh", "-c", "git pull \"$@\"", readsTerminal: true)
        #expect(!isApart(remote + [program("git", "pull"), alias, program("git", "up"), shell]))
        let script = program("/bin/sh", "/usr/lib/git-core/git-submodule", "update")
        #expect(!isApart(remote + [program("git", "clone"), script, program("git", "submodule"), shell]))
        let filter = [program("git", "credential", "fill"), program("git-lfs", "filter-process")]
        #expect(!isApart(filter + [program("sh", "-c", "git-lfs filter-process"), program("git", "checkout"), shell]))
    }

    @Test("a hook's is not, whatever it is written in, and neither is maintenance")
    func others() {
        let fetch = remote + [program("git", "fetch")]
        for hook in [
            program("/bin/sh", ".git/hooks/pre-commit"), program("python3", "-mpre_commit", "hook-impl"),
            program(".git/hooks/pre-push"), program("sh", "-c", "lint"), program(),
        ] {
            #expect(isApart(fetch + [hook, program("git", "commit"), program("bash", readsTerminal: true)]))
            let docker = [program("docker", "pull"), hook, program("git", "commit")]
            #expect(PersonToAsk.isApart(docker, isForGit: false))
        }
        #expect(isApart(remote + [program("git", "fetch", "--prefetch"), program("bash")]))
        #expect(isApart(remote + [program("git", "fetch"), program("git", "gc", "--auto"), program("bash")]))
        #expect(isApart(fetch + [program("git", "maintenance", "run", "--auto"), program("git", "commit")]))
        #expect(isApart(fetch + [program("scalar", "run", "fetch"), program("bash")]))
        #expect(isApart(fetch + [program("sh", "-c", "git fetch"), program("/usr/sbin/CRON", "-f")]))
        #expect(isApart(fetch + [program("git", "-C", "x", "-c", "a=b", "maintenance", "run")]))
        #expect(!isApart(remote + [program("git", "clone", "maintenance")]))
        #expect(!PersonToAsk.isApart([program("docker", "pull"), program("bash")], isForGit: false))
    }

    @Test("a hook is one also where it reads the terminal, or has become git itself")
    func disguised() {
        let shell = program("bash", readsTerminal: true)
        let commit = program("git", "commit", readsTerminal: true)
        let hook = program("/bin/sh", ".git/hooks/pre-commit", readsTerminal: true)
        #expect(isApart(remote + [program("git", "fetch"), hook, commit, shell]))
        var fetch = program("git", "fetch")
        fetch.readsNothing = true
        #expect(isApart(remote + [fetch, commit, shell]))
        var line = program("sh", "-c", "git fetch")
        line.readsNothing = true
        let checkout = program("git", "checkout", readsTerminal: true)
        #expect(isApart(remote + [program("git", "fetch"), line, checkout, shell]))
        // git's own, at once with others.
        #expect(!isApart(remote + [fetch, program("git", "fetch", "--all", readsTerminal: true), shell]))
        let update = program("sh", "-c", "cd x && ./update", readsTerminal: true)
        #expect(!isApart(remote + [program("git", "fetch"), update, program("git", "up"), shell]))
    }

    @Test("a systemd timer's is not, nor a service's whose messages go to the journal")
    func service() {
        #expect(PersonToAsk.isService(Environment(variables: ["TRIGGER_UNIT": "x.timer"]), errors: "1:2"))
        let journal = Environment(variables: ["JOURNAL_STREAM": "1:2"])
        #expect(PersonToAsk.isService(journal, errors: "1:2"))
        #expect(!PersonToAsk.isService(journal, errors: "1:3"))
        #expect(!PersonToAsk.isService(Environment(variables: [:]), errors: "1:2"))
    }

    @Test(
        "the environment says that nobody is there",
        arguments: [
            (["CI": "true"], true), (["CI": "1"], true), (["CI": "false"], false), (["CI": ""], false),
            (["GIT_TERMINAL_PROMPT": "0"], true), (["GIT_TERMINAL_PROMPT": "1"], false), ([:], false),
            (["GIT_INDEX_FILE": ".git/index"], true), (["GIT_QUARANTINE_PATH": "x"], true),
            (["GIT_CONFIG_PARAMETERS": "'credential.interactive'='false'"], true),
            (["GIT_CONFIG_PARAMETERS": "'Credential.Interactive=never'"], true),
            (["GIT_CONFIG_PARAMETERS": "'credential.interactive'='true'"], false),
        ] as [([String: String], Bool)])
    func environment(variables: [String: String], isUnattended: Bool) {
        #expect(PersonToAsk.isUnattended(Environment(variables: variables)) == isUnattended)
    }
}
