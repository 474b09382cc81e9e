internal import FoundationEssentials
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// Calls of etcd's JSON gateway (`/v3/…`, etcd 3.4 and later), each at the first member that answers.
///
/// A member that is gone, or has lost its leader, is left for the next one; when none answers, all are tried again for as
/// long as an election takes. Whatever is written twice by that is the same.
final class EtcdClient {
    /// How long a call may take at one member, in seconds: twice as long as the election of a leader.
    private static let callSeconds: Int64 = 4
    /// How long members are tried, where there are others to become the leader, and where not.
    private static let patience = (several: Duration.seconds(12), one: Duration.seconds(2))
    /// The longest answer, in bytes: a listing of 4096 keys, or one part of a file.
    private static let answerLimit = 4 << 20

    let address: EtcdAddress
    private let network: Network
    private let environment: [String: String]
    private var current = 0
    private var token: String?

    init(_ address: EtcdAddress, over network: Network, _ environment: [String: String]) {
        (self.address, self.network, self.environment) = (address, network, environment)
    }

    /// What came of one attempt.
    private enum Attempt: Sendable {
        case answered(status: Int, body: [UInt8])
        case failed(String)
        /// It may be somebody else.
        case untrusted(CertificateFlaw)
    }

    /// Calls, and reads the answer.
    ///
    /// - Throws: `offline` where no member answers, `unavailable` for what etcd refuses.
    func call<Answer: Decodable>(_ path: String, _ body: some Encodable) async throws(KeyringError) -> Answer {
        let bytes = try Self.encoded(body)
        let end = ContinuousClock.now + (address.endpoints.count > 1 ? Self.patience.several : Self.patience.one)
        var pause = Duration.milliseconds(50)
        var reason = ""
        while true {
            var flaw: (host: String, flaw: CertificateFlaw)?
            for _ in address.endpoints {
                switch try await attempt(path, bytes) {
                case .answered(200, let body):
                    guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(body)) else {
                        throw failure("what answers there is not etcd 3.4 or later")
                    }
                    return answer
                case .answered(let status, let body):
                    let said = (try? JSONDecoder().decode(Refusal.self, from: Data(body)))?.error ?? "status \(status)"
                    if said.contains("invalid auth token"), token != nil {
                        token = nil
                    } else if status < 500 && !said.contains("no leader") || Self.isFinal(said) {
                        throw KeyringError(
                            .unavailable, "etcd at \(shown) refuses: \(said.onOneLine)")
                    }
                    reason = said.onOneLine
                case .failed(let why): reason = why
                case .untrusted(let found): flaw = (address.endpoints[current].description, found)
                }
                current = (current + 1) % address.endpoints.count
            }
            // It is the same at the next attempt.
            if let flaw {
                throw KeyringError(
                    .untrustedCertificate, "the certificate of etcd at \(flaw.host) \(flaw.flaw)",
                    advice: .trustCertificate(isProviders: false))
            }
            guard ContinuousClock.now < end else { throw failure(reason) }
            guard (try? await Task.sleep(for: pause)) != nil else { throw failure("the wait was ended") }
            pause = min(pause * 2, .seconds(1))
        }
    }

    private var shown: String { address.endpoints[current].description }

    private func failure(_ reason: String) -> KeyringError {
        KeyringError(
            .offline, "etcd cannot be reached at \(address.hosts): \(reason)", advice: .tryAgain(.nothingLost))
    }

    /// What no other member would say otherwise.
    private static func isFinal(_ said: String) -> Bool {
        ["database space exceeded", "too large", "permission denied", "authentication"].contains(where: said.contains)
    }

    private struct Refusal: Decodable { let error: String }

    static func encoded(_ body: some Encodable) throws(KeyringError) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            return Array(try encoder.encode(body))
        } catch {
            throw KeyringError(.fault, "a request to etcd cannot be written")
        }
    }

    /// One call at the current member, signed in where the address has a user.
    private func attempt(_ path: String, _ body: [UInt8]) async throws(KeyringError) -> Attempt {
        let endpoint = address.endpoints[current]
        if let user = address.user, token == nil {
            let password = try Self.signingIn(user, environment)
            let call = try Self.call(endpoint, "/v3/auth/authenticate")
            let request = HTTPRequest(posting: password, to: call, answerLimit: Self.answerLimit)
            let attempt = Self.attempt(await network.send(request, Self.callSeconds))
            guard case .answered(200, let body) = attempt else { return attempt }
            token = Self.token(in: body)
        }
        let call = try Self.call(endpoint, path)
        let request = HTTPRequest(
            posting: body.withBytes { SecretBytes(copying: $0) }, to: call, authorization: Self.secret(token),
            answerLimit: Self.answerLimit)
        return Self.attempt(await network.send(request, Self.callSeconds))
    }

    /// What a user is known by who has signed in.
    static func token(in answer: [UInt8]) -> String? {
        (try? JSONDecoder().decode(Session.self, from: Data(answer)))?.token
    }

    private struct Session: Decodable { let token: String }

    /// What tells of changes of a key as this client is signed in now.
    func watch(_ key: Data, after revision: UInt64?, besides own: String) -> EtcdWatch {
        EtcdWatch(
            endpoints: address.endpoints, key: key, own: own, token: token, network: network, first: current,
            revision: revision)
    }

    static func secret(_ token: String?) -> SecretBytes? {
        token.map { Array($0.utf8).withBytes { SecretBytes(copying: $0) } }
    }

    static func call(_ endpoint: EndpointURL, _ path: String) throws(KeyringError) -> EndpointURL {
        do { return try EndpointURL(endpoint.text + path) } catch { throw KeyringError(.usage, "\(error)") }
    }

    private static func attempt(_ exchange: consuming HTTPExchange) -> Attempt {
        switch exchange {
        case .answered(let response):
            .answered(status: response.status, body: response.body.withBytes { [UInt8]($0) })
        case .failed(.untrustedCertificate(let flaw)): .untrusted(flaw)
        case .failed(let failure): .failed(reason(failure))
        }
    }

    private static func reason(_ failure: ProviderFailure) -> String {
        switch failure {
        case .unreachable(let reason): "\(reason)"
        case .noHTTPLibrary: "libcurl (7.87 or later) is not installed"
        case .noThread: "the system gives this process no further thread"
        case .outcomeUnknown: "it does not answer"
        default: "it answers something else than etcd"
        }
    }
}
