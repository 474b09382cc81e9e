import Foundation
@testable import Keyfob
import KeyfobSQLiteTestSupport
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("Token caches into a keyring and out of it", .eachStorageInFullRun)
struct KeyringCacheTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let request = TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"])

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
    }

    /// A cache with the tokens of Ada, something that Keyfob does not know, and a token that lacks its secret.
    private func cache(_ token: String = "token", expires: Int64 = 3_600, name: String = "Ada") -> SecretBytes {
        let owner = """
            "home_account_id": "ada-uid.contoso", "environment": "login.microsoftonline.com"
            """
        let mailer = owner + #", "client_id": "mailer""#
        return secret(
            """
            {"AccessToken": {
                "at": {"credential_type": "AccessToken", "secret": "\(token)", \(mailer), "realm": "contoso",
                    "target": "mail.read", "cached_at": "\(noon.seconds)", "expires_on": "\(noon.seconds + expires)"},
                "bad": {"credential_type": "AccessToken", \(mailer), "realm": "contoso", "target": "files.read"}},
             "RefreshToken": {"rt": {"credential_type": "RefreshToken", "secret": "refresh", \(mailer)}},
             "Account": {"a": {\(owner), "realm": "contoso", "local_account_id": "ada", "name": "\(name)",
                "username": "ada@contoso.example", "authority_type": "MSSTS"}},
             "AppMetadata": {"m": {"client_id": "mailer", "environment": "login.microsoftonline.com"}},
             "Telemetry": {"x": 1}}
            """)
    }

    private func importCache(
        _ cache: consuming SecretBytes, isDryRun: Bool = false
    ) throws(KeyringError) -> Keyring.ImportReport {
        try keyring.caches.importMSAL(cache, isDryRun: isDryRun)
    }

    /// What an export writes, and its report.
    private func exported(
        from keyring: Keyring, account: AccountID? = nil
    ) throws -> (bytes: [UInt8], report: Keyring.ExportReport) {
        var bytes: [UInt8] = []
        let report = try keyring.caches.exportMSAL(account: account) { piece in
            bytes += contents(of: SecretBytes(copying: piece))
        }
        return (bytes, report)
    }

    @Test("what sign-ins send is not told by a cache that somebody hands over", arguments: [false, true])
    func parameters(isWrittenNow: Bool) throws {
        let brought = text(of: cache()).replacing(
            #""secret": "refresh","#,
            with: #""secret": "refresh", "keyfob_parameters": {"audience": "https://other.example"},"#)
        _ = try keyring.caches.importMSAL(secret(brought), isWrittenNow: isWrittenNow)
        let ada = try #require(try keyring.accounts.list(in: nil).first).account.id
        let token = try keyring.accounts.credentials(of: ada, in: .default).first { $0.kind == .refreshToken }
        // A program that writes its cache had them from there.
        #expect(token?.signInParameters == (isWrittenNow ? ["audience": "https://other.example"] : [:]))
    }

    @Test("an import says what it added, changed, left alone and kept")
    func outcomes() throws {
        let first = try importCache(cache())
        #expect(first.group == .default && first.accounts == [.added: 1])
        #expect(first.credentials == [.added: 2] && first.others == [.added: 2])
        #expect(first.skipped.count == 1 && first.accountsWithoutEntity == 0)
        #expect(try keyring.tokenText(request) == "token")

        let again = try importCache(cache())
        #expect(again.accounts == [.unchanged: 1])
        #expect(again.credentials == [.unchanged: 2] && again.others == [.unchanged: 2])

        let newer = try importCache(cache("newer", expires: 7_200, name: "Ada L."))
        #expect(newer.accounts == [.changed: 1] && newer.credentials == [.changed: 1, .unchanged: 1])
        #expect(try keyring.tokenText(request) == "newer")

        let older = try importCache(cache("older", expires: 5_000, name: "Ada L."))
        #expect(older.accounts == [.unchanged: 1] && older.credentials == [.kept: 1, .unchanged: 1])
        #expect(try keyring.tokenText(request) == "newer")
        #expect(try keyring.health.verify().problems == [])
    }

    @Test("a dry run tells the same and changes no byte")
    func dryRun() throws {
        for token in ["first", "second"] {
            let before = try home.state()
            let wouldBe = try importCache(cache(token), isDryRun: true)
            #expect(try home.state() == before)
            #expect(keyring.refusal(request) == nil || token == "first")
            #expect(try importCache(cache(token)) == wouldBe)
        }
        #expect(try keyring.tokenText(request) == "second")
    }

    @Test("a cache that makes no sense changes nothing")
    func nonsense() throws {
        try keyring.importMSALCache(cache())
        let before = try home.state()
        for text in ["", "[]", #"{"AccessToken": {"#, #"{"AccessToken": 1}"#] {
            _ = failure(of: KeyringError.self) { _ = try keyring.importMSALCache(secret(text)) }
            #expect(try home.state() == before)
        }
    }

    @Test("labels come from the profile of Azure CLI, and a profile that cannot be read is remarked on")
    func labels() throws {
        let profile = #"""
            {"subscriptions": [{"id": "1", "name": "Production", "tenantId": "contoso", "isDefault": true,
              "user": {"name": "ADA@contoso.example", "type": "user"}}]}
            """#
        let report = try keyring.caches.importMSAL(cache(), azureProfile: secret("nonsense"))
        #expect(report.remarks.contains { $0.contains("azureProfile.json") })
        #expect(try keyring.accounts.list().map(\.account.label) == [nil])
        #expect(try keyring.caches.importMSAL(cache(), azureProfile: secret(profile)).accounts == [.changed: 1])
        #expect(try keyring.accounts.list().map(\.account.label) == ["Production"])
        #expect(try keyring.tokenText(TokenRequest(account: "production")) == "token")
        try keyring.accounts.setLabel("mine", of: #require(keyring.accounts.list().first).account.id, in: .default)
        #expect(try keyring.importMSALCache(cache()).accounts == [.unchanged: 1])
        #expect(try keyring.accounts.list().map(\.account.label) == ["mine"])
    }

    @Test("what one keyring exports another one imports, and nothing is lost")
    func roundTrip() throws {
        try keyring.importMSALCache(cache())
        let (bytes, report) = try exported(from: keyring)
        #expect(report.accounts == 1 && report.credentials == 2 && report.others == 2)
        #expect(report.skipped == [] && !report.isIncomplete)
        let other = try KeyringHome()
        let imported = try other.keyring.importMSALCache(secret(bytes))
        #expect(imported.skipped == [] && imported.credentials == [.added: 2] && imported.others == [.added: 2])
        #expect(try other.keyring.accounts.list() == keyring.accounts.list())
        #expect(try other.keyring.tokenText(request) == "token")
        #expect(try exported(from: other.keyring).bytes == bytes)
    }

    @Test("an export of one account holds nothing of another")
    func oneAccount() throws {
        try keyring.importMSALCache(cache())
        let bob = try Account.contoso("bob")
        try keyring.store(.access(bob), "token of bob", for: bob)
        let (bytes, report) = try exported(from: keyring, account: bob.id)
        let text = String(decoding: bytes, as: UTF8.self)
        // MSAL lists accounts by tenant.
        #expect(report.accounts == 0 && report.credentials == 1)
        #expect(report.skipped.count == 1 && report.skipped.allSatisfy { $0.contains("no tenant") })
        #expect(text.contains("token of bob") && !text.contains("ada@") && !text.contains("ada-uid"))
    }

    @Test("a record that does not open is left out of an export and told", .embeddedAlone)
    func damagedRecord() throws {
        try keyring.importMSALCache(cache())
        try home.database().run("UPDATE records SET attributes = zeroblob(length(attributes)) WHERE kind = 2")
        let (bytes, report) = try exported(from: home.opened())
        #expect(report.isIncomplete && report.accounts == 1 && report.credentials == 1)
        #expect(report.skipped.count == 1 && report.skipped.allSatisfy { $0.hasPrefix("group default: ") })
        let sections = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect((sections["RefreshToken"] as? [String: Any])?.count == 1)
        #expect(!String(decoding: bytes, as: UTF8.self).contains(#""token""#))
    }
}

extension Keyring {
    /// Imports a cache where the report does not matter.
    @discardableResult
    fileprivate func importMSALCache(_ cache: borrowing SecretBytes) throws(KeyringError) -> ImportReport {
        try caches.importMSAL(cache, azureProfile: nil)
    }
}
