import Foundation
import KeyfobTestSupport
import Testing

/// Refused requests as people and programs meet them, with a stand-in for Microsoft.
@Suite("Refused requests", .waitsForPrograms)
struct RefusedRequestTests {
    private let server: RefusingServer
    private let place: Workplace
    private static let guest = "33333333-3333-4333-8333-333333333333"
    private static let claims = #"{"access_token": {"acrs": {"essential": true, "value": "c1"}}}"#

    init() throws {
        server = try RefusingServer()
        place = try Workplace.withVault(server.variables)
        try place.run("keyfob import -q -", input: SampleCache(people: 2, lifetime: 10).json()).expectSuccess()
    }

    private func refuse(_ fields: String, scope: String? = "files.read", delay: Double = 0) throws {
        try server.refuse(.init(scope: scope, body: "{\"error\": \"invalid_grant\", \(fields)}", delay: delay))
    }

    @Test(
        "thirty processes at once are told the same, with one request, or with two where nobody knows the code",
        arguments: [(50_076, 1), (50_020, 1), (99_999, 2)])
    func together(code: Int, requests: Int) throws {
        try refuse("\"error_codes\": [\(code)]", delay: 0.3)
        let outcome = try place.run(
            """
            one() {
                keyfob token --json --account person0 --scope files.read --tenant \(Self.guest) > out.$1 2> err.$1
                echo $? > status.$1
            }
            for i in $(seq 30); do one $i & done
            wait
            cat out.*; sha256sum err.* | cut -d' ' -f1 | sort -u | wc -l; sort status.* | uniq -c
            """, deadline: 300)
        let lines = outcome.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines == [["1"], ["30", code == 50_020 ? "77" : "10"]], "\(outcome)")
        #expect(try server.requests().count == requests)
        // What it is not about goes on.
        try place.run("keyfob token --account person0 --scope mail.send").expectSuccess()
        try place.run("keyfob verify").expectSuccess()
    }

    @Test("the hint is one command that repeats all, and the document has the same as fields")
    func continuation() throws {
        try server.refuse(
            .init(body: "{\"error\": \"invalid_grant\", \"suberror\": \"basic_action\", \"error_codes\": [50079]}"))
        let request = "--account person0 --tenant \(Self.guest) --scope a.read --scope b.read --claims '\(Self.claims)'"
        let plain = try place.run("keyfob token \(request)")
        let json = try place.run("keyfob token --json \(request)")
        #expect(plain.status == 10 && json.status == 10 && plain.output.isEmpty)
        var documents = Documents()
        documents.add("error", json.errors, from: "token")
        try documents.validate(in: place)
        let error = try Self.object(json.errors, "error")
        let continuation = try #require(error["continuation"] as? [String: Any])
        let command = try #require(continuation["command"] as? String)
        #expect(plain.errors.contains("have a second factor ready and run '\(command)'"), "\(plain)")
        #expect(continuation["action"] as? String == "secondFactor" && continuation["tenant"] as? String == Self.guest)
        #expect(continuation["scopes"] as? [String] == ["a.read", "b.read"])
        #expect(continuation["claims"] as? String == Self.claims)
        #expect(continuation["clientID"] as? String == "sample-client")
        #expect(try server.requests().count == 1)

        // Both ways lead to the same page, which asks for all of it.
        let id = try #require(continuation["id"] as? String)
        let pages = try [command, "keyfob login --continue \(id)"].map { line in
            let outcome = try place.run("\(line) --no-browser --timeout 1")
            let words = outcome.errors.split { $0.isWhitespace }
            let url = try #require(words.first { $0.contains("/authorize?") }, "\(outcome)")
            return try #require(URLComponents(string: String(url)))
        }
        for page in pages {
            var fields = (page.queryItems ?? []).reduce(into: [String: String]()) { $0[$1.name] = $1.value }
            #expect(page.path == "/\(Self.guest)/oauth2/v2.0/authorize")
            #expect(fields["client_id"] == "sample-client" && fields["claims"] == Self.claims)
            #expect(fields["scope"]?.split(separator: " ").prefix(2) == ["a.read", "b.read"])
            #expect(fields.removeValue(forKey: "login_hint")?.hasPrefix("person0@") == true)
        }
        let told = try place.run("keyfob login --continue \(id) --no-browser --timeout 1")
        #expect(told.errors.contains("continuing with: \(command)"), "\(told)")
        let mistaken = try place.run("keyfob login --continue 00000000 --no-browser")
        #expect(mistaken.status == 64 && mistaken.errors.contains("no refused request"), "\(mistaken)")
        #expect(try place.run("keyfob login --continue \(id) --scope x").status == 64)
    }

    @Test("the command, the agent, the library for C and the module for Python say the same of how to continue")
    func doors() throws {
        let place = try Workplace(server.variables.merging(LibraryFile.variables) { $1 })
        try place.makeKey("key")
        let options = "--key-file key"
        try place.run("keyfob init -q \(options) --recovery-file recovery").expectSuccess()
        try place.run("keyfob import -q \(options) -", input: SampleCache(people: 1).json()).expectSuccess()
        try place.run("keyfob program allow -q keyfob --account person0 \(options)").expectSuccess()
        try server.refuse(.init(body: "{\"error\": \"invalid_grant\", \"error_codes\": [50076]}"))
        let request = "token --json --account person0 --scope files.read --tenant \(Self.guest)"
        let own = try Self.object(try place.run("keyfob \(request) \(options)").errors, "error")
        let asked = try place.run(
            "\(Workplace.agent(variables: "KEYFOB_KEY_FILE=$PWD/key"))\nkeyfob \(request)")
        let agents = try Self.object(asked.errors, "error")
        let script = """
            import json, keyfob, pickle
            try: keyfob.Keyring(key_file="key").token("files.read", account="person0", tenant="\(Self.guest)", tool=None)
            except keyfob.Error as error: told = pickle.loads(pickle.dumps(error)).continuation
            print(json.dumps(told._asdict() | {"clientID": told.client_id}))
            """
        let python = try Self.document(try place.run("$PYTHON -", input: Data(script.utf8)).text)
        let wanted = try #require(own["continuation"] as? [String: Any])
        #expect(wanted["id"] != nil && wanted["clientID"] as? String == "sample-client")
        for (name, other) in [("agent", agents["continuation"]), ("python", python)] {
            let other = try #require(other as? [String: Any], "\(name): \(asked)")
            for (key, value) in wanted {
                #expect("\(other[key] ?? "nothing")" == "\(value)", "\(name): \(key)")
            }
        }
        #expect(try server.requests().count == 1)
    }

    @Test("account show tells what was refused, how far that reaches, and nothing once it succeeds")
    func shown() throws {
        try refuse("\"suberror\": \"consent_required\", \"error_codes\": [65001]")
        #expect(try place.run("keyfob token --account person0 --scope files.read").status == 10)
        let shown = try place.run("keyfob account show person0").expectSuccess()
        for words in ["refused   ", "files.read for client sample-client", "state     signed in"] {
            #expect(shown.text.contains(words), "\(shown)")
        }
        let json = try place.run("keyfob account show --json person0").expectSuccess()
        var documents = Documents()
        documents.add("account-show", json.text, from: "account show")
        try documents.validate(in: place)
        let refusals = try Self.document(json.text)["refusals"] as? [[String: Any]]
        #expect(refusals?.count == 1 && refusals?.first?["reach"] as? String == "request")
        try server.refuse(nil)
        // It is remembered, unless somebody forces it.
        #expect(try place.run("keyfob token --account person0 --scope files.read").status == 10)
        try place.run("keyfob account refresh person0 --scope files.read").expectSuccess()
        #expect(try !place.run("keyfob account show person0").text.contains("refused"))
    }

    @Test("a refusal is this machine's: neither a backup nor a bundle has it")
    func travelling() throws {
        try refuse("\"error_codes\": [50076]")
        #expect(try place.run("keyfob token --account person0 --scope files.read").status == 10)
        try place.run(
            """
            keyfob backup --to copy.age --quiet && mkdir other && export XDG_DATA_HOME=$PWD/other XDG_STATE_HOME=$PWD/other
            keyfob restore copy.age --bundle-identity recovery --quiet
            """
        ).expectSuccess()
        let shown = try place.run("XDG_DATA_HOME=$PWD/other XDG_STATE_HOME=$PWD/other keyfob account show person0")
            .expectSuccess()
        #expect(!shown.text.contains("refused"), "\(shown)")
    }

    @Test("an answer in the wrong form ends no sign-in", arguments: ["<html>portal</html>", "[]", "nothing"])
    func portal(body: String) throws {
        for status in [200, 400, 403] {
            try server.refuse(.init(scope: "files.read", status: status, body: body))
            #expect(try place.run("keyfob token --account person1 --scope files.read").status != 0)
            try place.run("keyfob token --force-refresh --account person1 --scope mail.send").expectSuccess()
        }
    }

    private static func document(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private static func object(_ text: String, _ name: String) throws -> [String: Any] {
        try #require(try document(text)[name] as? [String: Any])
    }
}
