import Foundation
import KeyfobTestSupport
import Testing

@Suite("A mirror of a token cache, with MSAL for Python and its extensions", .waitsForPrograms)
struct MirrorTests {
    private let place: Workplace

    init() throws {
        place = try Workplace.withVault()
        try place.run("mkdir -m 700 .azure").expectSuccess()
    }

    private static let cache = ".azure/msal_token_cache.json"

    /// What the program does with az's cache.
    @discardableResult
    private func az(_ words: String..., location: SourceLocation = #_sourceLocation) throws -> Outcome {
        let line =
            ([PythonScript.interpreter, PythonScript.path("msal_program"), words[0], Self.cache] + words.dropFirst())
            .map { "'\($0)'" }.joined(separator: " ")
        return try place.run(line).expectSuccess(location)
    }

    /// What the program gets for somebody, and how many requests that took.
    private func silent(_ person: String, _ action: String = "silent") throws -> (token: String?, requests: Int) {
        let told = try JSONSerialization.jsonObject(with: az(action, person).output) as? [String: [Any]]
        return (told?[person]?.first as? String, told?[person]?.last as? Int ?? -1)
    }

    private func people() throws -> [String] {
        try JSONSerialization.jsonObject(with: az("people").output) as? [String] ?? []
    }

    /// Signs somebody in here, as by another program with az's client.
    private func signIn(_ person: String) throws {
        let words = "\(PythonScript.interpreter) \(PythonScript.path("msal_program")) sign-in other.json \(person)"
        try place.run("rm -f other.json; \(words) && keyfob import --quiet --bring-back other.json").expectSuccess()
    }

    @discardableResult
    private func mirror(_ options: String = "", location: SourceLocation = #_sourceLocation) throws -> Outcome {
        try place.run("keyfob mirror azure-cli --force \(options)").expectSuccess(location)
    }

    /// Waits until caches, which count seconds, can tell what comes from what was.
    private func nextSecond() throws {
        try place.run("s=$(date +%s); while [ $(date +%s) = $s ]; do sleep 0.02; done").expectSuccess()
    }

    private func token(_ person: String) throws -> String {
        try place.run("keyfob token --account \(person)@contoso.example").expectSuccess().text
            .trimmingCharacters(in: .newlines)
    }

    /// Secrets of the file, or of the group, of one kind.
    private func secrets(_ kind: String, of line: String = "cat \(cache)") throws -> Set<String> {
        let entities = try place.document(line)[kind] as? [String: [String: Any]] ?? [:]
        return Set(entities.values.compactMap { $0["secret"] as? String })
    }

    private static let group = "keyfob export --quiet --format msal -"

    @Test("who signs in there appears here, and the other way round, with tokens that take no request")
    func signIns() throws {
        try az("sign-in", "ada")
        try signIn("bob")
        let first = try mirror()
        #expect(first.errors.contains("2 accounts"), "\(first)")
        #expect(try token("ada") == silent("ada").token)
        let bob = try silent("bob")
        #expect(try bob.token == token("bob"))
        #expect(bob.requests == 0)
        let mode = try place.run("stat -c %a \(Self.cache)").text
        #expect(mode == "600\n")

        // Nothing to do: nothing is written.
        let before = try place.run("stat -c %i.%Y \(Self.cache); sha256sum \(Self.cache)").text
        try mirror()
        #expect(try place.run("stat -c %i.%Y \(Self.cache); sha256sum \(Self.cache)").text == before)
    }

    @Test("what was refreshed last wins, on either side")
    func refreshes() throws {
        try az("sign-in", "ada")
        try mirror()
        let refreshed = try silent("ada", "refresh").token
        try mirror()
        #expect(try token("ada") == refreshed)
        #expect(try secrets("RefreshToken") == secrets("RefreshToken", of: Self.group))

        // Later, and here.
        try nextSecond()
        try signIn("ada")
        try mirror()
        #expect(try token("ada") != refreshed)
        let there = try silent("ada")
        #expect(try there.token == token("ada"))
        #expect(there.requests == 0)
        #expect(try secrets("RefreshToken") == secrets("RefreshToken", of: Self.group))
    }

    @Test("a sign-out here takes the sign-in out of the file, whatever the program made of it meanwhile")
    func signedOutHere() throws {
        try az("sign-in", "ada", "bob")
        try mirror()
        try place.run("keyfob logout --quiet --offline --everywhere ada@contoso.example").expectSuccess()
        try az("refresh", "ada")
        let told = try mirror()
        #expect(told.errors.contains("taken out"), "\(told)")
        #expect(try people() == ["bob"])
        try mirror()
        #expect(try people() == ["bob"])

        // Who signs in anew there, after that, is signed in here.
        try nextSecond()
        try az("sign-in", "ada")
        try mirror()
        #expect(try token("ada") == silent("ada").token)

        try place.run("keyfob account remove --force --quiet bob@contoso.example").expectSuccess()
        try mirror()
        #expect(try people() == ["ada"])
    }

    @Test("a sign-out there leaves the account out, signed in here, until it is brought back")
    func signedOutThere() throws {
        try az("sign-in", "ada", "bob")
        try mirror()
        try az("sign-out", "ada")
        let told = try mirror()
        #expect(told.errors.contains("keyfob logout ada@contoso.example"), "\(told)")
        #expect(try people() == ["bob"])
        _ = try token("ada")
        try signIn("ada")
        try mirror()
        #expect(try people() == ["bob"])
        let list = try place.document("keyfob mirror list --json")
        let left = (list["mirrors"] as? [[String: Any]])?.first?["leftOut"] as? [[String: String]]
        #expect(left?.first?["reason"] == "signedOutThere")

        try mirror("--account ada@contoso.example --bring-back")
        #expect(try people() == ["ada", "bob"])
        #expect(try silent("ada").requests == 0)

        // And by signing in there.
        try az("sign-out", "ada")
        try mirror()
        try az("sign-in", "ada")
        try mirror()
        #expect(try token("ada") == silent("ada").token)
    }

    @Test("what Keyfob does not know stays byte for byte")
    func unknown() throws {
        try az("sign-in", "ada")
        let strange = "{ \"credential_type\":\"StrangeToken\",  \"n\": 12345678901234567890.50 }"
        let node = "{\"a\" :[1.0,  \"\\u00e9\"]}"
        var text = String(decoding: try place.read(Self.cache), as: UTF8.self)
        text = text.replacing("\"AccessToken\": {", with: "\"Strange\": \(node), \"AccessToken\": {\"k\" : \(strange),")
        try place.write(Self.cache, text)
        try signIn("bob")
        try mirror()
        let after = String(decoding: try place.read(Self.cache), as: UTF8.self)
        #expect(after.contains("\"Strange\": \(node), \"AccessToken\": {\"k\" : \(strange),"), "\(after.prefix(400))")
        #expect(try people() == ["ada", "bob"])
        try place.run("keyfob logout --quiet --offline --everywhere bob@contoso.example").expectSuccess()
        try mirror()
        #expect(String(decoding: try place.read(Self.cache), as: UTF8.self) == text)
    }

    @Test("tokens of a time that has not come yet, and of other clients here, stay where they are")
    func boundaries() throws {
        try az("sign-in", "ada")
        let text = String(decoding: try place.read(Self.cache), as: UTF8.self)
        try place.write(
            Self.cache,
            text.replacing(#/"last_modification_time": "\d+"/#, with: "\"last_modification_time\": \"4000000000\""))
        try place.run("printf gho_x | keyfob add --quiet --account grace --host github.com").expectSuccess()
        try mirror()
        #expect(try secrets("RefreshToken", of: Self.group).isEmpty)
        #expect(!String(decoding: try place.read(Self.cache), as: UTF8.self).contains("gho_x"))
    }

    @Test("whoever writes the file names no client whose tokens go into it, and replaces no token of another one")
    func otherClients() throws {
        try place.run("printf ours | keyfob add -q ada@github.com").expectSuccess()
        try az("sign-in", "bob")
        try mirror()
        var sections = try place.document("cat \(Self.cache)")
        var clients = sections["AppMetadata"] as? [String: Any] ?? [:]
        var tokens = sections["AccessToken"] as? [String: Any] ?? [:]
        clients["appmetadata-github.com-personal-access-token"] = [
            "client_id": "personal-access-token", "environment": "github.com",
        ]
        let now = Int(Date().timeIntervalSince1970)
        tokens["ada-github.com-accesstoken-personal-access-token--"] = [
            "credential_type": "AccessToken", "home_account_id": "ada", "environment": "github.com", "realm": "",
            "client_id": "personal-access-token", "target": "", "secret": "theirs", "cached_at": "\(now)",
            "expires_on": "\(now + 3_600)",
        ]
        (sections["AppMetadata"], sections["AccessToken"]) = (clients, tokens)
        try place.write(Self.cache, JSONSerialization.data(withJSONObject: sections))
        try mirror()
        try mirror()
        #expect(try !secrets("AccessToken").contains("ours"))
        #expect(try secrets("AccessToken").contains("theirs"), "what is no concern of the mirror stays")
        #expect(try place.run("keyfob token --account ada@github.com").text == "ours\n")
    }

    @Test("az finds those whom it has not heard of among its subscriptions")
    func subscriptions() throws {
        let profile =
            "\u{FEFF}{\"installationId\": \"x\",  \"subscriptions\": [{\"id\": \"1\", \"name\": \"Production\", "
            + "\"user\": {\"name\": \"ada@contoso.example\", \"type\": \"user\"}, \"isDefault\": true, \"tenantId\": \"t\"}]}"
        try place.write(".azure/azureProfile.json", profile)
        try az("sign-in", "ada")
        try signIn("bob")
        try mirror()
        let after = String(decoding: try place.read(".azure/azureProfile.json"), as: UTF8.self)
        #expect(after.hasPrefix(profile.dropLast(2)), "\(after)")
        #expect(after.contains("bob@contoso.example") && after.contains("N/A(tenant level account)"))
        // az's own name of an account is its label here; that of no subscription is none.
        let accounts = try place.run("keyfob account list").text
        #expect(accounts.contains("Production") && !accounts.contains("tenant level"), "\(accounts)")
        try place.run("keyfob logout --quiet --offline --forget bob@contoso.example").expectSuccess()
        try mirror()
        #expect(String(decoding: try place.read(".azure/azureProfile.json"), as: UTF8.self) == profile)
    }

    @Test("a mirror that ends takes out what it brought, and no more")
    func stop() throws {
        try az("sign-in", "ada")
        let before = try place.read(Self.cache)
        try signIn("bob")
        try mirror()
        try place.run("keyfob mirror stop .azure --remove").expectSuccess()
        #expect(try place.read(Self.cache) == before)
        try place.run("keyfob mirror stop .azure").expectError(66, "is not mirrored")
    }

    @Test("a mirror stays with its group")
    func groups() throws {
        try az("sign-in", "ada")
        try mirror()
        try place.run("keyfob group create work -q").expectSuccess()
        try place.run("keyfob mirror azure-cli --group work --force").expectError(73, "keyfob mirror stop")
        try place.run("keyfob mirror msal new.json --force").expectError(13, "--client")
        try place.run("keyfob mirror msal missing/new.json --force").expectError(66, "folder")
        try place.run("keyfob mirror azure-cli --account nobody").expectError(13, "nobody")
    }

    @Test(
        "damaged files stay as they are, and nothing of them comes in",
        arguments: [("truncated", 65), ("empty", 65), ("binary", 65), ("list", 65), ("huge", 65)])
    func damaged(_ kind: String, _ status: Int32) throws {
        try az("sign-in", "ada")
        switch kind {
        case "truncated": try place.run("truncate -s 500 \(Self.cache)").expectSuccess()
        case "empty": try place.run("truncate -s 0 \(Self.cache)").expectSuccess()
        case "binary": try place.run("head -c 3000 /dev/urandom > \(Self.cache)").expectSuccess()
        case "list": try place.write(Self.cache, "[]")
        default: try place.run("truncate -s 300M \(Self.cache)").expectSuccess()
        }
        try signIn("bob")
        let before = try place.run("sha256sum \(Self.cache)").text
        try place.run("keyfob mirror azure-cli --force").expectError(status)
        #expect(try place.run("sha256sum \(Self.cache)").text == before)
        #expect(try place.run("keyfob account list").text.contains("ada") == false)
    }

    @Test("a damaged file is no sign-out")
    func noSignOut() throws {
        try az("sign-in", "ada")
        try mirror()
        let whole = try place.read(Self.cache)
        try place.run("truncate -s 0 \(Self.cache)").expectSuccess()
        try place.run("keyfob mirror azure-cli").expectError(65)
        try place.write(Self.cache, whole)
        try mirror()
        #expect(try people() == ["ada"])
        let mirrors = try place.document("keyfob mirror list --json")["mirrors"] as? [[String: Any]]
        #expect((mirrors?.first?["leftOut"] as? [Any])?.isEmpty == true)
    }

    @Test("a link to the caller's own file stays one; other things in its place are refused")
    func links() throws {
        try az("sign-in", "ada")
        try signIn("bob")
        try place.run("mv \(Self.cache) real.json && ln -s ../real.json \(Self.cache)").expectSuccess()
        try mirror()
        #expect(try people() == ["ada", "bob"])
        #expect(try place.run("readlink \(Self.cache)").text == "../real.json\n")
        try place.run("ln real.json second").expectSuccess()
        try place.run("keyfob mirror azure-cli").expectError(78, "hard links")
        try place.run("rm second \(Self.cache) && ln -s nowhere \(Self.cache)").expectSuccess()
        try place.run("keyfob mirror azure-cli").expectError(78, "link to nothing")
        try place.run("rm \(Self.cache) && mkfifo \(Self.cache)").expectSuccess()
        try place.run("keyfob mirror azure-cli --force").expectError(78, "regular file")
    }

    @Test("another user's file is left alone", .enabled(if: Privileges.isRoot, "only root can give files away"))
    func foreign() throws {
        try az("sign-in", "ada")
        try place.run("chown nobody \(Self.cache)").expectSuccess()
        try place.run("keyfob mirror azure-cli --force").expectError(78, "belongs to another user")
    }

    @Test("a pass waits for the program, gives up in time, and takes the lock of one that was killed")
    func lock() throws {
        try az("sign-in", "ada")
        try place.run(
            """
            mkfifo in out
            \(PythonScript.interpreter) \(PythonScript.path("msal_program")) hold \(Self.cache) < in > out & exec 3> in
            read held < out
            """
                + "\nkeyfob mirror azure-cli --force; echo $? > status; exec 3>&-; wait; keyfob mirror azure-cli --force"
        ).expectSuccess()
        #expect(try place.read("status") == Data("75\n".utf8))
        // What a killed program leaves behind is nobody's after a while.
        try place.run("touch \(Self.cache).lockfile").expectSuccess()
        try mirror()
        #expect(try place.run("ls .azure").text == "azureProfile.json\nmsal_token_cache.json\n")
    }

    @Test("passes that are killed lose nothing, and the next one completes")
    func killed() throws {
        try az("sign-in", "ada", "bob")
        try signIn("carol")
        let rounds = TestLength.rounds(6, full: 60)
        for round in 1...rounds {
            let seconds = String(format: "%.3f", Double(round) / Double(rounds))
            try place.run("timeout -s KILL \(seconds) keyfob mirror azure-cli --force --quiet; rm -f .azure/*.lockfile")
                .expectSuccess()
        }
        try mirror()
        #expect(try people() == ["ada", "bob", "carol"])
        for person in ["ada", "bob", "carol"] {
            let there = try silent(person)
            #expect(try there.token == token(person))
            #expect(there.requests == 0)
        }
        #expect(try place.run("keyfob verify").expectSuccess().errors.isEmpty)
    }

    @Test("programs and passes at once mix nothing up and lose nothing")
    func together() throws {
        try az("sign-in", "ada", "bob", "carol")
        try signIn("dave")
        try mirror()
        let program = "\(PythonScript.interpreter) \(PythonScript.path("msal_program")) busy \(Self.cache) 10"
        let outcome = try place.run(
            """
            \(program) ada > told.1 & \(program) bob > told.2 & \(program) carol dave > told.3 &
            end=$(($(date +%s) + 9))
            pass() { while [ $(date +%s) -lt $end ]; do
                keyfob mirror azure-cli --quiet 2> said.$1 || [ $? = 75 ] || { cat said.$1 >&2; exit 1; }
                keyfob token --account ada@contoso.example >> seen; done; }
            pass 1 & first=$!; pass 2 & second=$!
            wait $first || echo first; wait $second || echo second; wait
            """, deadline: 300)
        #expect(outcome.text.isEmpty && outcome.errors.isEmpty, "\(outcome)")
        let seen = String(decoding: try place.read("seen"), as: UTF8.self).split(separator: "\n")
        #expect(!seen.isEmpty && seen.allSatisfy { $0.hasPrefix("access:ada:") })
        try mirror()
        #expect(try people() == ["ada", "bob", "carol", "dave"], "\(outcome)")
        var told: [String: String] = [:]
        for file in ["told.1", "told.2", "told.3"] {
            let last = try JSONSerialization.jsonObject(with: place.read(file)) as? [String: String] ?? [:]
            told.merge(last) { $1 }
        }
        #expect(told.count == 4, "\(outcome)")
        for (person, last) in told {
            #expect(try token(person) == last)
            #expect(try silent(person).token == last)
        }
        #expect(try secrets("RefreshToken") == secrets("RefreshToken", of: Self.group))
    }
}
