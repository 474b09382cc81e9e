import Keyfob
import Testing

@Suite("Errors about accounts")
struct AccountErrorTests {
    /// An account with a home id, a user name and a label.
    private func account(_ id: String, _ username: String, label: String? = nil, at host: String = "id.example") throws
        -> Account
    {
        let id = try #require(AccountID(homeAccountID: id, environment: host))
        return Account(id: id, username: username, label: label)
    }

    @Test(
        "people read the label or user name, programs the id",
        arguments: [
            ("1", "alice", "alice"), ("1", "", "1@id.example"), ("ada", "ada", "ada@id.example"),
            ("ada", "ADA@id.example", "ADA@id.example"), ("1", "ada@id.example", "ada@id.example"),
        ])
    func names(id: String, username: String, name: String) throws {
        let account = try account(id, username)
        let error = KeyringError(.ambiguous, "two", accounts: [account])
        #expect(error.candidateNames == [name])
        #expect(error.candidates == [account.id.description])
    }

    @Test("a label comes first, and one that another account has is told apart")
    func labels() throws {
        let accounts = try [
            account("1", "a", label: "Lab"), account("2", "b", label: "Lab"), account("3", "c", label: "C"),
        ]
        let error = KeyringError(.ambiguous, "three", accounts: accounts)
        #expect(error.candidateNames == ["Lab (a)", "Lab (b)", "C"])
    }

    @Test("of two alike as much of the id is told as it takes to mean one, and where it is")
    func twins() throws {
        let (work, own) = (
            "1f3a2b4c-0000-4000-8000-000000000000.11111111-aaaa-4aaa-8aaa-111111111111",
            "00000000-0000-0000-66f3-3332eca7ea81.9188040d-6c67-4c5b-b112-36a304b66dad"
        )
        let accounts = try [
            account(work, "twin@contoso.example"), account(own, "twin@contoso.example", at: "other.example"),
            account(own.replacing("66f3", with: "77f3"), "eve@contoso.example"),
        ]
        let names = KeyringError(.ambiguous, "three", accounts: accounts).candidateNames
        #expect(
            names == [
                "twin@contoso.example (id.example, id 1f3a2b4c)",
                "twin@contoso.example (other.example, id 00000000-0000-0000-66f3-333)", "eve@contoso.example",
            ])
    }

    @Test("no more than three are named, however many there are")
    func many() throws {
        let accounts = try (0..<50).map { try account("\($0)", "user\($0)") }
        let error = KeyringError(.ambiguous, "many", accounts: accounts)
        #expect(error.candidateNames == ["user0", "user1", "user2"])
        #expect(error.candidates.count == 50)
    }

    @Test("candidates that are no accounts are named as they are")
    func others() {
        let error = KeyringError(.ambiguous, "two", candidates: ["a", "b"])
        #expect(error.candidates == ["a", "b"] && error.candidateNames == error.candidates)
    }
}
