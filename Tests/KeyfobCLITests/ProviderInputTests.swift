import Foundation
import KeyfobTestSupport
import Testing

@Suite("Providers and clients from outside", .waitsForPrograms)
struct ProviderInputTests {
    @Test(
        "a description that makes no sense is refused in one line, and nothing is changed",
        arguments: [
            ("empty", ": > bad", 65, "bad is empty"), ("no JSON", "echo 'name: x' > bad", 65, "bad is not JSON"),
            ("random bytes", "head -c 9000 /dev/urandom > bad", 65, "bad is not JSON"),
            ("an array", "echo '[]' > bad", 65, "not an object"),
            ("unknown member", "sed 's/title/tilte/' good > bad", 65, "unknown member 'tilte'"),
            ("a hostile member", "sed 's/title/\\\\u001b]0;x/' good > bad", 65, "unknown member of a name nobody has"),
            ("a control character", "sed 's/\"title\":\"/&\\\\u0007/' good > bad", 65, "no usable 'title'"),
            ("http", "sed 's#https://gitlab.com\"#http://gitlab.com\"#' good > bad", 65, "no usable 'issuer'"),
            (
                "nested 10,000 deep",
                "\"$PYTHON\" -c 'print(\"{\\\"name\\\":\" + \"[\" * 10000 + \"]\" * 10000 + \"}\")' > bad", 65,
                "levels deep"
            ),
            ("too large", "truncate -s 500M bad", 65, "holds more than"), ("a folder", "mkdir bad", 78, "is a folder"),
            ("missing", "true", 66, "there is no file bad"),
            ("another's host", "sed 's/\"gitlab\"/\"evil\"/' good > bad", 73, "those of provider 'gitlab'"),
        ])
    func description(what: String, line: String, status: Int32, words: String) throws {
        let place = try Workplace.withVault()
        try place.run("keyfob provider show --json gitlab > good && \(line); chmod go-w bad; true").expectSuccess()
        let before = try place.contents(of: "data")
        try place.run("keyfob provider add --replace bad").expectError(status, words)
        #expect(try place.contents(of: "data") == before)
    }

    @Test("cut at any place it is refused")
    func truncated() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob provider show --json gitlab > good").expectSuccess()
        let count = try place.read("good").count
        for length in stride(from: 0, to: count - 2, by: TestLength.rounds(37, full: 1)) {
            try place.run("head -c \(length) good | keyfob provider add --replace -").expectError(65, "standard input")
        }
    }

    @Test(
        "options that make no sense are refused",
        arguments: [
            "provider add good --issuer https://x.example", "provider add good --name x", "provider add good --scope x",
            "provider add --issuer ''", "provider add --issuer https://x.example --name 'X Y'",
            "provider add --issuer https://x.example --environment x/y",
            "provider add --issuer https://x.example --scope '\"'",
            "provider add --issuer https://x.example --title \"$(printf 'a\\033b')\"",
            "client add '' --provider google",
            "client add a --provider google --redirect-uri http://app.example",
            "client add a --provider google --secret-fd 99",
            "client add a --provider google --scope '\"'", "client add a --provider google --name ' '",
        ])
    func options(line: String) throws {
        let place = try Workplace.withVault()
        try place.run("keyfob provider show --json gitlab > good").expectSuccess()
        try place.run("keyfob \(line)").expectError(64)
        #expect(try place.run("keyfob client list").text.split(separator: "\n").count == 1)
    }

    @Test("a group's key adds to that group, and finds nothing of another")
    func groupKey() throws {
        let place = try Workplace.withVault()
        try place.makeKey("ci")
        try place.run("keyfob group create -q work && keyfob group grant -q work key-file ci").expectSuccess()
        try place.run("keyfob provider add -q --issuer https://sso.example --name sso").expectSuccess()
        try place.run("keyfob client add -q app --provider sso --secret-fd 0", text: "hunter2").expectSuccess()
        try place.run("keyfob provider show --key-file ci sso").expectError(13, "no provider 'sso'")
        try place.run("keyfob client add --key-file ci app --provider sso").expectError(13)
        #expect(try !place.run("keyfob client list --key-file ci").expectSuccess().text.contains("app"))
        try place.run("keyfob provider list --key-file ci --group default").expectError(77, "does not open group")
        try place.run("keyfob provider add -q --key-file ci --issuer https://sso.example --name sso").expectSuccess()
        #expect(try place.run("keyfob provider list --key-file ci").text.contains("group 'work'"))
        try place.run("keyfob verify").expectSuccess()
    }

    @Test("the secret of a client is in no file and in no output")
    func secrecy() throws {
        let place = try Workplace.withVault()
        let secret = "client-secret-0123456789"
        try place.run("keyfob client add app --provider google --secret-fd 0", text: secret).expectSuccess()
        for file in try place.contents(of: "data").values {
            #expect(!String(decoding: file, as: UTF8.self).contains(secret))
        }
        for command in ["client list", "client list --json", "provider show google", "status", "doctor", "verify"] {
            #expect(try !place.run("keyfob \(command)").expectSuccess().description.contains(secret))
        }
    }
}
