import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Synchronization
import Testing

/// Providers that answer as they are told, and remember what they were asked.
///
/// Discovery documents and keys are there for every Microsoft authority, and for `https://id.example`.
final class ScriptedNetwork: Sendable {
    /// A request, its secrets as text.
    struct Request: Sendable {
        let url: String
        let fields: [String: String]
        let authorization: String?
        /// How long the answer is waited for, in seconds.
        let seconds: Int64

        var refreshToken: String? { fields["refresh_token"] }
        var scopes: Set<String>? { fields["scope"].map { Set($0.split(separator: " ").map(String.init)) } }
    }

    /// What comes back.
    enum Answer: Sendable {
        case answered(Int, String, [HTTPHeader])
        case failed(ProviderFailure)

        static func json(_ text: String, status: Int = 200) -> Answer { .answered(status, text, []) }

        /// A refusal of the token endpoint.
        static func refused(_ error: String, _ suberror: String? = nil, status: Int = 400) -> Answer {
            let finer = suberror.map { ", \"suberror\": \"\($0)\"" } ?? ""
            return .json("{\"error\": \"\(error)\"\(finer), \"error_description\": \"told so\"}", status: status)
        }

        static func status(_ status: Int, retryAfter: String? = nil) -> Answer {
            .answered(status, "", retryAfter.map { [HTTPHeader(name: "Retry-After", value: $0)] } ?? [])
        }
    }

    typealias Handler = @Sendable (Request) async throws -> Answer?

    private struct State {
        var requests: [Request] = []
        var handler: Handler?
        var others: Handler?
        var script: [Answer] = []
        var flaw: IDTokenFlaw?
        var lacksSignatureLibrary = false
    }

    private let state = Mutex(State())

    /// All requests so far.
    var requests: [Request] { state.withLock { $0.requests } }
    /// Those to token endpoints.
    var tokenRequests: [Request] { requests.filter { Self.isTokenEndpoint($0.url) } }
    /// Those to the revocation endpoint.
    var revoked: [String] { requests.filter { $0.url.hasSuffix("/revoke") }.compactMap { $0.fields["token"] } }
    /// Those for discovery documents.
    var discoveries: [Request] { requests.filter { $0.url.contains("/.well-known/") } }

    /// Answers token requests with these, in order; one too many is a failure of the test.
    func answer(_ answers: Answer...) {
        state.withLock { $0.script += answers }
    }

    /// Answers token requests by `handler`.
    func answer(by handler: @escaping Handler) {
        state.withLock { $0.handler = handler }
    }

    /// Answers requests by `handler` where it gives an answer, before anything else does.
    func answerOthers(by handler: @escaping Handler) {
        state.withLock { $0.others = handler }
    }

    /// Finds this wrong with every signature.
    func findFlaw(_ flaw: IDTokenFlaw) {
        state.withLock { $0.flaw = flaw }
    }

    /// Has no library that checks signatures.
    func loseSignatureLibrary() {
        state.withLock { $0.lacksSignatureLibrary = true }
    }

    var network: Network {
        Network(
            send: { request, seconds in await self.send(request, seconds) },
            flaw: { _, _ in self.state.withLock { $0.flaw } },
            lacksSignatureLibrary: { _ in self.state.withLock { $0.lacksSignatureLibrary } })
    }

    private func send(_ message: consuming HTTPRequest, _ seconds: Int64) async -> HTTPExchange {
        let body = message.body?.withBytes { [UInt8]($0) } ?? []
        let authorization = message.authorization?.withBytes { [UInt8]($0) }
        let request = Request(
            url: message.url.description, fields: Self.fields(String(decoding: body, as: UTF8.self)),
            authorization: authorization.map { String(decoding: $0, as: UTF8.self) }, seconds: seconds)
        let (handler, others) = state.withLock { state in
            state.requests.append(request)
            return (state.handler, state.others)
        }
        do {
            if let answer = try await others?(request) { return try Self.exchange(answer) }
            guard Self.isTokenEndpoint(request.url) else { return try Self.exchange(Self.document(request.url)) }
            if let answer = try await handler?(request) { return try Self.exchange(answer) }
            let next = state.withLock { $0.script.isEmpty ? nil : $0.script.removeFirst() }
            guard let next else {
                Issue.record("nobody expected a request to \(request.url)")
                return .failed(.unreachable(.refused))
            }
            return try Self.exchange(next)
        } catch {
            Issue.record(error)
            return .failed(.unreachable(.refused))
        }
    }

    /// AD FS writes a slash behind it.
    private static func isTokenEndpoint(_ url: String) -> Bool { url.hasSuffix("/token") || url.hasSuffix("/token/") }

    private static func exchange(_ answer: Answer) throws -> HTTPExchange {
        switch answer {
        case .answered(let status, let text, let headers):
            .answered(try HTTPResponse(status: status, headers: headers, body: secret(text)))
        case .failed(let failure): .failed(failure)
        }
    }

    private static func fields(_ form: String) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in form.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacing("+", with: " ").removingPercentEncoding ?? "?" }
            fields[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        return fields
    }

    /// What there is at an address besides tokens.
    private static func document(_ url: String) -> Answer {
        let pieces = url.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        if url.hasSuffix("/revoke") { return .json("") }
        if url.hasSuffix("/keys") { return .json("{\"keys\": []}") }
        guard url.hasSuffix("/.well-known/openid-configuration") else { return .status(404) }
        guard pieces[1].hasPrefix("login.") else { return .json(plain("https://" + pieces[1])) }
        return .json(microsoft("https://" + pieces[1], tenant: pieces[2]))
    }

    static func microsoft(_ base: String, tenant: String, tokenHost: String? = nil) -> String {
        let isWord = ["common", "organizations", "consumers"].contains(tenant)
        let root = "\(base)/\(tenant)/oauth2/v2.0"
        return """
            {"issuer": "\(base)/\(isWord ? "{tenantid}" : tenant)/v2.0", "authorization_endpoint": "\(root)/authorize",
            "token_endpoint": "\(tokenHost.map { "\($0)/\(tenant)/oauth2/v2.0" } ?? root)/token",
            "device_authorization_endpoint": "\(root)/devicecode", "end_session_endpoint": "\(root)/logout",
            "jwks_uri": "\(root)/keys", "id_token_signing_alg_values_supported": ["RS256"]}
            """
    }

    static func plain(_ base: String) -> String {
        """
        {"issuer": "\(base)", "authorization_endpoint": "\(base)/authorize", "token_endpoint": "\(base)/token",
        "device_authorization_endpoint": "\(base)/device", "revocation_endpoint": "\(base)/revoke",
        "end_session_endpoint": "\(base)/logout", "userinfo_endpoint": "\(base)/userinfo", "jwks_uri": "\(base)/keys",
        "scopes_supported": ["openid", "profile", "offline_access"],
        "id_token_signing_alg_values_supported": ["RS256", "ES256"]}
        """
    }
}
