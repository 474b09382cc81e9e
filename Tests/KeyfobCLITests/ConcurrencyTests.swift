import Foundation
import KeyfobTestSupport
import Testing

@Suite("Several processes at one vault", .waitsForPrograms, .serialized)
struct ConcurrencyTests {
    /// The tokens in the vault by home account id, as an export has them.
    private func tokens(_ place: Workplace) throws -> [String: String] {
        let cache = try place.document("keyfob export --quiet --format msal -")
        let entities = cache["AccessToken"] as? [String: [String: Any]] ?? [:]
        return Dictionary(
            entities.values.map { ($0["home_account_id"] as? String ?? "", $0["secret"] as? String ?? "") },
            uniquingKeysWith: { "\($0) and \($1)" })
    }

    /// How long something takes.
    private func seconds(_ body: () throws -> Void) throws -> Double {
        let duration = try ContinuousClock().measure(body)
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    @Test("eight writers lose nothing")
    func writers() throws {
        let place = try Workplace.withVault()
        let count = TestLength.rounds(16, full: 200)
        let outcome = try place.run(
            """
            writer() {
                i=0
                while [ $i -lt \(count) ]; do
                    printf "token-$1-$i" | keyfob add --quiet --account "writer$1-$i" --host git.example \
                        && echo "writer$1-$i" >> stored.$1
                    i=$((i + 1))
                done
            }
            for w in 1 2 3 4 5 6 7 8; do writer $w & done
            wait
            cat stored.*
            """, deadline: 1_800)
        let stored = outcome.text.split(separator: "\n").map(String.init)
        #expect(stored.count == 8 * count && outcome.errors.isEmpty, "\(outcome.errors)")
        let expected = stored.map { ($0, "token-" + $0.dropFirst("writer".count)) }
        #expect(try tokens(place) == Dictionary(expected) { first, _ in first })
        #expect(try place.run("keyfob verify").expectSuccess().text.contains("\(16 * count) records in 1 group"))
    }

    @Test("a writer that is killed loses nothing that it has reported, and leaves a sound vault")
    func killed() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob group create work -q").expectSuccess()
        let rounds = TestLength.rounds(24, full: 200)
        var cache = SampleCache(people: 60)
        var reported: [String: String] = [:]
        let adding = try seconds { try place.add("first", token: "x", "--group work") }
        try place.write("cache.json", cache.json())
        let importing = try seconds { try place.run("keyfob import -q cache.json --group work").expectSuccess() }
        for round in 0..<rounds {
            cache.name = "import\(round)-"
            cache.token = "PLAINMARK-import\(round)"
            try place.write("cache.json", cache.json())
            try place.write("token", "PLAINMARK-add\(round)")
            let isImport = round % 4 == 1
            let command =
                switch round % 4 {
                case 1: "import --quiet cache.json --group default"
                case 3: "group rotate --quiet default"
                default: "add --quiet --account added\(round) --host git.example --group default"
                }
            let delay = Double.random(in: 0...(isImport ? importing : adding) * 2)
            let outcome = try place.run(
                """
                keyfob \(command) < token & pid=$!
                sleep \(delay); kill -9 $pid 2>/dev/null
                wait $pid && echo reported
                grep -rla PLAINMARK data state && echo 'a token in plain text'
                true
                """)
            #expect(!outcome.text.contains("plain text"), "\(outcome)")
            guard outcome.text.contains("reported") else { continue }
            if isImport {
                for person in 0..<cache.people {
                    let home = cache.tenants[person % 2]
                    // The later of two tenants' tokens of one id stays in the list: any of them will do.
                    reported["uid\(person).\(home)"] = "PLAINMARK-import\(round)-at-\(person)-"
                }
            } else if round % 4 != 3 {
                reported["added\(round)"] = "PLAINMARK-add\(round)"
            }
            if round % 8 == 0 { try place.run("keyfob verify").expectSuccess() }
        }
        #expect(!reported.isEmpty)
        try place.run("keyfob verify").expectSuccess()
        let found = try tokens(place)
        for (account, token) in reported {
            let actual = found[account] ?? "missing"
            // A later import of the same people may have come through without having said so.
            let isFound = actual.contains(token) || (account.hasPrefix("uid") && actual.contains("PLAINMARK-import"))
            #expect(isFound, "\(account): \(actual)")
        }
        try place.run("keyfob add --quiet --account last --host git.example", text: "x").expectSuccess()
    }

    @Test(
        "readers get the right token, and a verification finds nothing, while accounts move and groups change their keys"
    )
    func readers() throws {
        let place = try Workplace.withVault()
        try place.run("keyfob group create a -q && keyfob group create b -q").expectSuccess()
        for name in ["moving", "resting"] { try place.add(name, token: "token-of-\(name)", "--group a") }
        let rounds = TestLength.rounds(10, full: 100)
        let outcome = try place.run(
            """
            say() { echo "$*: $(cat err.$1 2>/dev/null)"; }
            mover() {
                i=0; while [ $i -lt \(rounds) ]; do
                    keyfob account move -q moving --group a --to b 2>err.mover || say mover $?
                    keyfob account move -q moving --group b --to a 2>err.mover || say mover $?
                    i=$((i + 1)); done
                touch done.mover
            }
            rotator() {
                i=0; while [ $i -lt \(rounds) ]; do
                    keyfob group rotate -q a 2>err.rotator || say rotator $?
                    keyfob group rotate -q b 2>err.rotator || say rotator $?
                    i=$((i + 1)); done
                touch done.rotator
            }
            examiner() {
                while [ ! -e done.mover ] || [ ! -e done.rotator ]; do
                    keyfob verify >out.verify 2>&1 || { say "verify $?"; cat out.verify; }
                    grep warning out.verify
                    keyfob group list 2>&1 | grep warning
                done
            }
            reader() {
                while [ ! -e done.mover ] || [ ! -e done.rotator ]; do
                    for name in moving resting; do
                        token=$(keyfob token --account $name 2>err.$1) && [ "$token" = "token-of-$name" ] || say $1 $? "$token"
                        test -s err.$1 && say $1
                    done
                    echo read >> reads
                done
            }
            mover & rotator & reader r1 & reader r2 & examiner &
            wait
            """, deadline: 900)
        #expect(outcome.text.isEmpty && outcome.status == 0, "\(outcome)")
        #expect(try place.run("keyfob verify").expectSuccess().errors.isEmpty)
        #expect(try place.run("wc -l < reads").text != "0\n")
        let keys = try place.run("keyfob group list").text
        #expect(keys.contains("#\(rounds + 1)"), "\(keys)")
    }

    @Test("groups made at the same time are all there, and the header's copy is the newest")
    func headers() throws {
        let place = try Workplace.withVault()
        let outcome = try place.run(
            "for w in 1 2 3 4; do (for i in 1 2 3 4 5; do keyfob group create -q \"group$w-$i\"; done) & done; wait")
        #expect(outcome.errors.isEmpty, "\(outcome)")
        #expect((try place.document("keyfob group list --json")["groups"] as? [Any])?.count == 21)
        try place.run("\"$PYTHON\" \(PythonScript.path("vault_bytes")) data/keyfob flip-header").expectSuccess()
        #expect(try place.run("keyfob group list").expectSuccess().text.split(separator: "\n").count == 22)
    }
}
