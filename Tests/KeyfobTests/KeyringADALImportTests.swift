import Foundation
import Keyfob
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("Caches of ADAL into a keyring", .eachStorageInFullRun)
struct KeyringADALImportTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let resource = "https://graph.example/"

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
    }

    /// A list with an entry of Ada, whose tokens came at a moment, and one of an application.
    private func list(
        _ token: String = "access", refresh: String = "refresh", at time: Int64 = noon.seconds,
        identity: String = #""oid": "ada-uid", "tenantId": "contoso","#, zone: String = "Z"
    ) -> SecretBytes {
        let expiresOn = Date(timeIntervalSince1970: Double(time + 3_600)).formatted(.iso8601).dropLast() + zone
        return secret(
            """
            [{"userId": "Ada@contoso.example", "_clientId": "mailer", \(identity) "isMRRT": true,
              "_authority": "https://login.windows.net/contoso", "resource": "\(resource)", "tokenType": "Bearer",
              "accessToken": "\(token)", "refreshToken": "\(refresh)", "expiresIn": 3600,
              "expiresOn": "\(expiresOn)"},
             {"servicePrincipalId": "app", "servicePrincipalTenant": "contoso", "accessToken": "hidden"}]
            """)
    }

    /// A cache of MSAL with Ada's refresh token, as it was modified last at a moment; nil where it does not tell.
    private func unified(_ refresh: String, modified: Int64?, home: String = "ada-uid.contoso") -> SecretBytes {
        let owner = #""home_account_id": "\#(home)", "environment": "login.microsoftonline.com""#
        let time = modified.map { #", "last_modification_time": "\#($0)""# } ?? ""
        return secret(
            """
            {"RefreshToken": {"rt": {"credential_type": "RefreshToken", "secret": "\(refresh)", \(owner),
                "client_id": "mailer"\(time)}},
             "Account": {"a": {\(owner), "realm": "contoso", "local_account_id": "ada", "name": "Ada L.",
                "username": "ada@contoso.example", "authority_type": "MSSTS"}}}
            """)
    }

    private func importCache(
        _ cache: consuming SecretBytes, isDryRun: Bool = false, ahead: Int64 = 0
    ) throws(KeyringError) -> Keyring.ImportReport {
        try keyring.caches.import(cache, isDryRun: isDryRun, utcOffset: { _ in ahead })
    }

    /// The refresh tokens that an export holds.
    private func refreshTokens() throws -> [String] {
        var bytes: [UInt8] = []
        _ = try keyring.caches.exportMSAL { bytes += contents(of: SecretBytes(copying: $0)) }
        let sections = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let entities = sections["RefreshToken"] as? [String: [String: Any]] ?? [:]
        return entities.values.compactMap { $0["secret"] as? String }.sorted()
    }

    private var request: TokenRequest {
        TokenRequest(account: "ada@contoso.example", scopes: [resource + "/.default"])
    }

    @Test("tokens come in by user name, and importing again changes nothing")
    func again() throws {
        let report = try importCache(list())
        #expect(report.format == .adal && report.group == .default)
        #expect(report.accounts == [.added: 1] && report.credentials == [.added: 2] && report.others.isEmpty)
        #expect(report.skipped == ["entry 2: it holds an application's own credentials, which belong to no account"])
        #expect(try keyring.tokenText(request) == "access")
        #expect(try keyring.accounts.list().map(\.account.id.homeAccountID) == ["ada-uid.contoso"])
        #expect(try refreshTokens() == ["refresh"])
        let before = try home.state()
        let second = try importCache(list())
        #expect(second.accounts == [.unchanged: 1] && second.credentials == [.unchanged: 2])
        #expect(try home.state() == before)
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("a dry run tells the same and changes no byte")
    func dryRun() throws {
        let before = try home.state()
        let wouldBe = try importCache(list(), isDryRun: true)
        #expect(try home.state() == before)
        #expect(try importCache(list()) == wouldBe)
    }

    @Test("times without a zone are those of the clock on the wall")
    func zone() throws {
        _ = try importCache(list(zone: ""), ahead: 3_595)
        #expect(keyring.refusal(request) != nil)
        _ = try importCache(list(zone: ""), ahead: 0)
        #expect(try keyring.tokenText(request) == "access")
    }

    @Test(
        "tokens of an account that has no more than the user name of another stay apart, which is told",
        arguments: [#""oid": "ada-uid", "tenantId": "contoso","#, #""oid": "guest", "tenantId": "fabrikam","#, ""])
    func namesake(identity: String) throws {
        _ = try keyring.caches.importMSAL(unified("msal", modified: nil, home: "ada-home.contoso"))
        let known = try #require(try keyring.accounts.list().first).account
        let report = try importCache(list(identity: identity))
        #expect(report.accounts == [.added: 1] && report.namesakes.map(\.known) == [known.id])
        #expect(try keyring.accounts.list().first { $0.account.id == known.id }?.account == known)
        #expect(try keyring.accounts.credentials(of: known.id, in: .default).count == 1)
    }

    @Test("an account known by its name only is not made a second time when its id comes to light")
    func nameOnly() throws {
        #expect(try importCache(list(identity: "")).accounts == [.added: 1])
        #expect(try keyring.accounts.list().map(\.account.id.homeAccountID) == ["ada@contoso.example"])
        #expect(try importCache(list()).accounts[.added] == nil)
        #expect(try keyring.accounts.list().count == 1)
        _ = try keyring.caches.importMSAL(unified("msal", modified: nil))
        let report = try importCache(list(identity: ""))
        #expect(report.namesakes.count == 1 && report.accounts[.added] == nil)
        #expect(try keyring.accounts.list().count == 2)
    }

    @Test("of several namesakes none is chosen")
    func namesakes() throws {
        _ = try keyring.caches.importMSAL(unified("one", modified: nil, home: "one.contoso"))
        _ = try keyring.caches.importMSAL(unified("two", modified: nil, home: "two.contoso"))
        let report = try importCache(list())
        #expect(report.accounts == [.added: 1] && report.namesakes.count == 1)
        #expect(try keyring.accounts.list().count == 3)
    }

    @Test(
        "a refresh token replaces only one that is known to be older",
        arguments: [
            (nil, "msal", .kept), (noon.seconds - 10, "refresh", .changed), (noon.seconds, "msal", .kept),
            (noon.seconds + 10, "msal", .kept),
        ] as [(Int64?, String, Keyring.StoreOutcome)])
    func refreshTokenAge(modified: Int64?, remaining: String, outcome: Keyring.StoreOutcome) throws {
        _ = try keyring.caches.importMSAL(unified("msal", modified: modified))
        #expect(try importCache(list()).credentials == [.added: 1, outcome: 1])
        #expect(try refreshTokens() == [remaining])
    }

    @Test("a later state of the same cache replaces an earlier one, not the other way round")
    func laterState() throws {
        let older = noon.seconds - 100
        _ = try importCache(list(at: older))
        let newer = try importCache(list("newer", refresh: "rotated"))
        #expect(newer.credentials == [.changed: 2])
        #expect(try importCache(list(at: older)).credentials == [.kept: 2])
        #expect(try keyring.tokenText(request) == "newer" && refreshTokens() == ["rotated"])
    }

    @Test("labels come from the profile of Azure CLI")
    func labels() throws {
        let profile = #"""
            {"subscriptions": [{"id": "1", "name": "Production", "tenantId": "contoso", "isDefault": true,
              "user": {"name": "ada@contoso.example", "type": "user"}}]}
            """#
        _ = try keyring.caches.import(list(), azureProfile: secret(profile), utcOffset: { _ in 0 })
        #expect(try keyring.accounts.list().map(\.account.label) == ["Production"])
    }

    @Test(
        "what is no cache changes nothing, and the error says what it is",
        arguments: [
            ("[]", .damaged), ("[{", .damaged), ("bplist00", .damaged), ("<?xml?>", .damaged), ("", .damaged),
        ] as [(String, KeyringError.Code)])
    func nonsense(text: String, code: KeyringError.Code) throws {
        let before = try home.state()
        let error = failure(of: KeyringError.self) { _ = try keyring.caches.import(secret(text)) }
        #expect(error?.code == code)
        #expect(try home.state() == before)
    }

    @Test("a cache of MSAL goes the way it always went")
    func unifiedCache() throws {
        let report = try importCache(unified("msal", modified: nil))
        #expect(report.format == .msal && report.accounts == [.added: 1])
    }
}
