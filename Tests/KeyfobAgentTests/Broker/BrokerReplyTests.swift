import Keyfob
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

private let tenant = "7b1c0a94-3d0e-4a57-9c1f-2f1d5f6a0e11"
private let clientInfo = Base64.url.text(Array(#"{"uid":"u","utid":"\#(tenant)"}"#.utf8))
private let goodToken =
    #""accessToken":"t","accessTokenType":0,"expiresOn":2000000,"clientInfo":"\#(clientInfo)","grantedScopes":"a b""#
private let adasAccount =
    #"{"homeAccountId":"u.\#(tenant)","environment":"login.windows.net","username":"ada@contoso.example","more":[1]}"#

/// What another program's broker answers, and what it could.
@Suite("Answers of another broker") struct BrokerReplyTests {
    private func accounts(_ text: String) throws -> [SessionBrokerAccount] {
        try Array(text.utf8).withBytes { (bytes) throws(KeyringError) in
            try BrokerReply(reading: bytes).accounts(bytes)
        }
    }

    private func token(_ members: String) throws -> (token: String, scopes: [String], end: Int64) {
        let ada = try #require(try accounts(#"{"accounts":[\#(adasAccount)]}"#).first)
        let answer = Array(#"{"brokerTokenResponse":{\#(members)}}"#.utf8)
        let token = try answer.withBytes { (bytes) throws(KeyringError) in
            try BrokerReply(reading: bytes).token(of: ada, now: Timestamp(seconds: 1_000), bytes)
        }
        return (text(of: token.secret), token.scopes.scopes, token.expiresOn.seconds)
    }

    @Test("A token of the account that was asked for is taken, with its end in seconds")
    func good() throws {
        let token = try token(goodToken)
        #expect(token == ("t", ["a", "b"], 2_000))
    }

    @Test("The account goes back as it came")
    func account() throws {
        let ada = try #require(try accounts(#"{"accounts":[\#(adasAccount)]}"#).first)
        #expect(ada.username == "ada@contoso.example")
        let request = ada.tokenRequest(clientID: "c", scopes: ["s"], tenant: nil)
        #expect(String(decoding: request.bytes, as: UTF8.self).contains(#""account":\#(adasAccount),"#))
    }

    @Test(
        "What is no answer, is hostile, or is another account's token, is refused and gives nothing",
        arguments: [
            "", "\"accessToken\":1", goodToken.replacing("\"t\"", with: "\"\""),
            goodToken.replacing("\"t\"", with: "\"a\\nb\""),
            goodToken.replacing("2000000", with: "999999"), goodToken.replacing("2000000", with: "1e99"),
            goodToken.replacing("2000000", with: "9223372036854775807"), goodToken.replacing("2000000", with: "null"),
            goodToken.replacing("Type\":0", with: "Type\":1"), goodToken.replacing("\"\(clientInfo)\"", with: "\"!\""),
            goodToken.replacing(
                clientInfo, with: Base64.url.text(Array(#"{"uid":"other","utid":"\#(tenant)"}"#.utf8))),
        ])
    func hostile(members: String) throws {
        #expect(throws: KeyringError(.damaged, "")) { _ = try token(members) }
    }

    @Test(
        "A list of accounts that is none is refused",
        arguments: [
            "", "[]", "{}", #"{"accounts":{}}"#, #"{"accounts":[1]}"#, #"{"accounts":[{"homeAccountId":"x"}]}"#,
            #"{"accounts":[{"homeAccountId":"x","environment":"evil.example"}]}"#,
            #"{"accounts":"# + String(repeating: "[", count: 100) + String(repeating: "]", count: 100) + "}",
        ])
    func noAccounts(text: String) throws {
        #expect(throws: KeyringError(.damaged, "")) { _ = try accounts(text) }
    }

    @Test(
        "An error is passed on by its name",
        arguments: [
            (2, KeyringError.Code.signInNeeded, "interaction required"), (3, .offline, "no network"),
            (9, .configuration, "incorrect configuration"), (17, .policyNotMet, "device not registered"),
            (19, .noSuchAccount, "account not found"), (99, .providerFailed, "unexpected error"),
        ])
    func errors(status: Int, code: KeyringError.Code, name: String) throws {
        do {
            _ = try token(#""error":{"status":\#(status),"tag":1,"errorCode":2,"context":"why"}"#)
            Issue.record("there was no error")
        } catch let error as KeyringError {
            #expect(error.code == code)
            #expect(error.message.contains("'\(name)' (status \(status)): why"))
        }
    }

    @Test("Which account is meant is said, or clear")
    func choice() throws {
        let both = try accounts(
            #"{"accounts":[\#(adasAccount),\#(adasAccount.replacing("u.", with: "v.").replacing("ada", with: "bob"))]}"#
        )
        #expect(try SessionBrokerAccount.named("BOB@contoso.example", among: both) == both[1])
        #expect(throws: KeyringError(.ambiguous, "")) { _ = try SessionBrokerAccount.named(nil, among: both) }
        #expect(throws: KeyringError(.noSuchAccount, "")) { _ = try SessionBrokerAccount.named("carl", among: both) }
        #expect(throws: KeyringError(.noSuchAccount, "")) { _ = try SessionBrokerAccount.named(nil, among: []) }
    }
}
