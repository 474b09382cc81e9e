import Foundation
import KeyfobTestSupport
import Testing

/// Real git over http against a server that asks the provider whose token it got.
@Suite("git with git-credential-keyfob", .waitsForPrograms)
struct GitCredentialTests {
    private let provider: ProviderServer
    private let server: GuestServer
    private let home: SignInPlace

    init() throws {
        provider = try ProviderServer.shared()
        server = try .git(provider, owners: "alice", "bob", "private")
        home = try SignInPlace(
            provider, options: "--api-host \(server.host)",
            variables: [
                "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_AUTHOR_NAME": "x",
                "GIT_AUTHOR_EMAIL": "x@x",
                "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@x",
            ])
        for user in ["alice", "bob"] { try home.signIn(user) }
        try home.run(
            """
            ln -s keyfob bin/git-credential-keyfob
            git config --global credential.helper '!git-credential-keyfob' && git config --global credential.useHttpPath true
            """
        ).expectSuccess()
    }

    private var url: String { "http://\(server.host)" }

    /// How git of this machine sends what a server takes both ways.
    private func scheme() throws -> String {
        let version = try home.run("git --version").text.split(separator: " ")[2].split(separator: ".").compactMap {
            Int($0)
        }
        return version.lexicographicallyPrecedes([2, 46]) ? "Basic" : "Bearer"
    }

    /// Those whom the server knew, with how they came.
    private func people() throws -> Set<String> {
        Set(
            try server.requests().filter { $0.hasPrefix("200 ") }.map {
                $0.split(separator: " ")[1...2].joined(separator: " ")
            })
    }

    /// Binds each owner's address to the account of that name.
    private func bindOwners() throws {
        for user in ["alice", "bob"] {
            try home.run("keyfob bind --quiet --url \(url)/\(user) \(user)").expectSuccess()
        }
    }

    @Test("two accounts at one host are told apart by the owner: clone, push and fetch", arguments: [false, true])
    func owners(isBound: Bool) throws {
        let unbound = try home.run("git clone \(url)/private/app.git")
        #expect(unbound.status == 128 && unbound.errors.contains("keyfob: the request fits 2 accounts"), "\(unbound)")
        if isBound { try bindOwners() }
        let scheme = try scheme()
        for user in ["alice", "bob"] {
            try home.run(
                """
                git clone -q \(url)/\(user)/app.git \(user) && cd \(user) && git commit -q --allow-empty -m second \\
                    && git push -q origin main && git fetch -q && git status -sb | grep -qx '## main...origin/main'
                """
            ).expectSuccess()
            #expect(try people().contains("\(scheme) \(user)"))
            let log = try home.run("git -C \(server.folder)/repos/\(user)/app.git log --format=%s main").text
            #expect(log == "second\nfirst\n")
        }
        #expect(try people().count == 2 && !server.requests().contains { $0.hasPrefix("403") })
    }

    @Test("whoever commits in a repository fetches, and pushes, with the account of that address")
    func committer() throws {
        try home.run("git clone -q http://alice@\(server.host)/private/app.git").expectSuccess()
        try home.run("git -C app remote set-url origin \(url)/private/app.git").expectSuccess()
        let nobody = try home.run("git -C app fetch")
        #expect(nobody.status == 128 && nobody.errors.contains("keyfob: the request fits 2 accounts"), "\(nobody)")
        let scheme = try scheme()
        let address = "users.noreply.\(provider.host)"
        let before = try server.requests().count
        try home.run("cd app && git config user.email 2+bob@\(address) && git fetch -q").expectSuccess()
        #expect(try server.requests().dropFirst(before).contains { $0.hasPrefix("200 \(scheme) bob") })
        // Of several repositories, by the person's own configuration.
        try home.run(
            """
            git -C app config --unset user.email
            git config --global includeIf."gitdir:~/".path .here && git config --file .here user.email alice@\(address)
            """
        ).expectSuccess()
        let later = try server.requests().count
        try home.run("cd app && git fetch -q && git push -q origin main:more").expectSuccess()
        let requests = try server.requests().dropFirst(later)
        #expect(requests.contains { $0.hasPrefix("200 \(scheme) alice") }, "\(requests)")
        #expect(!requests.contains { $0.contains("bob") }, "\(requests)")
    }

    @Test("without paths a directory's binding decides, and a user in the address before that")
    func withoutPaths() throws {
        try home.run(
            """
            git config --global credential.useHttpPath false && mkdir a && keyfob bind --quiet --directory a alice
            cd a && git clone -q \(url)/alice/app.git && cd app && git fetch -q
            git clone -q http://bob@\(server.host)/bob/app.git ../other
            """
        ).expectSuccess()
        let scheme = try scheme()
        #expect(try people() == ["\(scheme) alice", "\(scheme) bob"])
        for name in ["carol", "ali", "nobody"] {
            let outcome = try home.run("git clone -q http://\(name)@\(server.host)/alice/app.git no")
            #expect(outcome.status == 128 && !outcome.errors.contains("keyfob"), "\(outcome)")
        }
    }

    @Test("after a 401 the next attempt has a new token, once, and the account stays")
    func refused() throws {
        try bindOwners()
        try home.run("git clone -q \(url)/alice/app.git").expectSuccess()
        let (old, sign) = (try home.token("--account alice"), try home.refreshToken(of: "alice"))
        let count = try provider.refreshes().filter { $0.refreshToken == sign }.count
        try server.refuse(old)
        let refused = try home.run("cd app && git fetch")
        #expect(refused.status == 128 && !refused.errors.contains("keyfob"), "\(refused)")
        try home.run("cd app && git fetch && git push -q origin main:again").expectSuccess()
        let new = try home.token("--account alice")
        #expect(new != old)
        #expect(try provider.refreshes().filter { $0.refreshToken == sign }.count == count + 1)
        let accounts = try home.run("keyfob account list").expectSuccess().text
        #expect(accounts.split(separator: "\n").count { $0.contains("signed in") } == 2, "\(accounts)")
        try home.expectSound()

        // What git says that it has used must be what is stored.
        let erased = "protocol=http\nhost=\(server.host)\npath=alice/app.git\nusername=oauth2\npassword="
        for token in [old, "x", String(new.dropLast()), ""] {
            let outcome = try home.place.run("git credential-keyfob erase", text: erased + token + "\n\n")
            #expect(outcome.status == 0 && outcome.text.isEmpty && outcome.errors.isEmpty, "\(outcome)")
        }
        #expect(try home.token("--account alice") == new)
    }

    @Test("a redirection and a submodule lead to no token, and neither does another name of the host")
    func elsewhere() throws {
        try bindOwners()
        let other = "http://localhost:" + (server.host.split(separator: ":").last ?? "")
        try server.move(to: other)
        try home.run(
            """
            git clone -q \(url)/alice/app.git && cd app && git checkout -q -b evil
            printf '[submodule "s"]\\n\\tpath = s\\n\\turl = \(other)/alice/app.git\\n' > .gitmodules
            git add .gitmodules && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),s
            git commit -q -m evil && git push -q origin evil && cd .. && rm -rf app
            """
        ).expectSuccess()
        let before = try server.requests().count
        for line in ["git clone \(url)/moved/alice/app.git", "git clone \(other)/alice/app.git"] {
            let outcome = try home.run(line)
            #expect(outcome.status == 128 && !outcome.errors.contains("keyfob"), "\(outcome)")
        }
        #expect(try server.requests().dropFirst(before).allSatisfy { $0.hasPrefix("401 - ") })
        let recursive = try home.run("git clone -q -b evil --recurse-submodules \(url)/alice/app.git")
        #expect(recursive.status == 1 || recursive.status == 128, "\(recursive)")
        let scheme = try scheme()
        #expect(try people() == ["\(scheme) alice"])
    }

    @Test("a token that nothing renews stays, and that is told")
    func kept() throws {
        try home.place.add("octo", token: "gho_sample", "--host github.com")
        let lines = "protocol=https\nhost=github.com\n"
        #expect(
            try home.place.run("keyfob helper git get", text: lines).text == "username=octo\npassword=gho_sample\n")
        let outcome = try home.place.run("keyfob helper git erase", text: lines + "password=gho_sample\n")
        #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("github.com has refused the token of octo, which nothing renews"), "\(outcome)")
        #expect(try home.token("--account octo") == "gho_sample")
    }

    @Test("eight at once get one token, and eight refusals of it cost one refresh")
    func together() throws {
        try bindOwners()
        let lines = "protocol=http\nhost=\(server.host)\npath=bob/app.git\n"
        try home.place.write("asked", lines)
        let first = try home.run(
            "for i in 1 2 3 4 5 6 7 8; do keyfob helper git get < asked > out$i & done; wait; cat out*"
        ).expectSuccess().text.split(separator: "\n")
        let token = try #require(first.first { $0.hasPrefix("password=") })
        #expect(first.count { $0 == token } == 8)
        let sign = try home.refreshToken(of: "bob")
        try home.place.write("used", lines + token + "\n")
        let second = try home.run(
            """
            for i in 1 2 3 4 5 6 7 8; do (keyfob helper git erase < used; keyfob helper git get < asked > out$i) & done
            wait; cat out*
            """
        ).expectSuccess()
        #expect(second.errors.isEmpty, "\(second)")
        let new = Set(second.text.split(separator: "\n").filter { $0.hasPrefix("password=") })
        #expect(new.count == 1 && !new.contains(token), "\(second)")
        #expect(try provider.refreshes().count { $0.refreshToken == sign } == 1)
        try home.expectSound()
    }
}
