import Foundation
import KeyfobTestSupport
import Testing

/// One person is one account, however it came in: an account that a name was claimed for becomes that of the person who proves the name.
@Suite("Accounts of a claimed name, and who proves it", .waitsForPrograms)
struct AdoptionTests {
    /// How an account comes in without anybody signing in.
    enum Source: String, CaseIterable, Sendable {
        case gh, gitCredentials, login, mail
    }

    /// Where its person signs in then.
    enum Place: String, CaseIterable, Sendable {
        case github, gitlab, microsoft
        case openID = "sso"

        var host: String {
            switch self {
            case .github: "github.com"
            case .gitlab: "gitlab.com"
            case .microsoft: "login.microsoftonline.com"
            case .openID: "sso.contoso.example"
            }
        }
    }

    private static let table: [(Source, Place)] = [
        (.gh, .github), (.gitCredentials, .github), (.login, .github), (.gitCredentials, .gitlab), (.login, .gitlab),
        (.mail, .microsoft), (.login, .openID), (.mail, .openID),
    ]

    fileprivate static let token = "ghp_0000000000000000000000000000000000001"

    /// A home of people that know a provider; at GitHub they sign in by a code, one after the other.
    struct Home {
        let home: NamedPlace
        let place: Place

        init(_ place: Place, sitting: [String] = ["ada"], _ options: [String: any Sendable] = [:]) throws {
            self.place = place
            let people: [String: any Sendable]
            switch place {
            case .github: people = ["people": ["ada": 1815, "ben": 1816], "sitting": sitting, "interval": 1]
            case .gitlab: people = [:]
            case .microsoft: people = [:]
            case .openID: people = ["people": ["ada", "ben"]]
            }
            let name = place == .openID ? "openid" : place.rawValue
            home = try NamedPlace(.init(name, people.merging(options) { $1 }))
            switch place {
            case .github: try run("keyfob client add --quiet --well-known github-cli").expectSuccess()
            case .gitlab: try run("keyfob client add --quiet client-1 --provider gitlab").expectSuccess()
            case .microsoft: try run("keyfob client add --quiet --well-known azure-cli").expectSuccess()
            case .openID: try home.addProvider("sso", "https://sso.contoso.example")
            }
        }

        @discardableResult
        func run(_ line: String) throws -> Outcome { try home.run(line) }

        /// The name that is claimed for Ada.
        func name(_ source: Source) -> String { source == .mail ? "ada@contoso.example" : "ada" }

        /// Brings an account in.
        func bring(_ source: Source) throws {
            let (name, host, token) = (
                name(source), place.host, place == .gitlab ? "glpat-00000000000000000001" : AdoptionTests.token
            )
            switch source {
            case .gh:
                try home.place.write(
                    "hosts.yml",
                    "\(host):\n    users:\n        \(name):\n            oauth_token: \(token)\n    user: \(name)\n")
                try run("chmod 600 hosts.yml && keyfob import --quiet hosts.yml").expectSuccess()
            case .gitCredentials:
                try home.place.write("credentials", "https://\(name):\(token)@\(host)\n")
                try run("chmod 600 credentials && keyfob import --quiet credentials").expectSuccess()
            case .login, .mail:
                try run("printf %s \(token) | keyfob add --quiet --account \(name) --host \(host)").expectSuccess()
            }
        }

        /// Signs somebody in; of GitHub's people it is who sits there next.
        func signIn(as person: String = "ada", _ options: String = "") throws -> Outcome {
            let scopes = place == .openID ? "--scope openid --scope profile --scope email --scope offline_access" : ""
            if place == .github { return try run("keyfob login --quiet --device github \(options)") }
            let browser = home.server.environment["BROWSER"]?.replacing("%s", with: "%s \(person)") ?? ""
            return try run("BROWSER='\(browser)' keyfob login \(place.rawValue) --quiet \(scopes) \(options)")
        }

        func accounts() throws -> [[String: Any]] {
            let document = try home.place.document("keyfob account list --json")
            return document["accounts"] as? [[String: Any]] ?? []
        }

        func ids() throws -> [String] { try accounts().compactMap { $0["id"] as? String }.sorted() }
    }

    @Test("of the same person it is one account, which keeps label, binding, default and token", arguments: table)
    func same(_ source: Source, _ place: Place) throws {
        for options in ["", "--account"] {
            let home = try Home(place)
            try home.bring(source)
            let name = home.name(source)
            let stored = try home.home.token("--account \(name)")
            try home.run(
                """
                keyfob account label --quiet \(name) engine && keyfob account default --quiet engine \\
                    && keyfob bind --quiet --host \(place.host) engine
                """
            ).expectSuccess()
            let claimed = try #require(try home.ids().first)
            try home.signIn(
                as: place == .microsoft ? "ada@contoso.example" : "ada", options.isEmpty ? "" : "--account \(name)"
            )
            .expectSuccess()
            let accounts = try home.accounts()
            let account = try #require(accounts.first)
            #expect(accounts.count == 1 && account["id"] as? String != claimed, "\(accounts)")
            #expect(account["label"] as? String == "engine" && account["isDefault"] as? Bool == true)
            #expect((account["formerNames"] as? [String])?.first == claimed)
            #expect(try home.home.token("--account '\(claimed)' --client personal-access-token") == stored)
            #expect(try home.run("keyfob bindings").expectSuccess().text.contains("in force"))
            for called in ["engine", name, claimed] {
                #expect(
                    try home.run("keyfob account show '\(called)'").expectSuccess().text.contains(
                        "before    \(claimed)"))
            }
            // The same file once more is the same person's.
            try home.bring(source)
            #expect(try home.ids() == [account["id"] as? String])
            try home.run("keyfob verify --quiet").expectSuccess()
        }
    }

    @Test("somebody else is not stored in its place, and what was there stays", arguments: table)
    func other(_ source: Source, _ place: Place) throws {
        let home = try Home(place, sitting: ["ben"])
        try home.bring(source)
        let (before, name) = (try home.run("keyfob account list --json").text, home.name(source))
        let stored = try home.home.token("--account \(name)")
        let person = place == .microsoft ? "ben@fabrikam.example" : "ben"
        let outcome = try home.signIn(as: person, "--account \(name)")
        #expect(outcome.status != 0 && outcome.errors.contains("nothing was stored"), "\(outcome)")
        #expect(try home.run("keyfob account list --json").text == before)
        // Without that name it is a second account.
        if place != .github { try home.signIn(as: person).expectSuccess() }
        #expect(try home.ids().count == (place == .github ? 1 : 2))
        #expect(try home.home.token("--account \(name)") == stored)
    }

    @Test("an import of a proved account's user name stays apart, until that person signs in with it")
    func afterwards() throws {
        let home = try Home(.github, sitting: ["ada", "ada"])
        try home.signIn().expectSuccess()
        let (own, id) = (try home.home.token(), try home.ids()[0])
        try home.place(file: "ada")
        let outcome = try home.run("keyfob import hosts.yml").expectSuccess()
        let hint = "keyfob login --account ada@github.com"
        #expect(outcome.errors.contains("'\(hint)'"), "\(outcome)")
        #expect(try home.ids() == [id, "ada@github.com"].sorted())
        #expect(try home.home.token("--account \(id)") == own)
        try home.run(hint + " --quiet").expectSuccess()
        #expect(try home.ids() == [id])
        #expect(try home.home.token("--account ada@github.com --client personal-access-token") == Self.token)
    }

    @Test("what meant an imported account that was removed means the person who proves its name")
    func removed() throws {
        let home = try Home(.openID, ["access_lifetime": 3_600])
        try home.bring(.login)
        try home.run("keyfob bind --quiet --tool gh ada && keyfob account remove --quiet --force ada").expectSuccess()
        try home.signIn().expectSuccess()
        let token = try home.home.token("--account subject-of-ada")
        #expect(try home.home.token("--tool gh") == token)
    }

    @Test(
        "what MSAL keeps of a person is theirs already, imported or mirrored",
        arguments: ["import", "mirror azure-cli --force"])
    func identified(command: String) throws {
        let home = try Home(.microsoft)
        try home.run(
            """
            export HOMES='\(ProjectFolder.root.path)/Tests/Guides/homes' SAMPLES='\(ProjectFolder.root.path)/Samples'
            . "$HOMES/common.sh" && azure && keyfob \(command) --quiet \(command == "import" ? "~/.azure/msal_token_cache.json" : "")
            """
        ).expectSuccess()
        let ids = try home.ids()
        try home.run("keyfob account label --quiet ada@contoso.example engine").expectSuccess()
        for options in ["", "--account engine"] {
            try home.signIn(as: "ada@contoso.example", options).expectSuccess()
            #expect(try home.ids() == ids && !ids.isEmpty)
            #expect(try home.accounts().contains { $0["label"] as? String == "engine" })
        }
    }

    @Test("of two accounts that fit none is taken, and both are named")
    func ambiguous() throws {
        let home = try Home(.openID)
        for source in [Source.login, .mail] { try home.bring(source) }
        let before = try home.run("keyfob account list --json").text
        let outcome = try home.signIn()
        #expect(outcome.status != 0, "\(outcome)")
        for id in ["ada@sso.contoso.example", "ada@contoso.example@sso.contoso.example", "nothing was stored"] {
            #expect(outcome.errors.contains(id), "\(outcome)")
        }
        #expect(try home.run("keyfob account list --json").text == before)
        // Nobody keeps the tokens.
        #expect(try home.home.server.requests().last?.path == "/revoke")
        try home.signIn("--account ada@sso.contoso.example").expectSuccess()
        #expect(try home.ids().count == 2)
    }

    @Test("a mail address that nobody has verified proves nothing", arguments: ["false", "yes"])
    func unverified(word: String) throws {
        let says = ["ben": ["email": "ada@contoso.example", "email_verified": word]]
        let home = try Home(.openID, ["says": says])
        try home.bring(.mail)
        try home.signIn(as: "ben").expectSuccess()
        #expect(try home.ids().contains("ada@contoso.example@sso.contoso.example"))
        let outcome = try home.signIn(as: "ben", "--account ada@contoso.example@sso.contoso.example")
        #expect(outcome.errors.contains("nothing was stored"), "\(outcome)")
    }

    @Test("two who swap their user names keep their accounts, and old names find them where nobody has them now")
    func swapped() throws {
        let home = try Home(.openID)
        for person in ["ada", "ben"] { try home.signIn(as: person).expectSuccess() }
        let tokens = try ["ada", "ben"].map { try home.home.token("--account subject-of-\($0)") }
        try home.home.server.set(
            .init(
                "openid",
                [
                    "people": ["ada", "ben"],
                    "says": ["ada": ["preferred_username": "ben"], "ben": ["preferred_username": "ada"]],
                ]))
        try home.signIn(as: "ada").expectSuccess()
        // While one of them alone has signed in, the old name still finds her.
        #expect(try home.run("keyfob account show ada").expectSuccess().text.contains("subject-of-ada"))
        try home.signIn(as: "ben").expectSuccess()
        #expect(try home.run("keyfob account show ada").expectSuccess().text.contains("id        subject-of-ben@"))
        #expect(try home.run("keyfob account show ben").expectSuccess().text.contains("id        subject-of-ada@"))
        #expect(try home.ids().count == 2)
        #expect(try home.home.token("--account ada") != tokens[0])
    }

    @Test("a new user name in the ID token of a refresh is taken, and the old one still finds the account")
    func renamed() throws {
        let home = try Home(.openID)
        try home.signIn().expectSuccess()
        try home.home.server.set(
            .init(
                "openid", ["people": ["ada"], "says": ["ada": ["preferred_username": "countess", "name": "Countess"]]]))
        try home.run("keyfob token --force-refresh").expectSuccess()
        let account = try #require(try home.accounts().first)
        #expect(account["username"] as? String == "countess" && account["displayName"] as? String == "Countess")
        #expect(account["formerNames"] as? [String] == ["ada"])
        try home.run("keyfob token --account ada").expectSuccess()
    }

    @Test("userinfo that is of somebody else ends the sign-in; one that fails does not")
    func contradiction() throws {
        let home = try Home(.openID, ["names": "userinfo", "userinfo_says": ["ada": ["sub": "subject-of-ben"]]])
        let outcome = try home.signIn()
        #expect(outcome.status != 0 && outcome.errors.contains("userinfo"), "\(outcome)")
        #expect(try home.ids().isEmpty)
        try home.home.server.control(.init(paths: ["/userinfo"], status: 500))
        try home.signIn().expectSuccess()
        #expect(try home.ids() == ["subject-of-ada@sso.contoso.example"])
    }

    @Test("names that are too long, or not for a terminal, are none", arguments: ["\u{1B}[2J", "a\u{202E}b", ""])
    func unsafe(name: String) throws {
        let text = name.isEmpty ? String(repeating: "n", count: 1_025) : name
        let home = try Home(.openID, ["says": ["ada": ["preferred_username": text, "email": ""]]])
        try home.signIn().expectSuccess()
        let shown = try home.run("keyfob account list").expectSuccess().text
        #expect(!shown.contains(text) && !shown.contains("\u{1B}"), "\(shown)")
        #expect(try !home.home.names().contains("-"))
    }
}

extension AdoptionTests.Home {
    /// Writes what gh keeps of somebody.
    fileprivate func place(file person: String) throws {
        try home.place.write(
            "hosts.yml",
            "github.com:\n    users:\n        \(person):\n            oauth_token: ghp_0000000000000000000000000000000000001\n    user: \(person)\n"
        )
        try run("chmod 600 hosts.yml").expectSuccess()
    }
}
