import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

/// Signs in on another device, which answers at once; the test's provider must give the tokens.
@discardableResult
func signInByDevice(_ request: SignInRequest, _ keyring: Keyring, _ home: SilentHome) async throws -> SignInReport {
    home.provider.answerOthers { request in
        guard request.url.hasSuffix("/device") || request.url.hasSuffix("/devicecode") else { return nil }
        return .json(
            """
            {"device_code": "dc", "user_code": "ABCD", "verification_uri": "https://id.example/activate",
            "expires_in": 600, "interval": 1}
            """)
    }
    let signIn = try await keyring.signIns.beginDevice(request, network: home.provider.network)
    #expect(signIn.userCode == "ABCD" && signIn.verificationURL == "https://id.example/activate")
    home.clock.advance(by: 1)
    return try await keyring.signIns.finish(signIn, network: home.provider.network)
}

/// The fields of an address's query.
func query(of url: String) -> [String: String] {
    let items = URLComponents(string: url)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
}

/// Signs in by browser: `answer` makes the tokens' answer of what the browser's address says.
func signInByBrowser(
    _ request: SignInRequest, _ home: SilentHome, code: String = "c0de",
    _ answer: @escaping @Sendable ([String: String]) -> ScriptedNetwork.Answer
) async throws -> SignInReport {
    let network = home.provider.network
    let signIn = try await home.keyring.signIns.begin(
        request, redirectURI: "http://127.0.0.1:8400/callback", network: network)
    let asked = query(of: signIn.url)
    home.provider.answer { _ in answer(asked) }
    let callback = "code=\(code)&state=\(asked["state"] ?? "")"
    try #require(signIn.receive(secret(callback)) == .accepted)
    return try await home.keyring.signIns.finish(signIn, network: network)
}
