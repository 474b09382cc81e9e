import KeyfobTestSupport
import Testing

/// An export without access tokens looks whole to whoever added tokens by hand, so it says what it lacks.
@Suite("What an export says of access tokens that it leaves out", .waitsForPrograms)
struct ExportLeftOutTests {
    private static let export = "keyfob export --force --to $(age-keygen -y id.txt) out.age"

    private func place() throws -> Workplace {
        let place = try Workplace.withVault()
        try place.run("umask 077; age-keygen -o id.txt 2> /dev/null").expectSuccess()
        try place.add("ada", token: "ADA")
        return place
    }

    @Test("one that never expires")
    func one() throws {
        let place = try place()
        let told = "left out 1 access token, which never expires; --include-access-tokens adds it"
        #expect(try place.run(Self.export).expectSuccess().errors.contains(told))
        #expect(try !place.run(Self.export + " --include-access-tokens").expectSuccess().errors.contains("left out"))
        #expect(try !place.run(Self.export + " --quiet").expectSuccess().errors.contains("left out"))
    }

    @Test("the count is of what the option would add, in words and in the document")
    func counts() throws {
        let place = try place()
        try place.add("bob", token: "BOB", "--expires-in 3600")
        let told = "left out 2 access tokens, one of which never expires; --include-access-tokens adds them"
        #expect(try place.run(Self.export).expectSuccess().errors.contains(told))
        let filter = "jq -c '[.credentials, .accessTokensLeftOut, .lastingTokensLeftOut]'"
        #expect(try place.run(Self.export + " --json | \(filter)").expectSuccess().text == "[0,2,1]\n")
        let added = Self.export + " --json --include-access-tokens | \(filter)"
        #expect(try place.run(added).expectSuccess().text == "[2,0,0]\n")
        // Of another account nothing is left out.
        let only = Self.export + " --account bob"
        #expect(
            try place.run(only).expectSuccess().errors.contains(
                "left out 1 access token; --include-access-tokens adds it"))
        try place.run("keyfob group create -q work; keyfob account move -q ada --to work").expectSuccess()
        #expect(
            try place.run(Self.export + " --group work --json | \(filter)").expectSuccess().text == "[0,1,1]\n")
    }
}
