import KeyfobInterop
import KeyfobModel
import Testing

@Suite("gh's hosts.yml")
struct GitHubHostsTests {
    private let ada = ToolSample.github
    private let bob = "github_pat_" + String(repeating: "b", count: 30)

    @Test("one user of each host, as gh wrote them before 2.40")
    func singleUser() throws {
        let sample = try ToolSample(
            """
            github.com:
                oauth_token: \(ada)
                user: Ada
                git_protocol: https
            ghe.example:8443:
                user: carol   # of the other company
                oauth_token: "\(bob)"
                git_protocol: ssh
            \("")
            """)
        #expect(sample.format == .gh)
        #expect(sample.tokens == ["access_token ada@github.com \(ada)", "access_token carol@ghe.example:8443 \(bob)"])
        #expect(sample.accounts.map(\.username) == ["Ada", "carol"])
        #expect(sample.findings.isEmpty)
    }

    @Test("several users of a host, of whom one is active")
    func severalUsers() throws {
        let sample = try ToolSample(
            """
            github.com:
                git_protocol: https
                users:
                    ada:
                        oauth_token: \(ada)
                    bob:
                        oauth_token: \(bob)
                user: bob
                oauth_token: \(bob)

            """)
        #expect(sample.tokens == ["access_token ada@github.com \(ada)", "access_token bob@github.com \(bob)"])
    }

    @Test("what is in the desktop's keyring is told, with the command that prints it")
    func keyring() throws {
        let several = try ToolSample(
            "github.com:\n    git_protocol: https\n    users:\n        ada:\n        bob:\n    user: bob\n")
        #expect(several.tokens.isEmpty)
        #expect(
            several.file?.findings.map(\.reason) == [
                .inKeyring(command: ["gh", "auth", "token", "--hostname", "github.com", "--user", "ada"]),
                .inKeyring(command: ["gh", "auth", "token", "--hostname", "github.com", "--user", "bob"]),
            ])
        #expect(several.findings.first == "ada at github.com: its token is in the desktop's keyring")
        let one = try ToolSample("ghe.example:\n    user: ada\n    git_protocol: ssh\n")
        #expect(
            one.file?.findings.map(\.reason) == [
                .inKeyring(command: ["gh", "auth", "token", "--hostname", "ghe.example"])
            ])
    }

    @Test(
        "a host of another provider, or of a service, and a token of nobody are left out",
        arguments: [
            ("gitlab.com", "user: ada", "gitlab.com: the host is one of another provider's"),
            (
                "login.microsoftonline.com", "user: ada",
                "login.microsoftonline.com: the host is one of another provider's"
            ),
            ("api.github.com", "user: ada", "api.github.com: the host is one of another provider's"),
            ("a b", "user: ada", "a b: there is no such host"),
            ("github.com", "git_protocol: ssh", "github.com: it does not say whose token it is"),
            ("github.com", "user: x-access-token", "github.com: it does not say whose token it is"),
        ])
    func leftOut(host: String, user: String, finding: String) throws {
        let sample = try ToolSample("\(host):\n    oauth_token: \(ada)\n    \(user)\n")
        #expect(sample.tokens.isEmpty && sample.accounts.isEmpty)
        #expect(sample.findings == [finding])
    }
}
