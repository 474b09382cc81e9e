import Foundation
import KeyfobTestSupport
import Testing

/// Real git against a server, asking the front, beside which is a full program that notes that it was started.
@Suite("git that is answered at once", .waitsForPrograms)
struct GitFrontTests {
    private let server: GuestServer
    private let home: SignInPlace

    init() throws {
        (server, home) = try SignInPlace.atGitServer(of: "alice", variables: ["GIT_CONFIG_NOSYSTEM": "1"])
        try FrontProgram.install(in: home.place)
        try home.run(
            """
            keyfob bind --quiet --host \(server.host) alice && cd one/libexec/keyfob && mv keyfob real &&
                printf '#!/bin/sh\\necho "$*" >> %s/started\\nexec %s/real "$@"\\n' "$OLDPWD" "$PWD" > keyfob &&
                chmod 755 keyfob && git config --global credential.helper "!$OLDPWD/one/bin/keyfob helper git"
            """
        ).expectSuccess()
    }

    @Test("clone, fetch and push start the full program only for a token that the server refuses")
    func started() throws {
        try home.run(
            """
            git clone -q $URL/alice/app.git && cd app && git fetch -q && git commit -q --allow-empty -m second &&
                git push -q && test ! -e ../started
            """
        ).expectSuccess()
        #expect(try server.requests().contains { $0.hasPrefix("200 Basic alice /alice/app.git/git-receive-pack") })
        // Somebody else's host is asked about, and told of, as often.
        try home.run(
            """
            for operation in get store erase; do
                printf 'protocol=https\\nhost=other.example\\nusername=x\\npassword=y\\n' |
                    $PWD/one/bin/keyfob helper git $operation || exit
            done; $PWD/one/bin/keyfob helper git capability > /dev/null && test ! -e started
            """
        ).expectSuccess()
        let token = try home.token()
        try server.refuse(token)
        let refused = try home.run("git -C app fetch -q; git -C app fetch -q && cat started")
        #expect(refused.text.contains("helper git erase\n"), "\(refused)")
        #expect(try home.token() != token)
    }
}
