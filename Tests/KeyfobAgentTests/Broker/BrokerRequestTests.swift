import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

@Suite("What programs ask of the broker") struct BrokerRequestTests {
    private func read(
        _ method: BrokerMethod = .acquireTokenSilently, _ json: String
    ) throws(BrokerRefusal) -> BrokerRequest {
        let bytes = Array(json.utf8)
        return try bytes.withBytes { (bytes) throws(BrokerRefusal) in try BrokerRequest(method, bytes) }
    }

    private func refusal(_ method: BrokerMethod = .acquireTokenSilently, _ json: String) -> BrokerStatus? {
        do throws(BrokerRefusal) {
            _ = try read(method, json)
            return nil
        } catch {
            return error.status
        }
    }

    @Test("A silent request as MSAL makes it")
    func silent() throws {
        let request = try read(
            .acquireTokenSilently,
            """
            {"authParameters": {"accessTokenToRenew": "", "account": {"homeAccountId": "u.t", "localAccountId": "u",
             "environment": "login.windows.net", "realm": "t", "username": "ada@contoso.example", "name": "Ada"},
             "additionalQueryParametersForAuthorization": {}, "authority": "https://login.microsoftonline.com/common",
             "authorizationType": 1, "clientId": "c", "decodedClaims": "", "enrollmentId": "", "isTestMode": false,
             "password": "", "popParams": null, "redirectUri": "https://login.microsoftonline.com/common/oauth2/nativeclient",
             "requestedScopes": ["User.Read", "openid", "profile", "offline_access"], "username": "",
             "uxContextHandle": -1}}
            """)
        #expect(request.clientID == "c")
        #expect(request.scopes == ["User.Read"])
        #expect(request.account == AccountID(homeAccountID: "u.t", environment: "login.microsoftonline.com"))
        #expect(!request.isForced && request.claims == nil && request.username == nil)
        #expect(request.acquisition.request.realm == nil)
        #expect(request.acquisition.request.account == "u.t@login.microsoftonline.com")
    }

    @Test("A token to be renewed, and claims, ask for a new one; the token itself is not kept")
    func forced() throws {
        let request = try read(
            .acquireTokenSilently,
            #"""
            {"authParameters": {"accessTokenToRenew": "old", "clientId": "c", "requestedScopes": ["a b"],
             "decodedClaims": "{\"access_token\":{\"nbf\":null}}", "account": null}}
            """#)
        #expect(request.acquisition.options.forcesRefresh)
        #expect(request.acquisition.options.claims == #"{"access_token":{"nbf":null}}"#)
        #expect(request.scopes == ["a", "b"] && request.account == nil)
        #expect(!"\(request)".contains("old"))
    }

    @Test("Where MSAL signs in, and as whom")
    func signIn() throws {
        let request = try read(
            .acquireTokenInteractively,
            """
            {"authParameters": {"authority": "https://login.microsoftonline.com/contoso.example", "clientId": "c",
             "requestedScopes": ["s"], "username": "bob@contoso.example"}, "parentWindowHandle": 0}
            """)
        #expect(request.signIn.provider == "https://login.microsoftonline.com/contoso.example/v2.0")
        #expect(request.signIn.loginHint == "bob@contoso.example" && request.signIn.clientID == "c")
    }

    @Test("Requests without parameters of a sign-in")
    func others() throws {
        #expect(try read(.getAccounts, #"{"clientId": "c", "redirectUri": "r"}"#).clientID == "c")
        let removal = try read(.removeAccount, #"{"clientId": "c", "account": {"homeAccountId": "u.t"}}"#)
        #expect(removal.account == AccountID(homeAccountID: "u.t", environment: "login.microsoftonline.com"))
    }

    @Test(
        "Other authorities than Microsoft's are not trusted",
        arguments: [
            "https://login.example/common", "http://login.microsoftonline.com/common",
            "https://fs.contoso.example/adfs",
            "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_a", "login.microsoftonline.com",
            "https://login.microsoftonline.com@evil.example/common", "https://login.microsoftonline.com.evil.example/x",
        ])
    func authorities(_ authority: String) {
        #expect(
            refusal(.acquireTokenSilently, #"{"authParameters": {"clientId": "c", "authority": "\#(authority)"}}"#)
                == .untrustedAuthority)
        let account = #"{"homeAccountId": "u.t", "environment": "login.example"}"#
        #expect(
            refusal(.acquireTokenSilently, #"{"authParameters": {"clientId": "c", "account": \#(account)}}"#)
                == .untrustedAuthority)
    }

    @Test(
        "What is no such request is refused",
        arguments: [
            "", "[]", "null", "{", "{}", #"{"authParameters": []}"#, #"{"authParameters": {}}"#,
            #"{"authParameters": {"clientId": 1}}"#, #"{"authParameters": {"clientId": "a\u0000"}}"#,
            #"{"authParameters": {"clientId": "c", "requestedScopes": "s"}}"#,
            #"{"authParameters": {"clientId": "c", "requestedScopes": [1]}}"#,
            #"{"authParameters": {"clientId": "c", "account": "u.t"}}"#,
            #"{"authParameters": {"clientId": "c", "account": {}}}"#,
            #"{"authParameters": {"clientId": "c", "decodedClaims": "[]"}}"#,
            #"{"authParameters": {"clientId": "c", "x": "# + String(repeating: "[", count: 20)
                + String(repeating: "]", count: 20) + "}}",
            #"{"authParameters": {"clientId": "c", "x": ["# + String(repeating: "0,", count: 5_000) + "0]}}",
            #"{"authParameters": {"clientId": ""# + String(repeating: "c", count: 100_000) + #""}}"#,
        ])
    func hostile(_ json: String) { #expect(refusal(.acquireTokenSilently, json) == .contractViolation) }

    @Test("A token bound to a key is none that can be had here")
    func bound() {
        #expect(
            refusal(.acquireTokenSilently, #"{"authParameters": {"clientId": "c", "popParams": {"host": "h"}}}"#)
                == .deviceNotRegistered)
    }
}
