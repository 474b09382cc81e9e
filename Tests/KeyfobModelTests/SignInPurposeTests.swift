import KeyfobModel
import Testing

@Suite("What a person signs in for")
struct SignInPurposeTests {
    private static let providers = [
        "github.com", "gitlab.com", "accounts.google.com", "login.microsoftonline.com", "login.microsoftonline.us",
    ]

    @Test("each built-in provider has scopes for each purpose, and they do for it", arguments: providers)
    func complete(environment: String) throws {
        for purpose in SignInPurpose.allCases {
            let scopes = try #require(purpose.scopes(at: environment))
            #expect(!scopes.isEmpty && !purpose.isBeyond(scopes, at: environment))
        }
    }

    @Test("nothing is known of a provider that is not built in")
    func unknown() {
        #expect(SignInPurpose.git.scopes(at: "git.example") == nil)
        #expect(!SignInPurpose.git.isBeyond(["read:user"], at: "git.example"))
    }

    @Test(
        "a token is short of scopes where it has others, and none that does",
        arguments: [
            ("github.com", SignInPurpose.git, "read:user gist", true), ("github.com", .git, "read:user repo", false),
            ("github.com", .git, "public_repo", false), ("github.com", .git, "REPO", false),
            ("github.com", .git, "", false), ("github.com", .packages, "repo", true),
            ("github.com", .packages, "read:packages", false), ("gitlab.com", .git, "openid read_user", true),
            ("gitlab.com", .git, "api", false), ("gitlab.com", .packages, "read_repository", true),
            ("login.microsoftonline.com", .git, "https://graph.microsoft.com/User.Read", false),
        ])
    func short(environment: String, purpose: SignInPurpose, granted: String, isBeyond: Bool) throws {
        #expect(purpose.isBeyond(ScopeSet(spaceSeparated: granted), at: environment) == isBeyond)
        let account = try #require(AccountID(homeAccountID: "1", environment: environment))
        var credential = Credential(
            kind: .accessToken, account: account, clientID: "client", scopes: ScopeSet(spaceSeparated: granted))
        #expect(credential.mayServe(purpose) != isBeyond)
        // A token that was made by hand: what stands beside it is what its owner typed.
        credential.clientID = Credential.noClient
        #expect(credential.mayServe(purpose))
    }
}
