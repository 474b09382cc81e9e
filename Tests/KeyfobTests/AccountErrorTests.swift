import Keyfob
import Testing

@Suite("Errors about accounts")
struct AccountErrorTests {
    @Test(
        "people read the user name where the id is another, programs the id alone",
        arguments: [
            ("1", "alice", "alice (1@id.example)"), ("1", "", "1@id.example"), ("ada", "ada", "ada@id.example"),
            ("ada", "ADA@id.example", "ada@id.example"), ("Ada", "ada", "Ada@id.example"),
            ("ada", "ad", "ad (ada@id.example)"), ("1", "ada@id.example", "ada@id.example (1@id.example)"),
        ])
    func names(id: String, username: String, name: String) throws {
        let id = try #require(AccountID(homeAccountID: id, environment: "id.example"))
        let error = KeyringError(.ambiguous, "two", accounts: [Account(id: id, username: username)])
        #expect(error.candidateNames == [name])
        #expect(error.candidates == [id.description])
    }

    @Test("candidates that are no accounts are named as they are")
    func others() {
        let error = KeyringError(.ambiguous, "two", candidates: ["a", "b"])
        #expect(error.candidates == ["a", "b"] && error.candidateNames == error.candidates)
    }
}
