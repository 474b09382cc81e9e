import Foundation
import KeyfobTestSupport
import Testing

@Suite("Round trip with MSAL for Python", .waitsForPrograms)
struct MSALRoundTripTests {
    @Test("a thousand accounts in two tenants go in and come out, and MSAL serves every token from them")
    func thousand() throws {
        let place = try Workplace.withVault()
        try place.python("msal_accounts", "make", "cache.json", "1000")
        let original = try place.read("cache.json")
        let imported = try place.run("keyfob import cache.json").expectSuccess()
        #expect(!imported.errors.contains("skipped"), "\(imported.errors.prefix(2_000))")
        #expect(try place.read("cache.json") == original, "an import leaves the cache alone")
        try place.run("keyfob export --quiet --format msal out.json").expectSuccess()

        let before = try place.python("msal_accounts", "serve", "cache.json").text
        let after = try place.python("msal_accounts", "serve", "out.json").text
        let lines = after.split(separator: "\n")
        #expect(lines.count == 2_000)
        #expect(lines.allSatisfy { $0.contains(" cache ") })
        #expect(after == before)

        let strange = try place.python("msal_accounts", "strange", "cache.json").text
        #expect(strange.contains("StrangeToken") && strange.contains("12345678901234567890"))
        #expect(try place.python("msal_accounts", "strange", "out.json").text == strange)

        // Once more: what comes out of the second trip is what came out of the first.
        try place.run("keyfob init --quiet --vault second --recovery-file second-recovery").expectSuccess()
        try place.run("keyfob import --quiet out.json --vault second").expectSuccess()
        try place.run("keyfob export --quiet --format msal second.json --vault second").expectSuccess()
        #expect(try place.document("cat second.json") as NSDictionary == place.document("cat out.json") as NSDictionary)
        #expect(try place.run("keyfob verify").expectSuccess().errors.isEmpty)
    }

    @Test("tokens come one by one as well")
    func single() throws {
        let place = try Workplace.withVault()
        try place.python("msal_accounts", "make", "cache.json", "20")
        try place.run("keyfob import --quiet cache.json").expectSuccess()
        let served = try place.python("msal_accounts", "serve", "cache.json").text.split(separator: "\n")
        for line in served.map({ $0.split(separator: " ") }) {
            let token = try place.run(
                "printf %s \"$(keyfob token --account \(line[1]) --tenant \(line[0]))\" | sha256sum")
            #expect(token.text.hasPrefix(line[3]), "\(line)")
        }
    }
}
