import Foundation
import KeyfobTestSupport
import Testing

@Suite("Signing in at Microsoft's authorities", .waitsForPrograms)
struct AuthorityTests {
    private let place: Workplace

    init() throws {
        place = try Workplace.withVault()
    }

    /// A line of the log: a request.
    private struct Request: Decodable {
        let host: String
        let path: String
        let grant_type: String?
        let scope: String?
        let resource: String?
        let error: String?
    }

    /// Runs lines where the names of authorities lead to ours; see `authorities.py`.
    private func run(_ lines: String) throws -> (text: String, requests: [Request]) {
        try place.write("lines.sh", "set -e\n" + lines + "\n")
        let program = ProjectFolder.root.appending(path: "Tests/Provider/authorities.py").path
        let outcome = try place.run("\(PythonScript.interpreter) '\(program)' log sh lines.sh").expectSuccess()
        let log = String(decoding: try place.read("log"), as: UTF8.self)
        let requests = try log.split(separator: "\n").map { line in
            try JSONDecoder().decode(Request.self, from: Data(line.utf8))
        }
        #expect(requests.allSatisfy { $0.error == nil }, "\(requests)")
        return (outcome.text, requests)
    }

    @Test("each policy of Azure AD B2C has its account, and refreshes where it signed in")
    func policies() throws {
        let base = "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com"
        let (text, requests) = try run(
            """
            keyfob login --quiet --authority \(base)/B2C_1_SignIn --client app
            keyfob login --quiet --authority \(base)/b2c_1_edit --client app --scope https://contoso.example/read
            keyfob token --authority \(base)/b2c_1_signin
            keyfob token --authority \(base)/b2c_1_edit --force-refresh
            keyfob token --authority \(base)/b2c_1_signin --force-refresh
            keyfob token --authority \(base)/b2c_1_edit
            """)
        #expect(
            text.split(separator: "\n")
                == ["b2c_1_signin", "b2c_1_edit", "b2c_1_signin", "b2c_1_edit"].map {
                    "of contoso.b2clogin.com \($0)"
                })
        #expect(Set(requests.map(\.host)) == ["contoso.b2clogin.com"])
        #expect(requests.compactMap(\.grant_type).count { $0 == "refresh_token" } == 2)
    }

    @Test("AD FS gives tokens for the resources that are named")
    func federation() throws {
        let (text, requests) = try run(
            """
            keyfob login --quiet --authority https://fs.contoso.example/adfs --client app \\
                --resource https://api.contoso.example
            keyfob token --resource https://api.contoso.example
            keyfob token --resource https://api.contoso.example --force-refresh
            keyfob token --resource https://files.contoso.example
            """)
        #expect(text.split(separator: "\n") == ["api", "api", "files"].map { "for https://\($0).contoso.example" })
        #expect(requests.compactMap(\.resource) == ["api", "files"].map { "https://\($0).contoso.example" })
        #expect(requests.compactMap(\.scope).allSatisfy { $0 == "openid" }, "\(requests)")
        #expect(Set(requests.map(\.host)) == ["fs.contoso.example"])
    }

    @Test("External ID is found by its host alone")
    func externalID() throws {
        let (text, requests) = try run(
            """
            keyfob login --quiet --authority https://contoso.ciamlogin.com/ --client app --scope api://app/read
            keyfob token --scope api://app/read --force-refresh
            """)
        #expect(text == "of contoso.ciamlogin.com\n")
        #expect(Set(requests.map(\.host)) == ["contoso.ciamlogin.com"])
    }

    @Test("people of another of Microsoft's clouds are signed in there")
    func otherCloud() throws {
        let (text, requests) = try run(
            """
            keyfob login --quiet microsoft --client app --instance-aware --login-hint ada@contoso.us
            keyfob login --quiet --authority https://login.microsoftonline.com/organizations --client app
            keyfob token --authority https://login.microsoftonline.us/common --force-refresh
            keyfob token --authority https://login.microsoftonline.com/common --force-refresh
            """)
        #expect(text == "of login.microsoftonline.us\nof login.microsoftonline.com\n")
        let redeemed = requests.filter { $0.grant_type == "authorization_code" }.map(\.host)
        #expect(redeemed == ["login.microsoftonline.us", "login.microsoftonline.com"])
    }
}
