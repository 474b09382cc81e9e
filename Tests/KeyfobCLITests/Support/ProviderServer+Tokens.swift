import Foundation
import FoundationNetworking
import Testing

/// A client of our own, so that tests of the provider do not lean on what they are there to test. Not for TLS.
extension ProviderServer {
    struct Answer: CustomStringConvertible {
        let status: Int
        let body: Data

        var document: [String: Any] {
            (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:]
        }
        var error: String? { document["error"] as? String }
        var scope: String? { document["scope"] as? String }
        var expiresIn: Int? { document["expires_in"] as? Int }
        var description: String { "\(status) \(String(decoding: body, as: UTF8.self))" }

        /// A field that has to be there.
        func text(_ name: String, location: SourceLocation = #_sourceLocation) throws -> String {
            try #require(document[name] as? String, "\(self)", sourceLocation: location)
        }

        /// What the ID token says; its signature is not looked at.
        func claims() throws -> [String: Any] {
            let payload = try #require(text("id_token").split(separator: ".").dropFirst().first)
            let base64 = payload.replacing("-", with: "+").replacing("_", with: "/")
            let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
            let json = try #require(Data(base64Encoded: base64 + padding))
            return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        }
    }

    /// The example of RFC 7636, appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// Where nobody listens, so that visits stay at the provider.
    static let redirect = "http://127.0.0.1:9/callback"

    /// Where a person signs in.
    func authorizationAddress(
        scope: String = "openid profile email offline_access", redirect: String = redirect
    ) -> String {
        let fields = [
            "response_type": "code", "client_id": Self.publicClient, "redirect_uri": redirect, "scope": scope,
            "state": "sample-state", "nonce": "sample-nonce", "code_challenge": Self.challenge,
            "code_challenge_method": "S256",
        ]
        return issuer + "/authorize/?" + Self.encoded(fields)
    }

    /// Redeems the code in the address that a visit ended at.
    func redeem(_ address: String, verifier: String = verifier) async throws -> Answer {
        let items = URLComponents(string: address)?.queryItems ?? []
        let code = try #require(items.first { $0.name == "code" }?.value, "\(address)")
        return try await post(
            "/token/",
            [
                "grant_type": "authorization_code", "client_id": Self.publicClient, "code": code,
                "redirect_uri": Self.redirect, "code_verifier": verifier,
            ])
    }

    /// The tokens of somebody who signs in.
    func signIn(_ user: String, scope: String = "openid profile email offline_access") async throws -> Answer {
        let visit = try visit(authorizationAddress(scope: scope), user, ["--stay"]).expectSuccess()
        return try await redeem(visit.text.trimmingCharacters(in: .newlines))
    }

    func refresh(_ token: String, timeout: Double = 60) async throws -> Answer {
        let fields = ["grant_type": "refresh_token", "client_id": Self.publicClient, "refresh_token": token]
        return try await post("/token/", fields, timeout: timeout)
    }

    /// Posts a form to a path below the issuer.
    ///
    /// - Parameter timeout: In seconds; then it throws.
    func post(_ path: String, _ fields: [String: String], timeout: Double = 60) async throws -> Answer {
        var request = try URLRequest(url: #require(URL(string: issuer + path)))
        request.httpMethod = "POST"
        request.timeoutInterval = timeout
        request.httpBody = Data(Self.encoded(fields).utf8)
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        return try await send(request)
    }

    /// What the provider's own interface tells the owner of an access token.
    func me(_ accessToken: String) async throws -> Answer {
        var request = try URLRequest(url: #require(URL(string: base + "/api/me")))
        request.setValue("Bearer \(accessToken)", forHTTPHeaderField: "Authorization")
        return try await send(request)
    }

    private func send(_ request: URLRequest) async throws -> Answer {
        let (body, response) = try await URLSession(configuration: .ephemeral).data(for: request)
        return Answer(status: (response as? HTTPURLResponse)?.statusCode ?? 0, body: body)
    }

    private static func encoded(_ fields: [String: String]) -> String {
        let plain = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
        return fields.sorted { $0.key < $1.key }.map { name, value in
            name + "=" + (value.addingPercentEncoding(withAllowedCharacters: plain) ?? "")
        }.joined(separator: "&")
    }
}
