import Foundation
import KeyfobTestSupport
import Testing

@Suite("Tokens in other programs' forms", .waitsForPrograms)
struct TokenFormatTests {
    @Test(
        "what az prints has its time twice: as this machine's clock shows it, and as a number",
        arguments: ["UTC", "America/St_Johns", "Asia/Kathmandu"])
    func azure(zone: String) throws {
        let place = try Workplace.withVault(["TZ": zone])
        let cache = SampleCache(people: 1, tenants: ["tenant-one"])
        try place.write("cache.json", cache.json())
        try place.run("keyfob import -q cache.json").expectSuccess()
        // As the libraries of Azure read it.
        let outcome = try place.run(
            """
            keyfob token --format az > token && $PYTHON -c '
            import datetime, json, time
            token = json.load(open("token"))
            local = datetime.datetime.strptime(token["expiresOn"], "%Y-%m-%d %H:%M:%S.%f")
            print(sorted(token), token["tenant"], token["tokenType"], token["accessToken"])
            print(local.timestamp() == token["expires_on"], 3000 < token["expires_on"] - time.time() < 3700)'
            """)
        let names = "['accessToken', 'expiresOn', 'expires_on', 'tenant', 'tokenType']"
        #expect(
            outcome.text == "\(names) tenant-one Bearer \(cache.accessToken(0, "tenant-one"))\nTrue True\n",
            "\(outcome)")
    }
}
