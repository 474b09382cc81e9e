import Foundation
import KeyfobTestSupport
import Testing

@Suite("Which account a directory, an address or a tool gets", .waitsForPrograms)
struct AccountChoiceTests {
    /// A home with two accounts at one host.
    private func home() throws -> Workplace {
        let place = try Workplace.withVault()
        for name in ["ada", "bob"] { try place.add(name, token: "token-of-\(name)") }
        return place
    }

    @Test("two directories in two shells at the same time get their own, and nothing is changed")
    func parallel() throws {
        let place = try home()
        try place.run("mkdir a b && keyfob bind -q --directory a ada && keyfob bind -q --directory b bob")
            .expectSuccess()
        // But for what tells which program used which token.
        func kept() throws -> [String: Data] {
            try place.contents(of: "data").filter { !$0.key.contains("/uses/") }
        }
        let before = try kept()
        let rounds = TestLength.rounds(20, full: 100)
        let outcome = try place.run(
            """
            shell() {
                cd $1; i=0
                while [ $i -lt \(rounds) ]; do
                    token=$(keyfob token --no-input) && [ "$token" = "token-of-$2" ] || echo "$1 $token"
                    i=$((i + 1)); done
                echo $i >> ../rounds
            }
            shell a ada & shell b bob & wait; cat rounds
            """, deadline: 600)
        #expect(outcome.text == "\(rounds)\n\(rounds)\n" && outcome.errors.isEmpty, "\(outcome)")
        #expect(try kept() == before)
    }

    @Test("a directory that is no longer there is no obstacle")
    func goneDirectory() throws {
        let place = try home()
        try place.run("mkdir gone && keyfob bind -q --directory gone ada && keyfob bind -q --tool gh bob")
            .expectSuccess()
        let there = "cd gone && rmdir ../gone && keyfob"
        try place.run("\(there) token --no-input").expectError(11)
        try place.run("mkdir gone && \(there) token --tool gh").expectSuccess()
        #expect(try place.run("mkdir gone && \(there) which --account ada").expectSuccess().text.contains("names it"))
    }

    @Test("the git remote of the directory is an address, and --url goes before it")
    func remote() throws {
        let place = try home()
        try place.run("keyfob bind -q --url https://git.example/contoso ada && keyfob bind -q --host hub.example bob")
            .expectSuccess()
        try place.run("mkdir -p r/.git/objects r/.git/refs r/sub && echo 'ref: refs/heads/main' > r/.git/HEAD")
            .expectSuccess()
        try place.write("r/.git/config", "[remote \"origin\"]\n\turl = git@git.example:contoso/app.git\n")
        #expect(try place.run("cd r/sub && keyfob token").expectSuccess().text == "token-of-ada\n")
        let asked = try place.run("cd r/sub && keyfob token --url https://hub.example/x").expectSuccess()
        #expect(asked.text == "token-of-bob\n")
    }

    @Test("a project file counts when it is allowed, until it changes")
    func projectFile() throws {
        let place = try home()
        try place.run("mkdir -p work/sub").expectSuccess()
        try place.write("work/.keyfob.toml", "account = \"bob\"\n")
        let file = "\(place.path)/work/.keyfob.toml"
        func token() throws -> Outcome { try place.run("cd work/sub && keyfob token --no-input") }
        func expectIgnored(_ words: String, location: SourceLocation = #_sourceLocation) throws {
            let outcome = try token()
            #expect(outcome.status == 11 && outcome.output.isEmpty, "\(outcome)", sourceLocation: location)
            let lines = outcome.errors.split(separator: "\n")
            #expect(lines.count == 2, "\(outcome)", sourceLocation: location)
            #expect(
                lines.first?.hasPrefix("keyfob: warning: \(file) \(words)") == true, "\(outcome)",
                sourceLocation: location)
        }
        try expectIgnored("is not allowed")
        try place.run("keyfob allow -q work").expectSuccess()
        let allowed = try token().expectSuccess()
        #expect(allowed.text == "token-of-bob\n" && allowed.errors.isEmpty, "\(allowed)")
        #expect(try place.run("cd work && keyfob which").expectSuccess().text.contains("bound to it by \(file)"))
        try place.write("work/.keyfob.toml", "account = \"ada\"\n")
        try expectIgnored("has changed since it was allowed")
        try place.run("mv work/.keyfob.toml other && ln -s ../other work/.keyfob.toml").expectSuccess()
        try expectIgnored("is a symbolic link")
        try place.run("rm work/.keyfob.toml && mkdir work/.keyfob.toml").expectSuccess()
        try expectIgnored("is not a regular file")
    }

    @Test(
        "a project file of another user does not count",
        .enabled(if: Privileges.isRoot, "only root can give files away"))
    func foreignFile() throws {
        let place = try home()
        try place.write(".keyfob.toml", "account = \"bob\"\n")
        try place.run("keyfob allow -q && chown 12345 .keyfob.toml").expectSuccess()
        let outcome = try place.run("keyfob token --no-input")
        #expect(outcome.status == 11 && outcome.errors.contains("belongs to another user"), "\(outcome)")
    }

    @Test("a binding outlives its account until it is taken back")
    func boundAndGone() throws {
        let place = try home()
        try place.run("keyfob bind -q ada").expectSuccess()
        #expect(try place.run("keyfob token").expectSuccess().text == "token-of-ada\n")
        try place.run("keyfob account remove -q --force ada").expectSuccess()
        try place.run("keyfob token").expectError(13, "is bound to ada@git.example, which is not there")
        try place.run("keyfob unbind").expectSuccess()
        #expect(try place.run("keyfob token").expectSuccess().text == "token-of-bob\n")
    }

    @Test("a user in an address that is nobody's name is not repeated, for it may be a secret")
    func unknownUser() throws {
        let place = try home()
        for (line, status) in [("", 13 as Int32), (" --account ada", 64)] {
            for command in ["token", "which", "pick --filter ada"] {
                let outcome = try place.run("keyfob \(command) --url https://hunter2@git.example/x\(line)")
                #expect(outcome.status == status, "\(outcome)")
                #expect(!outcome.errors.contains("hunter2") && !outcome.text.contains("hunter2"), "\(outcome)")
            }
        }
    }

    @Test(
        "an address that holds a password, or makes no sense, is refused without being repeated",
        arguments: [
            "https://ada:hunter2@git.example/x", "https://git.example:0/hunter2",
            "https://git.example:99999/hunter2", "https://git.example:-1/hunter2", "ftp://git.example/hunter2",
            "https:///hunter2", "https://[::1/hunter2",
        ])
    func refusedAddress(url: String) throws {
        let place = try home()
        for command in ["token", "which", "pick --filter ada"] {
            let outcome = try place.run("keyfob \(command) --url '\(url)'").expectError(64, "--url")
            #expect(!outcome.errors.contains("hunter2"), "\(outcome)")
        }
    }

    @Test(
        "a port that is the usual one is none, and another is another host",
        arguments: [("git.example:443", true), ("git.example", true), ("git.example:8443", false)])
    func ports(host: String, isBound: Bool) throws {
        let place = try home()
        try place.run("keyfob bind -q --host git.example bob").expectSuccess()
        let outcome = try place.run("keyfob token --no-input --url https://\(host)/x")
        // Nobody's token goes to a host that is neither bound nor an account's own.
        #expect(outcome.status == (isBound ? 0 : 77), "\(outcome)")
    }
}
