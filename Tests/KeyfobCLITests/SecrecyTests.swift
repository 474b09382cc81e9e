import Foundation
import KeyfobTestSupport
import Testing

@Suite("What lies on the disk", .waitsForPrograms)
struct SecrecyTests {
    /// Words that must be found nowhere: each a part of a name or a token.
    private static let words = [
        "SECRETTOKEN", "PERSONNAME", "TENANTNAME", "CLIENTNAME", "GROUPNAME", "SCOPENAME", "LABELNAME", "UNKNOWNFIELD",
        "microsoftonline", "git.example", "AGE-SECRET-KEY", "AccessToken", "home_account_id", "uid0",
    ]

    /// Expects no file below the vault and the state folder to hold any of the words, in UTF-8, UTF-16 or base64.
    private func scan(_ place: Workplace, _ when: String) throws {
        for folder in ["data", "state"] {
            let files = try place.contents(of: folder)
            #expect(!files.isEmpty)
            for (name, data) in files {
                for word in Self.words {
                    for form in [Data(word.utf8), Data(word.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })] {
                        #expect(data.range(of: form) == nil, "\(word) is in \(name) \(when)")
                    }
                    #expect(!name.contains(word))
                }
            }
        }
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

    @Test("a process cannot be dumped or looked into")
    func dumping() throws {
        let place = try Workplace.withVault()
        // It waits for its token: time to look at it, and for it to come so far.
        let outcome = try place.run(
            """
            mkfifo p; keyfob add -q --account ada --host git.example < p & pid=$!
            exec 9>p
            until grep -q 'Max core file size  *0  *0 ' /proc/$pid/limits; do sleep 0.01; done
            grep 'Max core file size' /proc/$pid/limits | tr -s ' '; stat -c %u /proc/$pid/environ
            kill -9 $pid; wait $pid
            true
            """)
        #expect(outcome.text.contains("Max core file size 0 0"), "\(outcome)")
    }
}
