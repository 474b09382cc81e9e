import Foundation
import KeyfobTestSupport
import Testing

/// What `keyfob log --json` says of the tokens that were given.
private struct UseLog: Decodable {
    struct Use: Decodable, Equatable {
        let time: String
        let door: String
        let account: String
        let name: String?
        let tool: String?
        let host: String?
        let repository: String?
        let directory: String?
        let answer: String

        /// What two doors have in common.
        var shared: [String?] { [account, name, tool, host, repository, directory, answer] }
    }

    let uses: [Use]
    let unreadableUses: Int?

    static func read(_ place: Workplace) throws -> UseLog {
        let outcome = try place.run("keyfob log --json").expectSuccess()
        return try JSONDecoder().decode(UseLog.self, from: outcome.output)
    }
}

@Suite("The log of token uses", .waitsForPrograms)
struct TokenUseLogTests {
    private let place: Workplace

    init() throws {
        place = try .withVault(LibraryFile.variables)
        try place.run(
            "echo OCTO | keyfob add -q -a octo --host github.com --scope 'repo read:packages write:packages'"
        ).expectSuccess()
        try place.run("git init -q repo && git -C repo remote add origin https://u:hidden@github.com/contoso/app.git")
            .expectSuccess()
        try FrontProgram.install(in: place)
    }

    @Test(
        "front and full program note the same",
        arguments: [
            ("cd repo && keyfob token", "sh", nil, "github.com/contoso/app"),
            ("cd repo && keyfob token --account octo", "sh", nil, nil),
            ("keyfob token --tool mine", "mine", nil, nil),
            ("keyfob token --url 'https://api.github.com/hidden?access_token=hidden'", "sh", "api.github.com", nil),
            (
                "cd repo && printf 'protocol=https\\nhost=github.com\\n\\n' | keyfob helper git get", "git",
                "github.com", "github.com/contoso/app"
            ),
            (
                "printf 'protocol=https\\nhost=github.com\\npath=o/r.git\\n\\n' | keyfob helper git get", "git",
                "github.com", "github.com/o/r"
            ),
            ("echo ghcr.io | keyfob helper docker get", "docker", "ghcr.io", nil),
        ] as [(String, String, String?, String?)])
    func same(line: String, tool: String, host: String?, repository: String?) throws {
        #expect(try place.isAnsweredByFront(line))
        let uses = try UseLog.read(place).uses
        // The full program, the front, and the front with nothing beside it.
        #expect(uses.map(\.door) == ["command", "front", "front"], "\(uses)")
        for use in uses { #expect(use.shared == uses[0].shared) }
        let use = try #require(uses.first)
        #expect(use.name == "octo" && use.account == "octo@github.com" && use.tool == tool && use.answer == "stored")
        #expect(use.host == host && use.repository == repository)
        // Whoever names the account has nobody look at the folder.
        let isUnknown = repository != nil || line.contains("--account")
        #expect(isUnknown ? use.directory == nil : use.directory == place.path)
        let shown = try place.run("keyfob log; keyfob log --json; strings -a data/keyfob/uses/*").expectSuccess()
        for secret in ["hidden", "OCTO", "access_token"] { #expect(!shown.text.contains(secret)) }
        try place.run("! strings -a data/keyfob/uses/* | grep -E 'octo|github'").expectSuccess()
    }

    @Test("what gives no token notes nothing")
    func nothing() throws {
        try place.run(
            """
            keyfob which; keyfob status; keyfob account list; keyfob prompt; keyfob verify; keyfob token --account nobody
            printf 'protocol=https\\nhost=other.example\\n\\n' | keyfob helper git get
            printf 'protocol=https\\nhost=github.com\\nusername=x\\npassword=y\\n\\n' | one/bin/keyfob helper git erase; true
            """
        ).expectSuccess()
        #expect(try UseLog.read(place).uses.isEmpty)
    }

    @Test("exec, inject, Python and the filters")
    func doors() throws {
        try place.run(
            """
            keyfob exec --account octo --env TOKEN -- bash -c true && printf 'a keyfob://octo/' | keyfob inject -o - > out &&
                cd repo && echo 'import keyfob; [keyfob.token() for _ in range(5)]' > report.py && $PYTHON report.py
            """
        ).expectSuccess()
        let uses = try UseLog.read(place).uses
        #expect(uses.map(\.door) == ["command", "command", "library"], "\(uses)")
        #expect(uses[0].tool == "bash" && uses[2].tool == "report.py", "\(uses)")
        #expect(uses[2].repository == "github.com/contoso/app" && uses[2].name == "octo")
        let named = try place.run("keyfob log --program bash; keyfob log --host nobody.example").expectSuccess()
        #expect(named.text.split(separator: "\n").count == 2 && named.text.contains("  bash  "), "\(named)")
        #expect(named.errors == "no use of that kind is noted\n")
        try place.run("keyfob account remove octo --force -q").expectSuccess()
        #expect(try UseLog.read(place).uses.first?.name == nil)
    }

    @Test("thirty programs at once lose nothing")
    func together() throws {
        try place.run(
            "for i in $(seq 30); do one/bin/keyfob token --tool t$i > /dev/null & done; wait; keyfob log --json > log"
        ).expectSuccess()
        let log = try UseLog.read(place)
        #expect(Set(log.uses.compactMap(\.tool)).count == 30 && log.uses.count == 30 && log.unreadableUses == nil)
    }

    @Test("records that were altered, repeated, cut or put elsewhere are counted, and the others told")
    func tampering() throws {
        try place.run("for i in 1 2 3; do one/bin/keyfob token --tool t$i > /dev/null; done").expectSuccess()
        try place.run(
            """
            cd data/keyfob/uses && f=$(ls) && head -c 512 $f > first && cat first >> $f && rm first &&
                head -c 512 /dev/urandom >> $f && printf part >> $f
            """
        ).expectSuccess()
        let log = try UseLog.read(place)
        #expect(log.uses.compactMap(\.tool) == ["t1", "t2", "t3"] && log.unreadableUses == 3)
        let shown = try place.run("one/bin/keyfob token; keyfob log")
        #expect(
            shown.errors == "keyfob: warning: 3 records or files of uses cannot be read, or stand there twice\n",
            "\(shown)")
        #expect(shown.text.contains("  sh  "))
    }

    @Test("what is in the way of noting is told, and nothing is removed through a link")
    func warning() throws {
        try place.run("one/bin/keyfob token && mv data/keyfob/uses real && ln -s ../../real data/keyfob/uses")
            .expectSuccess()
        let linked = try place.run("keyfob log")
        #expect(linked.errors.contains("warning: no token use is noted: ") && linked.errors.contains("is no folder"))
        #expect(!linked.errors.contains("no token was given"), "\(linked)")
        let open = try place.run(
            "rm data/keyfob/uses; mv real data/keyfob/uses; chmod 777 data/keyfob/uses; keyfob log --json")
        #expect(open.errors.contains("chmod 0700"), "\(open)")
        try place.run("chmod 700 data/keyfob/uses").expectSuccess()
        #expect(try UseLog.read(place).uses.count == 1)
    }

    @Test("a library's host program may have a limit for its files, and goes on")
    func fileLimit() throws {
        for limit in [0, 1, 2_000] {
            let outcome = try place.run("(ulimit -f \(limit); one/bin/keyfob token) | cat")
            #expect(outcome.text == "OCTO\n" && outcome.errors.isEmpty, "\(outcome)")
        }
        #expect(try UseLog.read(place).uses.isEmpty)
    }

    @Test("a request is noted before it is sent, with the host alone")
    func request() throws {
        let line = "keyfob request https://127.0.0.1:1/hidden --account octo --allow-host 127.0.0.1:1 --timeout 5"
        #expect(try place.run(line).status != 0)
        let uses = try UseLog.read(place).uses
        #expect(uses.map(\.host) == ["127.0.0.1:1"] && uses.first?.directory == nil, "\(uses)")
        #expect(try !place.run("keyfob log --json").expectSuccess().text.contains("hidden"))
    }

    @Test(
        "a token comes whatever is in the way, and nothing is said",
        arguments: [
            "ulimit -f 0", "rm -rf data/keyfob/uses; mkfifo data/keyfob/uses", "chmod 500 data/keyfob/uses",
            "rm -rf data/keyfob/uses; ln -s /etc data/keyfob/uses",
            "rm -rf data/keyfob/uses; ln -s none data/keyfob/uses",
            "for f in data/keyfob/uses/*; do rm $f; mkfifo $f; done", "chmod 777 data/keyfob/uses",
        ])
    func obstacle(line: String) throws {
        try place.run("one/bin/keyfob token").expectSuccess()
        for keyfob in ["alone/bin/keyfob", "keyfob"] {
            let outcome = try place.run("({ \(line); } && \(keyfob) token --account octo) | cat", deadline: 20)
            #expect(outcome.text == "OCTO\n" && outcome.errors.isEmpty, "\(keyfob): \(outcome)")
        }
    }
}

/// Real git, which asks a helper as it does.
@Suite("The log of what git uses", .waitsForPrograms)
struct GitUseLogTests {
    @Test("names the repository of a clone, a fetch and a push", arguments: ["keyfob", "!keyfob helper git"])
    func git(helper: String) throws {
        let (server, home) = try SignInPlace.atGitServer(of: "alice", variables: ["GIT_CONFIG_NOSYSTEM": "1"])
        try FrontProgram.install(in: home.place)
        try home.run(
            """
            keyfob bind --quiet --host \(server.host) alice && ln -s keyfob one/bin/git-credential-keyfob &&
                export PATH="$PWD/one/bin:$PATH" && git config --global credential.helper '\(helper)' &&
                git clone -q $URL/alice/app.git && cd app && git commit -q --allow-empty -m second && git push -q &&
                cd .. && git ls-remote -q $URL/alice/app.git > /dev/null
            """
        ).expectSuccess()
        let uses = try UseLog.read(home.place).uses
        #expect(uses.count >= 3)
        for use in uses {
            #expect(
                use.tool == "git" && use.host == server.host && use.repository == "\(server.host)/alice/app", "\(use)")
        }
    }
}
