import Foundation
import KeyfobTestSupport
import Testing

@Suite("Tokens put into a text", .waitsForPrograms)
struct InjectTests {
    private let place: Workplace

    init() throws {
        place = try Workplace.withVault()
        try place.add("ada", token: "ADA", "--scope repo")
        try place.add("bob", token: "BOB", "--scope repo")
    }

    @Test("the file is whole, for its owner, and replaced only where that is said")
    func file() throws {
        try place.write("template", Data("\u{0}a keyfob://ada/repo\nkeyfob://bob/ ".utf8) + [0xFF])
        let made = try place.run("umask 0; keyfob inject -i template -o out").expectSuccess()
        #expect(made.errors == "wrote out, with tokens of ada, bob\n" && made.text.isEmpty, "\(made)")
        #expect(try place.read("out") == Data("\u{0}a ADA\nBOB ".utf8) + [0xFF])
        #expect(try place.run("stat -c %a out").text == "600\n")
        try place.write("template", "keyfob://bob/repo")
        try place.run("keyfob inject -i template -o out").expectError(73, "--force")
        let before = try place.read("out")
        try place.run("ln -s out link; keyfob inject -q --force -i template -o link").expectSuccess()
        #expect(try place.run("cat link; stat -c ' %F' link").text == "BOB regular file\n")
        #expect(try place.read("out") == before)
        try place.run("mkfifo pipe; keyfob inject --force -i template -o pipe").expectError(73, "not a regular file")
        #expect(try place.run("test -p pipe").status == 0)
        #expect(try place.run("ls | grep -F .new").text.isEmpty)
    }

    @Test("where one token is missing nothing is written")
    func missing() throws {
        try place.write("out", "old")
        for (template, status, words) in [
            ("keyfob://ada/repo\\nkeyfob://eve/repo", 13, "line 2: there is no account 'eve'"),
            ("keyfob://ada/repo\\n\\nkeyfob://ada/admin", 10, "line 3"), ("keyfob:///repo", 11, "line 1"),
            ("keyfob://ada", 65, "line 1: a reference is keyfob://ACCOUNT/SCOPE"), ("keyfob://ada/%2", 65, "line 1"),
        ] {
            try place.run("printf '\(template.replacing("%", with: "%%"))' | keyfob inject").expectError(
                Int32(status), words)
            try place.run("printf '\(template.replacing("%", with: "%%"))' | keyfob inject --force -o out")
                .expectError(Int32(status), words)
        }
        #expect(try place.read("out") == Data("old".utf8))
        try place.run("ls -d out.*").expectNothing()
    }

    @Test("what is too large, not there, or not to be written is told, and the vault not asked")
    func bad() throws {
        try place.run("rm key; head -c 1048577 /dev/zero > large; mkdir folder").expectSuccess()
        try place.run("keyfob inject -i large").expectError(65, "1048576")
        try place.run("keyfob inject < large").expectError(65, "1048576")
        try place.run("keyfob inject -i nowhere").expectError(66, "nowhere")
        try place.run("keyfob inject -i folder").expectError(78, "folder")
        try place.run("echo x | keyfob inject -o folder").expectError(73)
        try place.run("echo keyfob://x | keyfob inject").expectError(65)
        #expect(try place.run("keyfob inject --json").status == 64)
        try place.run("echo x | keyfob inject >&-").expectError(74)
    }

    @Test("a token with control characters goes nowhere: not into a text, a variable, a file, nor to a mail server")
    func controls() throws {
        var sections = SampleCache(people: 1, tenants: ["tenant-one"]).sections()
        for key in Array((sections["AccessToken"] ?? [:]).keys) {
            sections["AccessToken"]?[key]?["secret"] = "bad\u{1}auth=Bearer other"
        }
        try place.write("cache.json", JSONSerialization.data(withJSONObject: sections))
        try place.run("keyfob import -q cache.json").expectSuccess()
        for line in [
            "exec --account person0 --env T -- touch ran", "exec --account person0 --file -- touch ran",
            "inject -i template -o out", "token --account person0 --sasl xoauth2",
            "token --account person0 --format az",
        ] {
            try place.run("echo keyfob://person0/ > template; keyfob \(line)").expectError(65, "control characters")
        }
        #expect(try place.run("ls ran out; ls run/keyfob | grep bearer").text.isEmpty)
    }

    @Test("offline it is made by a process that can write nowhere else")
    func offline() throws {
        try place.run("mkdir sub; echo keyfob://ada/repo | keyfob inject -q --offline -o sub/out").expectSuccess()
        #expect(try place.read("sub/out") == Data("ADA\n".utf8))
    }

    @Test("an account that the template names not is the one that is asked for, and a host still counts")
    func chosen() throws {
        #expect(try place.run("echo keyfob:///repo keyfob://bob/ | keyfob inject --account ada").text == "ADA BOB\n")
        #expect(try place.run("echo keyfob:/// | KEYFOB_ACCOUNT=bob keyfob inject --scope repo").text == "BOB\n")
        #expect(try place.run("echo keyfob://ada/ | KEYFOB_ACCOUNT=bob keyfob inject").text == "ADA\n")
        try place.run("echo keyfob://ada/ | keyfob inject --url https://evil.example").expectError(77, "line 1")
    }
}

extension Outcome {
    /// Expects no data.
    fileprivate func expectNothing(_ location: SourceLocation = #_sourceLocation) {
        #expect(output.isEmpty, "\(self)", sourceLocation: location)
    }
}
