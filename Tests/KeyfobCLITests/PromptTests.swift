import KeyfobTestSupport
import Testing

/// By the front, which hands on where `LD_PRELOAD` is set; in an ordinary run both ways are the full program.
@Suite("Who counts, in a prompt", .waitsForPrograms)
struct PromptTests {
    /// What is done, and what the prompt says then.
    private static let cases: [(does: String, says: String)] = [
        ("true", "?"),
        ("keyfob use -q bob", "bob"),
        ("keyfob use -q bob && keyfob logout -q --force bob", "bob (sign in)"),
        (
            "keyfob use -q bob && for n in 1 2 3 4 5; do echo t | keyfob add -q --account p$n --host git.example; done",
            "bob"
        ),
        ("echo 'account = \"bob\"' > .keyfob.toml && keyfob allow -q .keyfob.toml", "bob"),
        ("keyfob account label -q ada 'Work $(id) 50% `x` \\ !'", "?"),
        (
            "keyfob account label -q ada 'Work $(id) 50% `x` \\ !' && keyfob use -q ada@git.example",
            "Work _(id) 50_ _x_ _ _"
        ),
        ("keyfob account remove -q --force ada && keyfob account remove -q --force bob", ""),
    ]

    private static func home() throws -> Workplace {
        let place = try Workplace.withVault()
        for name in ["ada", "bob"] { try place.add(name, token: "token-of-\(name)") }
        return place
    }

    private static func expect(_ place: Workplace, _ says: String, _ variables: String = "") throws {
        for way in ["", "LD_PRELOAD="] {
            let outcome = try place.run("\(variables) \(way) keyfob prompt")
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            #expect(outcome.text == (says.isEmpty ? "" : says + "\n"), "\(outcome)")
        }
    }

    @Test("the front and the full program say the same", arguments: cases)
    func same(_ one: (does: String, says: String)) throws {
        let place = try Self.home()
        try place.run(one.does).expectSuccess()
        try Self.expect(place, one.says)
    }

    @Test("what was chosen before counts, also among many and in a repository")
    func remembered() throws {
        let place = try Self.home()
        try place.run(
            "git init -q app && cd app && git remote add origin https://git.example/contoso/app && git config user.email x@y.example"
        ).expectSuccess()
        let run = try place.onTerminal(
            "sh -c 'cd app && keyfob token > ../out 2> ../err'", [("2/2", "bob\r")])
        #expect(run.status == 0, "\(run)")
        for way in ["", "LD_PRELOAD="] {
            let outcome = try place.run("cd app && \(way) keyfob prompt").expectSuccess()
            let who = try place.run("cd app && keyfob whoami | head -1").text
            #expect(outcome.text == "bob\n" && who.contains("bob"), "\(outcome) \(who)")
        }
    }

    @Test("a name decides among very many, and else it is not found out")
    func many() throws {
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: 80).json())
        try place.run("keyfob import --quiet cache.json").expectSuccess()
        try Self.expect(place, "?")
        try Self.expect(place, "person7@tenant-two.example", "KEYFOB_ACCOUNT=person7@tenant-two.example")
    }

    @Test(
        "nothing that is wrong is told",
        arguments: ["KEYFOB_GROUP=a/b", "KEYFOB_GROUP=nowhere", "KEYFOB_KEY_FILE=missing"])
    func silent(variables: String) throws { try Self.expect(try Self.home(), "", variables) }
}
