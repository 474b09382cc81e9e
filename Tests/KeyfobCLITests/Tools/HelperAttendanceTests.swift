import Testing

@testable import KeyfobCLI

@Suite("Whom a helper can ask")
struct HelperAttendanceTests {
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
        HelperAttendance.isApart(programs, isForGit: true)
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
            #expect(HelperAttendance.isApart(docker, isForGit: false))
        }
        #expect(isApart(remote + [program("git", "fetch", "--prefetch"), program("bash")]))
        #expect(isApart(fetch + [program("git", "-C", "x", "-c", "a=b", "maintenance", "run")]))
        #expect(!isApart(remote + [program("git", "clone", "maintenance")]))
        #expect(!HelperAttendance.isApart([program("docker", "pull"), program("bash")], isForGit: false))
    }

    @Test(
        "the environment says that nobody is there",
        arguments: [
            (["CI": "true"], true), (["CI": "1"], true), (["CI": "false"], false), (["CI": ""], false),
            (["GIT_TERMINAL_PROMPT": "0"], true), (["GIT_TERMINAL_PROMPT": "1"], false), ([:], false),
            (["GIT_CONFIG_PARAMETERS": "'credential.interactive'='false'"], true),
            (["GIT_CONFIG_PARAMETERS": "'Credential.Interactive=never'"], true),
            (["GIT_CONFIG_PARAMETERS": "'credential.interactive'='true'"], false),
        ] as [([String: String], Bool)])
    func environment(variables: [String: String], isUnattended: Bool) {
        #expect(HelperAttendance.isUnattended(Environment(variables: variables)) == isUnattended)
    }
}
