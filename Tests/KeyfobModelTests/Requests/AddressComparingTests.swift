import KeyfobModel
import Testing

@Suite("Addresses as their hosts compare them")
struct AddressComparingTests {
    private static let caseless = [
        "github.com", "api.github.com", "ssh.github.com", "contoso.ghe.com", "ghcr.io", "gitlab.com",
        "registry.gitlab.com", "bitbucket.org", "api.bitbucket.org", "dev.azure.com", "ssh.dev.azure.com",
        "contoso.visualstudio.com",
    ]
    private static let others = [
        "git.example", "github.com.example", "evil-github.com", "github.com:8443", "gitea.example", "ghe.com",
        "graph.microsoft.com", "login.microsoftonline.com", "example.com",
    ]

    @Test("owners and paths are the same in capitals at some hosts", arguments: caseless)
    func withoutCase(host: String) throws {
        let address = try ResourceURL(parsing: "https://\(host)/CONTOSO/App/x")
        #expect(address.isWithin(ResourceURL(host: host, path: ["contoso", "aPP"])))
        #expect(address.isOwned(by: "Contoso") && address.compared.path == ["contoso", "app", "x"])
        #expect(!address.isWithin(ResourceURL(host: host, path: ["contos"])))
        let subjects = ["Contoso/App", "contoso/app"].map {
            Binding.Subject.address(ResourceURL(host: host, path: $0.split(separator: "/").map(String.init)))
        }
        #expect(subjects[0] == subjects[1] && subjects[0].text == "\(host)/contoso/app")
        #expect(Binding.Subject(kind: "url", text: "\(host)/Contoso/App") == subjects[0])
    }

    @Test("and others at all other hosts", arguments: others)
    func withCase(host: String) throws {
        let address = try ResourceURL(parsing: "https://\(host)/Contoso/App")
        #expect(!address.isWithin(ResourceURL(host: host, path: ["contoso"])))
        #expect(address.isWithin(ResourceURL(host: host, path: ["Contoso"])))
        #expect(address.isOwned(by: "Contoso") && !address.isOwned(by: "contoso"))
        #expect(Binding.Subject.address(address).text == "\(host)/Contoso/App")
    }

    @Test(
        "what need not be encoded is as good as what is not",
        arguments: [("%43ontoso", "Contoso"), ("a%2Db", "a-b"), ("a%2fb", "a%2Fb"), ("%c4%84da", "%C4%84da")])
    func encodings(left: String, right: String) {
        let (one, other) = (
            ResourceURL(host: "git.example", path: [left]), ResourceURL(host: "git.example", path: [right])
        )
        #expect(one.isWithin(other) && other.isWithin(one))
        #expect(Binding.Subject.address(one) == Binding.Subject.address(other))
        #expect(
            !ResourceURL(host: "git.example", path: ["a", "b"]).isWithin(
                ResourceURL(host: "git.example", path: ["a%2Fb"])))
    }

    @Test("an owner beyond ASCII is found where it is encoded too")
    func encodedOwner() throws {
        let address = try ResourceURL(parsing: "https://gitlab.com/%C4%85da/notes")
        #expect(address.isOwned(by: "Ąda") && address.isOwned(by: "a\u{328}da"))
    }

    struct User: Sendable {
        let user: String
        let url: String
        let login: String?
    }

    @Test(
        "a user in an address means an account, unless any token is taken by that name",
        arguments: [
            User(user: "ada", url: "github.com/ada/notes", login: "ada"),
            User(user: "contoso", url: "github.com/contoso/app", login: "contoso"),
            User(user: "ada", url: "git.example", login: "ada"),
            User(user: "oauth2", url: "gitlab.com/a/b", login: nil),
            User(user: "GIT", url: "github.com/a/b", login: nil),
            User(user: "token", url: "github.com/a/b", login: nil),
            User(user: "x-access-token", url: "github.com/a/b", login: nil),
            User(user: "x-token-auth", url: "bitbucket.org/a/b", login: nil),
            User(user: "PersonalAccessToken", url: "dev.azure.com/a/b", login: nil),
            User(user: "", url: "github.com/a/b", login: nil),
            User(user: "contoso", url: "dev.azure.com/contoso/app/_git/app", login: nil),
            User(user: "Contoso", url: "dev.azure.com/contoso/app/_git/app", login: nil),
            User(user: "contoso", url: "contoso.visualstudio.com/app/_git/app", login: nil),
            User(user: "contoso", url: "dev.azure.com", login: nil),
            User(user: "ada", url: "dev.azure.com/contoso/app/_git/app", login: "ada"),
            User(user: "ada@contoso.example", url: "dev.azure.com", login: "ada@contoso.example"),
            User(user: "contoso", url: "dev.azure.com.example/contoso", login: "contoso"),
        ])
    func logins(user: User) throws {
        #expect(try ResourceURL(parsing: user.url).login(user.user) == user.login)
    }

    @Test(
        "a user is taken out of an address, and a password is not",
        arguments: [
            ("https://ada@git.example/a", "https://git.example/a", "ada"),
            ("ada@git.example/a", "git.example/a", "ada"),
            ("https://ada%40contoso.example@git.example", "https://git.example", "ada@contoso.example"),
            ("https://git.example/a@b", "https://git.example/a@b", nil),
            ("https://git.example?x=a@b", "https://git.example?x=a@b", nil),
            ("https://ada:secret@git.example/a", "https://ada:secret@git.example/a", nil),
            ("https://:secret@git.example", "https://:secret@git.example", nil),
            ("https://@git.example", "https://@git.example", nil), ("https://a%0ab@h", "https://a%0ab@h", nil),
            ("https://%zz@h", "https://%zz@h", nil), ("git.example:8443/a", "git.example:8443/a", nil),
        ] as [(String, String, String?)])
    func users(text: String, rest: String, user: String?) {
        let found = ResourceURL.withoutUser(text)
        #expect(found.text == rest && found.user == user)
    }
}
