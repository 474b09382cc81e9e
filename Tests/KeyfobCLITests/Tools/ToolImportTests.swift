import Foundation
import KeyfobTestSupport
import Testing

@Suite("Imports of other tools' files", .waitsForPrograms)
struct ToolImportTests {
    private let token = "gho_" + String(repeating: "A", count: 36)

    @Test(
        "a token of gh's is given to programs, git and docker by the helpers for hosts of its provider, and to no other"
    )
    func helpers() throws {
        let place = try Workplace.withVault()
        try place.write("hosts.yml", "github.com:\n    user: ada\n    oauth_token: \(token)\n    git_protocol: https\n")
        let document = try place.document("keyfob import --json hosts.yml")
        #expect(document["format"] as? String == "gh")
        #expect((document["credentials"] as? [String: Int])?["added"] == 1)
        #expect(try place.run("keyfob token --account ada").expectSuccess().text == token + "\n")
        let asked = "printf 'protocol=https\\nhost=%s\\n\\n'"
        #expect(try place.run("\(asked) github.com | keyfob helper git get").text.contains("password=\(token)\n"))
        #expect(try place.run("\(asked) git.example | keyfob helper git get").expectSuccess().text.isEmpty)
        #expect(try place.run("echo ghcr.io | keyfob helper docker get").expectSuccess().text.contains(token))
        #expect(try place.run("echo evil.example | keyfob helper docker get").status == 1)
        try place.run("keyfob token --account ada --url https://evil.example").expectError(77, "evil.example")
    }

    @Test("a file that is written later brings its token in place of the one before, and an earlier one does not")
    func order() throws {
        let place = try Workplace.withVault()
        func write(_ token: String, _ time: String) throws {
            try place.write(
                "config.json", #"{"auths": {"ghcr.io": {"username": "ada", "password": "\#(token)"}}}"#)
            try place.run("touch -d '\(time)' config.json").expectSuccess()
        }
        let other = "ghp_" + String(repeating: "B", count: 36)
        try write(token, "2025-01-02")
        try place.run("keyfob import -q config.json").expectSuccess()
        try write(other, "2025-01-01")
        let older = try place.document("keyfob import --json config.json")
        #expect((older["credentials"] as? [String: Int])?["kept"] == 1)
        #expect(try place.run("keyfob token").text == token + "\n")
        // Of a time that has not come, a token is none of the future.
        try write(other, "2040-01-01")
        try place.run("keyfob import -q config.json").expectSuccess()
        #expect(try place.run("keyfob token").text == other + "\n")
    }

    @Test("a client's secret comes with '--with clients' alone, and never in the place of one that is here")
    func clients() throws {
        let place = try Workplace.withVault()
        let file = #"{"type": "authorized_user", "client_id": "7.apps", "client_secret": "S", "refresh_token": "1//r"}"#
        try place.write("adc.json", file)
        let without = try place.run("keyfob import adc.json").expectSuccess()
        #expect(without.errors.contains("left out: client 7.apps of accounts.google.com with its secret"))
        #expect(without.errors.contains("delete it ('gcloud auth application-default revoke' would end the sign-in"))
        #expect(try !place.run("keyfob client list").expectSuccess().text.contains("7.apps"))
        try place.run("keyfob import -q adc.json --with clients").expectSuccess()
        #expect(try place.run("keyfob client list").expectSuccess().text.contains("7.apps"))
        try place.write("adc.json", file.replacing("\"S\"", with: "\"T\""))
        let again = try place.run("keyfob import adc.json --with clients").expectSuccess()
        #expect(again.errors.contains("is here already, and was left as it is"))
        #expect(try place.run("keyfob account show application-default").expectSuccess().text.contains("signed in"))
        // What is no refresh token of a person brings nothing.
        try place.write("key.json", #"{"type": "service_account", "client_id": "1", "private_key": "k"}"#)
        try place.run("keyfob import key.json").expectError(65, "key.json holds credentials", "(service_account)")
        try place.run("keyfob import adc.json --replace").expectError(64, "adc.json is not a bundle")
        try place.run("keyfob import adc.json --take-over").expectError(64, "--take-over is for caches of MSAL")
    }

    @Test("gcloud's own sign-ins come from its databases, however large, and those are read only")
    func databases() throws {
        let place = try Workplace.withVault()
        try place.python("other_stores", "gcloud", place.path, "300", "5000")
        try place.run("cp credentials.db before && chmod 400 *.db").expectSuccess()
        let document = try place.document("keyfob import --json --with clients credentials.db")
        #expect(document["format"] as? String == "gcloud-database")
        #expect((document["credentials"] as? [String: Int])?["added"] == 300)
        #expect((document["clients"] as? [[String: Any]])?.isEmpty == false)
        #expect((document["skipped"] as? [String])?.count == 2, "\(document)")
        try place.run("keyfob import -q access_tokens.db").expectSuccess()
        #expect(try place.run("keyfob token --account user7@corp.example").expectSuccess().text == "ya29.at-7\n")
        #expect(try place.run("cmp before credentials.db; ls").expectSuccess().text.contains("-journal") == false)
        try place.run("keyfob import other.db").expectError(
            65, "other.db is a database (SQLite) that is none of gcloud")
    }

    @Test("what pizauth dumps is imported as it is")
    func pizauth() throws {
        let place = try Workplace.withVault()
        try place.python("other_stores", "pizauth", place.path)
        let outcome = try place.run("cat dump | keyfob import - --with clients").expectSuccess()
        #expect(outcome.errors.contains("client pizauth-client of login.microsoftonline.com with its secret comes too"))
        #expect(try place.run("keyfob token --account ada@corp.example").expectSuccess().text == "pizauth-at\n")
        #expect(try place.run("keyfob account show ada@corp.example").text.contains("signed in"))
    }

    @Test("what is encrypted, cut off, or no file is refused in one line, and nothing is changed")
    func badFiles() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        let before = try place.read("data/keyfob/keyring.db")
        let hosts = "github.com:\n    oauth_token: \(token)\n    user: ada"
        for (bytes, status, words) in [
            (Data(hosts.utf8), 65, "is not read beyond line 3: it does not end with its line"),
            (Data("github.com:\n\toauth_token: x\n\tgit_protocol: y\n".utf8), 65, "beyond line 2: a tab stands"),
            (Data("github.com:\n    oauth_token: a\u{0}\n".utf8), 65, "beyond line 2: there is a control character"),
            (
                Data("-----BEGIN PGP MESSAGE-----\n".utf8), 65,
                "is encrypted with GnuPG; 'gpg --decrypt FILE | keyfob import -'"
            ),
            (Data("SQLite format 3\u{0}".utf8), 65, "is a database (SQLite) that is none of gcloud's"),
            (
                Data("512\n\(String(repeating: "A", count: 32))\n\(String(repeating: "B", count: 22))==\n".utf8), 65,
                "which has encrypted it; 'oidc-gen --print FILE | keyfob import -' imports it"
            ),
            (Data([0xFF, 0xFE, 0x00]), 65, "is of no kind that is known"), (Data(), 65, "is empty"),
            (Data("{\"auths\": {".utf8), 65, "is not JSON: the text ends early"),
        ] as [(Data, Int32, String)] {
            try place.write("file", bytes)
            try place.run("keyfob import file").expectError(status, words)
        }
        for (line, status, words) in [
            ("mkfifo odd", 74, "nothing came through odd in 10 seconds"), ("mkdir odd", 78, "odd is a folder"),
            ("ln -s nowhere odd", 66, "there is no file odd"), ("truncate -s 1T odd", 65, "holds more than"),
        ] as [(String, Int32, String)] {
            try place.run(line).expectSuccess()
            try place.run("keyfob import odd").expectError(status, words)
            try place.run("rm -r odd").expectSuccess()
        }
        try place.run("keyfob import").expectError(64, "name a file")
        try place.run("keyfob import --discover file").expectError(64, "look for the tokens themselves")
        #expect(try place.read("data/keyfob/keyring.db") == before)
    }
}
