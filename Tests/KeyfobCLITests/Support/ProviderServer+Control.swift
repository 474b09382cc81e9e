import Foundation
import Testing

extension ProviderServer {
    /// How the provider misbehaves, until something else is said; nothing of it by itself.
    struct Control: Encodable {
        /// The paths that misbehave; nil is the token endpoint.
        var paths: [String]?
        /// Only requests for these grants do.
        var grantTypes: [String]?
        /// Only the first few do.
        var times: Int?
        /// The answer's status; nothing is done.
        var status: Int?
        /// Its `Retry-After`.
        var retryAfter: String?
        /// Its body, as JSON.
        var body: [String: String]?
        /// Its `Location`.
        var location: String?
        /// By how many bytes its body is longer.
        var filler: Int?
        /// The answer is a 400 without a body; nothing is done.
        var isEmptyRefusal: Bool?
        /// By how many milliseconds the answer comes later than what was asked is done.
        var delay: Int?
        /// What was asked is done, but the connection ends without an answer.
        var dropsAnswer: Bool?
        /// Tokens are granted for no more than these scopes, separated by spaces.
        var scopes: String?
        /// New access tokens expire in so many seconds.
        var accessLifetime: Int?
        /// Discovery, where that is among ``paths``, tells of this issuer.
        var issuer: String?

        private enum CodingKeys: String, CodingKey {
            case paths, times, status, body, scopes, location, filler, issuer
            case grantTypes = "grant_types"
            case retryAfter = "retry_after"
            case isEmptyRefusal = "empty_400"
            case delay = "delay_ms"
            case dropsAnswer = "drop"
            case accessLifetime = "access_lifetime"
        }
    }

    /// Says how it misbehaves from the next request on.
    func control(_ control: Control) throws {
        let file = URL(filePath: folder).appending(path: "control.json")
        try JSONEncoder().encode(control).write(to: file, options: .atomic)
    }

    /// Sets options of a stand-in, while it runs; those of no other are kept.
    func set(_ standIn: StandIn) throws {
        let file = URL(filePath: folder).appending(path: "control.json")
        let content: [String: Any] = ["options": [standIn.name: standIn.options]]
        try JSONSerialization.data(withJSONObject: content).write(to: file, options: .atomic)
    }

    /// Waits until it is connected to nobody: it has then done all that was asked.
    func waitUntilIdle() async throws {
        let port = try #require(URL(string: issuer)?.port)
        let local = String(format: ":%04X", port)
        // Established, being established, and closed by the other side alone.
        let busy: Set<Substring> = ["01", "03", "08"]
        for _ in 0..<6_000 {
            let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n").dropFirst()
            let isBusy = table.contains { line in
                let fields = line.split(separator: " ")
                return fields.count > 3 && fields[1].hasSuffix(local) && busy.contains(fields[3])
            }
            if !isBusy { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Failure(description: "the provider does not come to rest")
    }

    /// A request that it got.
    ///
    /// Tokens are known by the first 16 digits of their SHA-256.
    struct Request: Decodable, Sendable {
        /// In milliseconds since 1970.
        let time: Int64
        let method: String
        /// Of a stand-in by its name: which one.
        let host: String?
        let path: String
        let status: Int
        let grantType: String?
        let clientID: String?
        let scope: String?
        let resource: String?
        /// Of a stand-in: who the token or the sign-in was of, and Microsoft's tenant.
        let person: String?
        let tenant: String?
        /// Of a cluster: how the token came, "-" without one.
        let scheme: String?
        /// The refresh token that came.
        let refreshToken: String?
        /// The token to be revoked.
        let token: String?
        /// The refresh token that went out.
        let issued: String?
        let error: String?
        /// The key of the control file that was followed.
        let hook: String?
        /// Of a stand-in: whether the code that was redeemed was asked for with a key.
        let bound: Bool?
        /// Of a stand-in: whether the client showed a certificate.
        let certified: Bool?

        private enum CodingKeys: String, CodingKey {
            case time, method, host, path, status, scope, resource, person, tenant, scheme, token, issued, error, hook
            case bound, certified
            case grantType = "grant_type"
            case clientID = "client_id"
            case refreshToken = "refresh_token"
        }
    }

    /// The requests so far, each noted before it was answered.
    func requests() throws -> [Request] {
        let log = try Data(contentsOf: URL(filePath: folder).appending(path: "requests.jsonl"))
        return try log.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Request.self, from: $0) }
    }

    /// Those that wanted to refresh tokens.
    func refreshes() throws -> [Request] {
        try requests().filter { $0.grantType == "refresh_token" }
    }
}
