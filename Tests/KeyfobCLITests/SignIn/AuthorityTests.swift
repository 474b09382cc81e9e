import Foundation
import KeyfobTestSupport
import Testing

@Suite("Signing in at Microsoft's authorities", .waitsForPrograms)
struct AuthorityTests {
    private let server: ProviderServer
    private let place: Workplace

    init() throws {
        server = try ProviderServer(named: [.init("microsoft"), .init("microsoft_others")])
        place = try Workplace.withVault(server.environment)
    }

    /// Runs lines; the tokens that they print, without the number of each.
    private func run(_ lines: String) throws -> (tokens: [String], requests: [ProviderServer.Request]) {
        try place.write("lines.sh", "set -e\n" + lines + "\n")
        let outcome = try place.run("sh lines.sh").expectSuccess()
        let requests = try server.requests()
        #expect(requests.allSatisfy { $0.error == nil }, "\(requests)")
        let tokens = outcome.text.split(separator: "\n").map {
            $0.split(separator: "-").dropLast().joined(separator: "-")
        }
        return (tokens, requests)
    }

    /// The hosts that were asked.
    private func hosts(_ requests: [ProviderServer.Request]) -> Set<String> { Set(requests.compactMap(\.host)) }

    @Test("each policy of Azure AD B2C has its account, and refreshes where it signed in")
    func policies() throws {
        let base = "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com"
        let (tokens, requests) = try run(
            """
            keyfob login --quiet --authority \(base)/B2C_1_SignIn --client app
            keyfob login --quiet --authority \(base)/b2c_1_edit --client app --scope https://contoso.example/read
            keyfob token --authority \(base)/b2c_1_signin
            keyfob token --authority \(base)/b2c_1_edit --force-refresh
            keyfob token --authority \(base)/b2c_1_signin --force-refresh
            keyfob token --authority \(base)/b2c_1_edit
            """)
        #expect(tokens == ["b2c_1_signin", "b2c_1_edit", "b2c_1_signin", "b2c_1_edit"].map { "of-\($0)" })
        #expect(hosts(requests) == ["contoso.b2clogin.com"])
        #expect(requests.compactMap(\.grantType).count { $0 == "refresh_token" } == 2)
    }

    @Test("AD FS gives tokens for the resources that are named")
    func federation() throws {
        let (tokens, requests) = try run(
            """
            keyfob login --quiet --authority https://fs.contoso.example/adfs --client app \\
                --resource https://api.contoso.example
            keyfob token --resource https://api.contoso.example
            keyfob token --resource https://api.contoso.example --force-refresh
            keyfob token --resource https://files.contoso.example
            """)
        #expect(tokens == ["api", "api", "files"].map { "for-\($0).contoso.example" })
        #expect(requests.compactMap(\.resource) == ["api", "files"].map { "https://\($0).contoso.example" })
        #expect(requests.compactMap(\.scope).allSatisfy { $0 == "openid" }, "\(requests)")
        #expect(hosts(requests) == ["fs.contoso.example"])
    }

    @Test("External ID is found by its host alone")
    func externalID() throws {
        let (tokens, requests) = try run(
            """
            keyfob login --quiet --authority https://contoso.ciamlogin.com/ --client app --scope api://app/read
            keyfob token --scope api://app/read --force-refresh
            """)
        #expect(tokens == ["of-contoso.ciamlogin.com"])
        #expect(hosts(requests) == ["contoso.ciamlogin.com"])
    }

    @Test("people of another of Microsoft's clouds are signed in there")
    func otherCloud() throws {
        let (_, requests) = try run(
            """
            keyfob login --quiet microsoft --client app --instance-aware --login-hint ada@contoso.us
            keyfob login --quiet --authority https://login.microsoftonline.com/organizations --client app
            keyfob token --authority https://login.microsoftonline.us/common --force-refresh
            keyfob token --authority https://login.microsoftonline.com/common --force-refresh
            """)
        let clouds = ["login.microsoftonline.us", "login.microsoftonline.com"]
        for kind in ["authorization_code", "refresh_token"] {
            #expect(requests.filter { $0.grantType == kind }.compactMap(\.host) == clouds)
        }
    }
}
