import Foundation
import KeyfobTestSupport
import Testing

@Suite("Caches of ADAL on the command line", .waitsForPrograms)
struct ADALImportTests {
    /// The scope of the tokens.
    private let scope = "--scope https://graph.example//.default"

    @Test("an archive that Python wrote is taken over, once")
    func archive() throws {
        let place = try Workplace.withVault()
        try place.python("adal_archive", "single", "item.plist")
        let original = try place.read("item.plist")
        let wouldBe = try place.document("keyfob import --json --dry-run item.plist")
        let done = try place.document("keyfob import --json item.plist")
        #expect(done["format"] as? String == "adal")
        #expect(wouldBe["credentials"] as? NSDictionary == done["credentials"] as? NSDictionary)
        #expect((done["credentials"] as? [String: Int])?["added"] == 2)
        #expect(try place.read("item.plist") == original, "an import leaves the cache alone")
        let token = try place.run("keyfob token --account ada@contoso.example \(scope)").expectSuccess()
        #expect(token.text == "token-ada\n")
        let again = try place.document("keyfob import --json - < item.plist")
        #expect((again["credentials"] as? [String: Int])?["unchanged"] == 2)
        #expect(try place.run("keyfob verify").expectSuccess().errors.isEmpty)
    }

    @Test("items of an exported keychain are taken over, and those of others are told")
    func keychain() throws {
        let place = try Workplace.withVault()
        try place.python("adal_archive", "keychain", "items.plist")
        let outcome = try place.run("keyfob import items.plist").expectSuccess()
        #expect(outcome.errors.contains("skipped: entry 2: it is a keychain item that holds no token of ADAL"))
        let token = try place.run("keyfob token --account bob@contoso.example \(scope)").expectSuccess()
        #expect(token.text == "token-bob\n")
    }

    @Test("times in the list of Azure CLI are those of the time zone")
    func timeZone() throws {
        let place = try Workplace.withVault(["TZ": "Etc/GMT-5"])
        try place.write(
            "accessTokens.json",
            """
            [{"userId": "ada@contoso.example", "_clientId": "cli", "resource": "https://graph.example/",
              "_authority": "https://login.microsoftonline.com/contoso", "accessToken": "old", "refreshToken": "r",
              "expiresOn": "2018-03-01 12:34:56.123456", "expiresIn": 3599, "isMRRT": true, "tokenType": "Bearer"}]
            """)
        try place.run("keyfob import --quiet accessTokens.json").expectSuccess()
        try place.run("keyfob export --quiet --format msal out.json").expectSuccess()
        let tokens = try place.document("cat out.json")["AccessToken"] as? [String: [String: Any]]
        // 07:34:56 UTC.
        #expect(tokens?.values.first?["expires_on"] as? String == "1519889696")
        #expect(tokens?.values.first?["target"] as? String == "https://graph.example//.default")
    }

    @Test("a property list that is no cache is refused by name, and options for bundles with it")
    func refusals() throws {
        let place = try Workplace.withVault()
        try place.write("bad", Data("bplist00".utf8))
        try place.run("keyfob import bad").expectError(65, "bad is a damaged property list")
        try place.run("keyfob import --replace bad").expectError(64, "bad is not a bundle")
        try place.write("xml", "<?xml version=\"1.0\"?><plist/>")
        try place.run("keyfob import xml").expectError(65, "xml is XML", "plistutil")
    }
}
