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
