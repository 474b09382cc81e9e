import Foundation
import KeyfobTestSupport
import Testing

@Suite("Input that makes no sense", .waitsForPrograms)
struct BadInputTests {
    @Test(
        "a file that is no cache is refused, and nothing is changed",
        arguments: [
            ("not JSON", "echo 'no cache' > bad", "is of no kind that is known here"), ("empty", ": > bad", "is empty"),
            ("cut short", "head -c 900 cache.json > bad", "is not JSON"),
            ("bytes that begin like XML", "printf '<\\053\\072\\377' > bad", "is of no kind"),
            ("bytes that begin like OpenPGP", "printf '\\204\\212\\053\\213%040d' 0 > bad", "is of no kind"),
            ("an array", "echo '[]' > bad", "is JSON but not a token cache"),
            ("another document", "echo '{\"name\": \"recipes\"}' > bad", "is JSON but has no AccessToken"),
            ("nested 10,000 deep", "\"$PYTHON\" -c 'print(\"[\" * 10000 + \"]\" * 10000)' > bad", "nests more than"),
            (
                "nested in an entity",
                "\"$PYTHON\" -c 'print(\"{\\\"Account\\\":{\\\"a\\\":\" + \"[\" * 10000 + \"]\" * 10000 + \"}}\")' > bad",
                "nests more than"
            ),
            ("too large", "truncate -s 500M bad", "holds more than"),
        ])
    func noCache(what: String, line: String, words: String) throws {
        let place = try Workplace.withVault()
        try place.write("cache.json", SampleCache(people: 1).json())
        try place.run(line).expectSuccess()
        let before = try place.contents(of: "data")
        try place.run("keyfob import bad").expectError(65, "bad ", words)
        #expect(try place.contents(of: "data") == before)
        if !what.contains("large") { try place.run("keyfob import - < bad").expectError(65, "standard input ", words) }
    }

    @Test("entities that make no sense are reported, and the rest is taken over")
    func entities() throws {
        let place = try Workplace.withVault()
        var sections = SampleCache(people: 3).sections()
        sections["Account"]?["uid0.tenant-one-tenant-one"]?["home_account_id"] = ""
        sections["AccessToken"]?["uid1.tenant-two-at-tenant-one"]?["expires_on"] = "the day after tomorrow"
        try place.write("cache.json", JSONSerialization.data(withJSONObject: sections))
        let outcome = try place.run("keyfob import cache.json").expectSuccess()
        let skipped = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("skipped: ") }
        #expect(skipped.count == 2, "\(outcome)")
        #expect(skipped.contains { $0.contains("Account") && $0.contains("home_account_id") }, "\(outcome)")
        #expect(skipped.contains { $0.contains("AccessToken") && $0.contains("expires_on") }, "\(outcome)")
        for person in 0..<3 {
            try place.run("keyfob token --account person\(person) --tenant tenant-two").expectSuccess()
        }
    }

    @Test("a key that comes twice is reported, and the last one counts")
    func duplicates() throws {
        let place = try Workplace.withVault()
        let text = String(decoding: try SampleCache(people: 1).json(), as: UTF8.self)
        let section = #""Account":{"#
        try place.write("cache.json", text.replacing(section, with: section + #""uid0.tenant-one-tenant-one":{},"#))
        let outcome = try place.run("keyfob import cache.json").expectSuccess()
        #expect(outcome.errors.contains("skipped: Account entity 1: its key comes again further down"), "\(outcome)")
        #expect(try place.run("keyfob account list --format '{username}'").text == "person0@tenant-one.example\n")
    }

    @Test("times are taken as texts and as numbers")
    func times() throws {
        let place = try Workplace.withVault()
        var sections = SampleCache(people: 1).sections()
        let now = Int(Date().timeIntervalSince1970)
        for (index, key) in (sections["AccessToken"]?.keys.sorted() ?? []).enumerated() {
            sections["AccessToken"]?[key]?["expires_on"] = index == 0 ? now + 4_000 : "\(now + 4_000).75"
        }
        try place.write("cache.json", JSONSerialization.data(withJSONObject: sections))
        let outcome = try place.run("keyfob import cache.json").expectSuccess()
        #expect(!outcome.errors.contains("skipped"), "\(outcome)")
        for tenant in ["tenant-one", "tenant-two"] {
            try place.run("keyfob token --tenant \(tenant) --min-validity 3900").expectSuccess()
        }
    }

    @Test("two accounts of one user name are told apart by their ids only")
    func sameName() throws {
        let place = try Workplace.withVault()
        for id in ["uid1", "uid2"] { try place.add(id, token: "token-of-\(id)", "--username twin@contoso.example") }
        try place.run("keyfob token --account twin@contoso.example")
            .expectError(11, "uid1@git.example", "uid2@git.example")
        for id in ["uid1", "uid2"] {
            #expect(try place.run("keyfob token --account \(id)@git.example").text == "token-of-\(id)\n")
        }
    }

    @Test("an expired token is not handed out")
    func expired() throws {
        let place = try Workplace.withVault()
        var cache = SampleCache(people: 1)
        cache.lifetime = -10
        try place.write("cache.json", cache.json())
        try place.run("keyfob import --quiet cache.json").expectSuccess()
        try place.run("keyfob token --offline --tenant tenant-one").expectError(10, "expired")
        try place.run("keyfob token --offline --tenant tenant-one --min-validity 0").expectError(10)
    }

    @Test(
        "options that make no sense are refused as usage",
        arguments: [
            "token --min-validity soon", "token --min-validity -5", "token --min-validity 99999999999999999999",
            "token --frobnicate", "token --account ' '", "token --scope ''", "frobnicate", "group create ''",
            "group create ' '",
            "group create \"$(printf 'a\\nb')\"", "group create \"$(printf 'a\\033b')\"", "group create ' a'",
            "group create \"$(head -c 300 /dev/zero | tr '\\0' g)\"", "status --passphrase-fd x",
            "account label ada ''",
            "slot add recipient age1nonsense", "add --account ada --host git.example --expires-in 0", "unlock --for 5y",
            "account list --group \"$(printf 'a\\tb')\"", "init --kdf-memory 5",
        ])
    func usage(_ command: String) throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        let before = try place.contents(of: "data")
        try place.run("keyfob \(command)").expectError(64)
        #expect(try place.contents(of: "data") == before)
    }

    @Test("what another program called a thing cannot drive the terminal")
    func escapes() throws {
        let place = try Workplace.withVault()
        var sections = SampleCache(people: 1).sections()
        for key in sections["Account"]?.keys.sorted() ?? [] {
            sections["Account"]?[key]?["username"] = "eve\u{1B}]0;title\u{7}\u{202E}@contoso.example"
        }
        try place.write("cache.json", JSONSerialization.data(withJSONObject: sections))
        let imported = try place.run("keyfob import cache.json")
        let outcomes = try ["account list", "account show uid0", "which", "account list --format '{name}'"].map {
            try place.run("keyfob \($0)")
        }
        for outcome in [imported] + outcomes {
            let isClean = !(outcome.text + outcome.errors).unicodeScalars.contains {
                ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E
            }
            #expect(isClean, "\(outcome.text.debugDescription)")
        }
    }
}
