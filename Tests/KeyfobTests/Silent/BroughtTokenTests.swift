import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import Keyfob

/// A token without a client, from a file or typed in, beside those of a sign-in: nobody has proved whose it is.
@Suite("A token that somebody brought along", .eachStorageInFullRun)
struct BroughtTokenTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atPlainProvider()
        try home.access("brought", ada, client: Credential.noClient, expires: nil)
    }

    @Test("is given where there is no sign-in, or no sign-in that could give as much")
    func alone() async throws {
        #expect(try await home.token(ada).text == "brought")
        try home.grant("rt", ada, scopes: ["files.read"])
        try home.access("files", ada, scopes: ["files.read"])
        #expect(try await home.token(ada).text == "brought")
    }

    @Test("never takes the place of the sign-in's, not when that has expired either")
    func beside() async throws {
        try home.grant("rt", ada)
        try home.access("signed in", ada)
        #expect(try await home.token(ada).text == "signed in")
        home.clock.advance(by: 7_200)
        provider.answer(.tokens("refreshed", refresh: "rt2", scope: "mail.read"))
        #expect(try await home.token(ada, from: home.opened()).text == "refreshed")
        #expect(try await home.token(ada, client: Credential.noClient).text == "brought")
    }

    @Test("nor is it given where nobody can refresh just then")
    func offline() async throws {
        try home.grant("rt", ada)
        try home.access("signed in", ada)
        home.clock.advance(by: 7_200)
        provider.answer(.status(503))
        #expect(await home.refusal(ada) != nil)
        #expect(home.keyring.refusal(TokenRequest(account: ada.id.description, scopes: ["mail.read"])) == .signInNeeded)
    }
}
