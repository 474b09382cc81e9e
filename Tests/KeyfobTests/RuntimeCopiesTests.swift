import Keyfob
import KeyfobModel
import KeyfobSecretService
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("Copies that MSAL's runtime keeps", .waitsForPrograms)
struct RuntimeCopiesTests {
    private func item(_ account: String, _ client: String) -> [String: String] {
        ["xdg:schema": "com.microsoft.identity.secret", "haid": account, "clientid": client]
    }

    @Test("Those of the account and the client go, and no others")
    func removed() throws {
        let session = try SecretServiceSession(.keyring)
        let service = try SecretService.connect(
            SecretServiceAccess(environment: session.environment, mayPrompt: false, deadline: .seconds(30)))
        let (ada, client) = (sha256("u.t"), sha256("c"))
        let others = [item(sha256("b.t"), client), item(ada, sha256("d"))]
        for attributes in [item(ada, client)] + others {
            _ = try service.create(
                label: "token", attributes: attributes, secret: secret("s"), in: service.defaultCollection().path)
        }
        let options = SecretServiceOptions(environment: session.environment, deadline: .seconds(30))
        let id = try #require(AccountID(homeAccountID: "u.t", environment: "login.windows.net"))
        #expect(try RuntimeCopies.remove(of: id, clientIDs: ["c", "x"], options) == 1)
        #expect(try RuntimeCopies.remove(of: id, clientIDs: ["c"], options) == 0)
        for attributes in others { #expect(try service.search(attributes, in: nil).items.count == 1) }
    }

    @Test("Where there is no Secret Service, or the account is another provider's, nothing is done")
    func nothing() throws {
        let id = try #require(AccountID(homeAccountID: "u.t", environment: "login.windows.net"))
        #expect(try RuntimeCopies.remove(of: id, clientIDs: ["c"], SecretServiceOptions(environment: [:])) == 0)
        let other = try #require(AccountID(homeAccountID: "u.t", environment: "login.example"))
        #expect(try RuntimeCopies.remove(of: other, clientIDs: ["c"], SecretServiceOptions(environment: [:])) == 0)
    }

    private func sha256(_ text: String) -> String {
        Hexadecimal.text(Array(text.utf8).withBytes { SHA256.hash($0) })
    }
}
