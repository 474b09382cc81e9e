import Keyfob
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("What accounts are called")
struct AccountNamingTests {
    private func account(_ name: String, at host: String, label: String? = nil) throws -> Candidate {
        let id = try #require(AccountID(homeAccountID: name, environment: host))
        return Candidate(
            account: Account(id: id, username: name, label: label), group: .default, state: .tokensOnly, clientIDs: [],
            isDefault: false)
    }

    @Test("by the name where it means one account, and else by what tells it apart, which can be typed")
    func namesakes() throws {
        let all = try [
            account("ada", at: "github.com"), account("ada", at: "git.example"), account("bob", at: "github.com"),
            account("eve", at: "github.com", label: "bob"), account("dan", at: "github.com", label: "Lab"),
        ]
        let names = AccountNaming(among: all + [all[4]])
        #expect(all.prefix(2).map { names.brief($0.account) } == ["ada@github.com", "ada@git.example"])
        #expect(Set(all.map { names.brief($0.account) }).count == all.count)
        #expect(names.brief(all[4].account) == "Lab")
        for candidate in all {
            let typed = names.briefTyped(candidate.account)
            #expect(AccountSelector().candidates(named: typed, among: all) == [candidate], "\(typed)")
        }
    }
}
