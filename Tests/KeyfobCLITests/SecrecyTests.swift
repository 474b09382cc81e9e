import Foundation
import KeyfobTestSupport
import Testing

@Suite("What lies on the disk", .waitsForPrograms)
struct SecrecyTests {
    /// Words that must be found nowhere: each a part of a name or a token.
    private static let words = [
        "SECRETTOKEN", "PERSONNAME", "TENANTNAME", "CLIENTNAME", "GROUPNAME", "SCOPENAME", "LABELNAME", "UNKNOWNFIELD",
        "microsoftonline", "git.example", "AGE-SECRET-KEY", "AccessToken", "home_account_id", "uid0.",
    ]

    /// What stands for a word where somebody wrote it: as UTF-8 or UTF-16, hexadecimal, or base64 at any place of a text.
    private static func forms(of word: String) -> [Data] {
        let plain = Array(word.utf8)
        let hexadecimal = plain.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let encoded = (0..<3).flatMap { shift in
            // The characters at both ends hold bits of what is around.
            let text = Data([UInt8](repeating: 0, count: shift) + plain).base64EncodedString().prefix { $0 != "=" }
            let own = String(text.dropFirst(shift == 0 ? 0 : 4).dropLast((shift + plain.count) % 3 == 0 ? 0 : 1))
            return [own, own.replacing("+", with: "-").replacing("/", with: "_")]
        }
        // What is shorter is there by chance.
        let texts = Set([word, hexadecimal, hexadecimal.uppercased()] + encoded.filter { $0.count > 7 })
        return texts.map { Data($0.utf8) } + [Data(word.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })]
    }

    private static let forms = words.map { word in (word: word, forms: forms(of: word)) }

    /// The words that are in `data`.
    private func found(in data: Data) -> [String] {
        Self.forms.filter { $0.forms.contains { data.holds($0) } }.map(\.word)
    }

    /// Expects no file below the vault and the state folder to hold any of the words, in any form.
    private func scan(_ place: Workplace, _ when: String) throws {
        for folder in ["data", "state"] {
            let files = try place.contents(of: folder)
            #expect(!files.isEmpty)
            for (name, data) in files {
                #expect(found(in: data) == [], "in \(name) \(when)")
                #expect(!Self.words.contains { name.contains($0) })
            }
        }
    }

    @Test("what is looked for is found, in whatever form it is there", arguments: 0..<4)
    func finding(shift: Int) {
        for word in Self.words where word.utf8.count > 7 {
            let plain = Data(repeating: 0x2E, count: shift) + Data(word.utf8) + Data([0xF0, 0x9F])
            let texts = [
                plain.map { String(format: "%02x", $0) }.joined(), plain.map { String(format: "%02X", $0) }.joined(),
                plain.base64EncodedString(), plain.base64EncodedString().replacing("/", with: "_"),
            ]
            for data in [plain] + texts.map({ Data($0.utf8) }) {
                #expect(found(in: data).contains(word), "\(word): \(String(decoding: data, as: UTF8.self))")
            }
        }
        #expect(found(in: Data((0..<100_000).map { _ in UInt8.random(in: 0...255) })) == [])
    }

    @Test("names and tokens are nowhere in plain text, whatever has been done")
    func everything() throws {
        let place = try Workplace.withVault()
        var cache = SampleCache(people: 20)
        (cache.name, cache.token, cache.client) = ("PERSONNAME", "SECRETTOKEN", "CLIENTNAME")
        (cache.tenants, cache.scope) = (["TENANTNAME-one", "TENANTNAME-two"], "SCOPENAME")
        var sections = cache.sections()
        for key in sections["Account"]?.keys.sorted() ?? [] {
            sections["Account"]?[key]?["UNKNOWNFIELD"] = "UNKNOWNFIELD"
        }
        try place.write("cache.json", JSONSerialization.data(withJSONObject: sections))
        try place.makeKey("ci")
        let steps = [
            "import cache.json", "group create GROUPNAME-one", "group create GROUPNAME-two",
            "account label uid0 LABELNAME",
            "account default uid0", "account move uid1.TENANTNAME-two --to GROUPNAME-one",
            "group grant GROUPNAME-one key-file ci",
            "group rename GROUPNAME-two GROUPNAME-three", "account remove uid2.TENANTNAME-one --force",
            "group rotate default",
            "group rotate GROUPNAME-one", "account move uid1.TENANTNAME-two --to GROUPNAME-three",
            "group remove GROUPNAME-one --force",
            "import cache.json", "doctor", "doctor --repair", "verify", "token --account uid0 --tenant TENANTNAME-one",
        ]
        for step in steps {
            try place.run("keyfob \(step)").expectSuccess()
            try scan(place, "after \(step)")
        }
        try place.add("PERSONNAME-pat", token: "SECRETTOKEN-pat")
        try scan(place, "after add")
    }

    @Test("what is put aside is sealed, too")
    func quarantine() throws {
        let place = try Workplace.withVault()
        for number in 0..<4 { try place.add("PERSONNAME\(number)", token: "SECRETTOKEN\(number)") }
        try place.run("\"$PYTHON\" \(PythonScript.path("vault_bytes")) data/keyfob swap-secrets").expectSuccess()
        try place.run("keyfob doctor --repair").expectSuccess()
        #expect(try place.contents(of: "data").keys.contains { $0.contains("quarantine/") })
        try scan(place, "after a repair")
    }

    @Test("the journal of a change that was cut off holds nothing in plain text")
    func journal() throws {
        let place = try Workplace.withVault()
        var cache = SampleCache(people: 400)
        (cache.name, cache.token, cache.tokenCount) = ("PERSONNAME", "SECRETTOKEN", 1_500)
        try place.write("cache.json", cache.json())
        try place.run("keyfob import -q cache.json").expectSuccess()
        try place.run("cp data/keyfob/keyring.db before").expectSuccess()
        // Stopped while the journal is there, so that it can be looked at; then killed.
        let outcome = try place.run(
            """
            keyfob group rotate -q default & pid=$!
            while kill -0 $pid 2>/dev/null; do
                if [ -s data/keyfob/keyring.db-journal ]; then kill -STOP $pid; echo stopped; break; fi
            done
            grep -la -e SECRETTOKEN -e PERSONNAME -e microsoftonline data/keyfob/*
            kill -9 $pid; wait $pid
            true
            """)
        #expect(outcome.text == "stopped\n", "\(outcome)")
        try place.run("keyfob verify").expectSuccess()
        #expect(try place.run("keyfob group list").text.contains("#1"))
        try scan(place, "after a roll-back")
    }

    @Test("every file is its owner's alone")
    func modes() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "token")
        try place.run(
            "umask 0; keyfob export --format msal out.json -q; keyfob group create work -q; keyfob doctor --repair > /dev/null"
        )
        .expectSuccess()
        let open = try place.run("find data state out.json recovery -perm /077")
        #expect(open.status == 0 && open.text.isEmpty, "\(open)")
    }

    @Test(
        "no message holds a token",
        arguments: ["token --scope other", "account list", "which", "doctor", "account show PERSONNAME"])
    func messages(_ command: String) throws {
        let place = try Workplace.withVault()
        try place.add("PERSONNAME", token: "SECRETTOKEN", "--scope repo")
        for option in ["", "--json"] {
            let outcome = try place.run("keyfob \(command) \(option)")
            #expect(!(outcome.text + outcome.errors).contains("SECRETTOKEN"), "\(outcome)")
        }
    }
}
