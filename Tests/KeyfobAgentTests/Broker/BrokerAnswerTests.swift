import Foundation
@testable import Keyfob
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

@Suite("What the broker answers") struct BrokerAnswerTests {
    private let ada: Account

    init() throws {
        let id = try #require(AccountID(homeAccountID: "u.t", environment: "login.windows.net"))
        ada = Account(id: id, username: "ada@contoso.example", displayName: "Ada L")
    }

    private func document(_ answer: consuming SecretBytes) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(contents(of: answer))) as? NSDictionary)
    }

    private func payload(_ token: String) throws -> NSDictionary {
        let part = try #require(token.split(separator: ".").dropFirst().first)
        let bytes = try #require(Base64.url.decode(Array(part.utf8)))
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
    }

    @Test("A token: times in milliseconds, scopes in one text, secrets as they are")
    func token() throws {
        let account = try #require(BrokerAccount(ada))
        let credential = Credential(
            kind: .accessToken, account: ada.id, clientID: "c", realm: "t", scopes: ["a", "b"],
            expiresOn: Timestamp(seconds: 1_700_000_000), extendedExpiresOn: Timestamp(seconds: 1_700_003_600))
        let found = Keyring.FoundToken(
            credential: credential, account: ada, group: .default, isAging: false, reason: .explicit)
        let box = TokenBox(Keyring.TokenAnswer(secret: secret("to\"ken\u{1}ü"), found: found))
        let answer = try document(
            BrokerAnswer.token(box, idToken: secret("x.y.z"), of: account, until: Timestamp(seconds: 1_700_000_000)))
        let info = Base64.url.text(Array(#"{"uid":"u","utid":"t"}"#.utf8))
        #expect(
            answer == [
                "brokerTokenResponse": [
                    "accessToken": "to\"ken\u{1}ü", "accessTokenType": 0, "expiresOn": 1_700_000_000_000,
                    "extendedExpiresOn": 1_700_003_600_000, "idToken": "x.y.z", "clientInfo": info,
                    "grantedScopes": "a b",
                ]
            ])
    }

    @Test("An account, and none of another provider")
    func account() throws {
        let account = try #require(BrokerAccount(ada))
        let answer = try document(BrokerAnswer.accounts([account]))
        #expect(
            answer == [
                "accounts": [
                    [
                        "homeAccountId": "u.t", "localAccountId": "u", "realm": "t",
                        "environment": "login.microsoftonline.com",
                        "username": "ada@contoso.example", "name": "Ada L", "givenName": "Ada",
                        "clientInfo": Base64.url.text(Array(#"{"uid":"u","utid":"t"}"#.utf8)), "passwordExpiry": 0,
                    ] as NSDictionary
                ]
            ])
        let other = try #require(AccountID(homeAccountID: "u.t", environment: "login.example"))
        #expect(BrokerAccount(Account(id: other, username: "u")) == nil)
        let mail = try #require(AccountID(homeAccountID: "ada@contoso.example", environment: "login.windows.net"))
        #expect(BrokerAccount(Account(id: mail, username: "u")) == nil)
    }

    @Test("An ID token in the place of one that is not stored says that nobody signed it")
    func unsigned() throws {
        let account = try #require(BrokerAccount(ada))
        let end = Timestamp(seconds: 1_700_003_600)
        let token = text(of: account.unsignedIDToken(for: "c", until: end, now: Timestamp(seconds: 1_700_000_000)))
        let claims = try payload(token)
        #expect(claims["oid"] as? String == "u" && claims["tid"] as? String == "t" && claims["aud"] as? String == "c")
        #expect(claims["iss"] as? String == "https://login.microsoftonline.com/t/v2.0")
        #expect(token.hasSuffix(".") && token.hasPrefix(Base64.url.text(Array(#"{"alg":"none","#.utf8))))
    }

    @Test("An error has all four members")
    func refusal() throws {
        let refusal = BrokerRefusal(.noAccount, "no \"account\"")
        let error: NSDictionary = ["status": 19, "tag": 0x6B66, "errorCode": 19, "context": "no \"account\""]
        #expect(
            try document(BrokerAnswer.refusal(refusal, of: .acquireTokenSilently)) == [
                "brokerTokenResponse": ["error": error]
            ])
        #expect(try document(BrokerAnswer.refusal(refusal, of: .getAccounts))["accounts"] as? NSArray == [])
    }

    @Test("Every code of an error has its status, and docs/broker.md the same", arguments: KeyringError.Code.allCases)
    func statuses(_ code: KeyringError.Code) throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/broker.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter {
            $0.contains("`\(code.rawValue)`")
        }
        let unnamed = BrokerStatus(code, namesAccount: false).rawValue
        let named = BrokerStatus(code, namesAccount: true).rawValue
        let told = rows.compactMap { row in Int(row.split(separator: " ").dropFirst().first ?? "") }
        #expect(Set(told) == [unnamed, named])
    }

    @Test("Service files of others are told from our own")
    func serviceFiles() throws {
        let own = "[D-BUS Service]\nName=x\nExec=/usr/bin/keyfob agent --broker --idle 15m\n"
        #expect(BrokerServiceFile.isOwn(Array(own.utf8)))
        #expect(!BrokerServiceFile.isOwn(Array("[D-BUS Service]\nExec=/opt/broker agent\n".utf8)))
        #expect(!BrokerServiceFile.isOwn([]))
        let folder = try ScratchFolder()
        let environment = ["XDG_DATA_HOME": folder.path + "/data", "XDG_DATA_DIRS": folder.path + "/none"]
        try BrokerServiceFile.requireNoOther(environment)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/data/dbus-1/services", withIntermediateDirectories: true)
        let name = "data/dbus-1/services/com.microsoft.identity.broker1.service"
        try folder.write(name, Array(own.utf8))
        try BrokerServiceFile.requireNoOther(environment)
        try folder.write(name, Array("[D-BUS Service]\nExec=/opt/broker\n".utf8))
        #expect(throws: KeyringError(.unavailable, "")) { try BrokerServiceFile.requireNoOther(environment) }
    }
}
