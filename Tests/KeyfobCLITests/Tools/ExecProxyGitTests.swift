import Foundation
import KeyfobTestSupport
import Testing

/// Real git over https against git http-backend, behind `keyfob exec --proxy`.
@Suite("git whose requests get a token on their way", .waitsForPrograms)
struct ExecProxyGitTests {
    private let server: GuestServer
    private let home: SignInPlace

    init() throws {
        let provider = try ProviderServer(.init(isSecure: true))
        server = try .git(provider, owners: "alice", "bob")
        home = try SignInPlace(
            provider, options: "--api-host \(server.host)",
            variables: [
                "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_AUTHOR_NAME": "x",
                "GIT_AUTHOR_EMAIL": "x@x", "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@x",
                "URL": "https://\(server.host)", "SERVER": server.host,
            ])
        for user in ["alice", "bob"] { try home.signIn(user) }
    }

    @Test("clone and push by the address that it always had; each account reaches its own, and nothing is left behind")
    func repositories() throws {
        let outcome = try home.run(
            """
            for user in alice bob; do
                keyfob exec --proxy --account $user -- sh -c '
                    git clone -q $URL/$1/app.git $1 && git -C $1 commit -q --allow-empty -m second &&
                        git -C $1 push -q && git -C $1 remote get-url --push origin | sed "s,$KEYFOB_PROXY,BASE,"
                    git -C $1 config --get --local remote.origin.url' - $user
            done
            keyfob exec --proxy --account alice -- git clone -q $URL/bob/app.git stolen 2> /dev/null; echo $?
            grep -rl 127.0.0.1.*127.0.0.1 alice/.git bob/.git; git clone -q $URL/alice/app.git late 2> /dev/null; echo $?
            """)
        #expect(
            outcome.text == ["alice", "bob"].map {
                "BASE/\(server.host)/\($0)/app.git\nhttps://\(server.host)/\($0)/app.git\n"
            }
            .joined() + "128\n128\n", "\(outcome)")
        let found = try server.requests().filter { $0.hasPrefix("200 ") }
        #expect(found.contains { $0.hasPrefix("200 Basic alice /alice/app.git/git-receive-pack") }, "\(found)")
        #expect(found.contains { $0.hasPrefix("200 Basic bob /bob/app.git/git-receive-pack") }, "\(found)")
        #expect(!found.contains { $0.contains("alice /bob") || $0.contains("bob /alice") })
    }

    @Test("with rules for reading a push is refused, and configuration that the caller has in variables stays")
    func reading() throws {
        let outcome = try home.run(
            """
            export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=x.y GIT_CONFIG_VALUE_0=kept
            keyfob exec --proxy --account alice --allow "GET $SERVER/alice/app.git/info/refs" \\
                --allow "POST $SERVER/alice/app.git/git-upload-pack" -- sh -c '
                git config x.y; git clone -q $URL/alice/app.git && git -C app commit -q --allow-empty -m second
                git -C app push -q 2> refused; echo $?; git -C app fetch -q; echo $?'
            """)
        #expect(outcome.text == "kept\n128\n0\n" || outcome.text == "kept\n1\n0\n", "\(outcome)")
        #expect(
            outcome.errors.contains("not passed on: POST \(server.host)/alice/app.git/git-receive-pack: no --allow"),
            "\(outcome)")
        #expect(try !server.requests().contains { $0.contains("receive-pack") && !$0.contains("info/refs") })
    }

    @Test(
        "a number of variables that git does not take is none",
        arguments: ["9223372036854775807", "2147483648", "-5", "x"])
    func count(number: String) throws {
        let outcome = try home.run(
            "GIT_CONFIG_COUNT=\(number) keyfob exec --proxy --account alice -- git ls-remote -q $URL/alice/app.git"
        ).expectSuccess()
        #expect(outcome.text.contains("HEAD"), "\(outcome)")
    }

    /// Has git ask keyfob for tokens, and trust the server where it asks that one itself.
    private func setUpHelper() throws -> String {
        try home.run("ln -s keyfob bin/git-credential-keyfob && keyfob setup git --force").expectSuccess()
        return "export GIT_SSL_CAINFO=$KEYFOB_CA_FILE OTHER=$(echo $URL | sed s,//,//alice@,)"
    }

    @Test("git that asks keyfob for tokens gets none behind the proxy, by whatever address")
    func helper() throws {
        let setUp = try setUpHelper()
        // A proxy alone leads there by these names: git trusts nobody at the server itself.
        let proxied = try home.run(
            """
            \(setUp); export GIT_SSL_CAINFO=/dev/null
            keyfob exec --proxy --account alice -- sh -c '
                git clone -q $URL/alice/app.git plain && git clone -q $OTHER/alice/app.git named && ls'
            """)
        #expect(proxied.text.contains("named\n") && proxied.text.contains("plain\n"), "\(proxied)")
        let around = try home.run(
            """
            \(setUp)
            keyfob exec --proxy --account alice --allow "GET $SERVER/alice/app.git/info/refs" \\
                --allow "POST $SERVER/alice/app.git/git-upload-pack" -- sh -c '
                git clone -q $(echo $URL | sed s,//,//bob@,)/bob/app.git stolen; echo $?
                git clone -q $(echo $URL | sed s,https,HTTPS,)/alice/app.git capitals; echo $?
                cd named && git commit -q --allow-empty -m second && git push -q; echo $?'
            """)
        #expect(around.text == "128\n128\n128\n" || around.text == "128\n128\n1\n", "\(around)")
        #expect(
            around.errors.contains("not passed on: POST \(server.host)/alice/app.git/git-receive-pack: no --allow"),
            "\(around)")
        let requests = try server.requests()
        #expect(!requests.contains { $0.hasPrefix("200 ") && $0.contains("/bob/") }, "\(requests)")
        #expect(!requests.contains { $0.contains("git-receive-pack") }, "\(requests)")
        // Outside of it all is as before.
        let outside = try home.run("\(setUp); git clone -q $OTHER/alice/app.git outside && ls outside/.git/HEAD")
        #expect(outside.text == "outside/.git/HEAD\n", "\(outside)")
    }

    @Test("addresses with the account's name and the port of https lead to the proxy, and so do no others")
    func addresses() throws {
        let outcome = try home.run(
            """
            keyfob bind --quiet --host git.test alice && keyfob account label --quiet alice 'A b' > /dev/null
            keyfob exec --proxy --account alice -- sh -c '
                for place in git.test git.test:443 alice@git.test alice@git.test:443 A%20b@git.test bob@git.test \\
                    git.test:444 git.test.evil other.test; do
                    git ls-remote --get-url https://$place/x | sed "s,$KEYFOB_PROXY,BASE,"
                done'
            """)
        #expect(
            outcome.text == String(repeating: "BASE/git.test/x\n", count: 5)
                + ["bob@git.test", "git.test:444", "git.test.evil", "other.test"].map { "https://\($0)/x\n" }.joined(),
            "\(outcome)")
    }

    @Test("variables of git's that the caller has set stay, and a helper in them gives nothing")
    func variables() throws {
        try home.place.write("helper", "#!/bin/sh\necho password=STOLEN; echo username=x")
        let outcome = try home.run(
            """
            chmod +x helper; export HELPER=$PWD/helper GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=x.y GIT_CONFIG_VALUE_0=kept
            export GIT_CONFIG_KEY_1=credential.https://other.test.helper GIT_CONFIG_VALUE_1=$HELPER
            git config --global alias.behind '!keyfob exec --proxy --account alice --'
            ask='git config x.y; git config a.b; printf "protocol=https\\nhost=other.test\\n\\n" | git credential fill 2>&1 | grep -c STOLEN'
            sh -c "$ask"; git -c a.b=too -c credential.helper=$HELPER behind sh -c "$ask"
            """)
        #expect(outcome.text == "kept\n1\nkept\ntoo\n0\n", "\(outcome)")
    }

    @Test("a push of tens of megabytes goes through, and the account's refused token is replaced")
    func large() throws {
        try server.refuse(home.token("--account alice"))
        let outcome = try home.run(
            """
            keyfob exec --proxy --account alice -- sh -c '
                git clone -q $URL/alice/app.git && cd app && head -c 40000000 /dev/urandom > big && git add big &&
                    git commit -q -m big && git push -q && git ls-remote -q origin main | cut -c 1-40
                git rev-parse HEAD'
            """, deadline: 300)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == lines[1] && outcome.errors.isEmpty, "\(outcome)")
    }
}
